from job import job

with job(snakemake) as log:
    from horde.experiments.timing import read_timings
    from horde.results import tables

    tables.write_csv(read_timings(snakemake.input), snakemake.output[0])
