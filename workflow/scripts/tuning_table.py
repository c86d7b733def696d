from job import job

with job(snakemake):
    from horde.results.tables import tuning_table, write_csv

    write_csv(tuning_table(snakemake.input), snakemake.output[0])
