from job import job

with job(snakemake):
    from horde.results import tables

    regret = tables.read_csv(snakemake.input[0], tables.REGRET_COLUMNS)
    tables.write_csv(tables.final_table(regret), snakemake.output[0])
