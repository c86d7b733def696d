from job import job

with job(snakemake) as log:
    from horde import tables
    from horde.experiments.timing import read_timings

    tables.write_csv(read_timings(snakemake.input), snakemake.output[0])
