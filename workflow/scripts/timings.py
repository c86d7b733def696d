from job import job

with job(snakemake):
    from horde.results import tables

    tables.write_csv(tables.timing_table(snakemake.input), snakemake.output[0])
