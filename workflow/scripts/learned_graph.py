from job import job

with job(snakemake):
    from horde.results import learned_graph as learned
    from horde.results import tables

    table = learned.learned_table(snakemake.input.curves, snakemake.input.dataset)
    tables.write_csv(table, snakemake.output[0])
