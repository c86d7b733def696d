from job import job

with job(snakemake):
    from horde.results import tables

    regret = tables.read_regret(snakemake.input[0], *snakemake.params.datasets)
    tables.write_csv(tables.final_table(regret), snakemake.output[0])
