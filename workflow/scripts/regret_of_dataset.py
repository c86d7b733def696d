from job import job

with job(snakemake) as log:
    from horde.results import tables

    runs = tables.read_runs(snakemake.input)
    table = tables.regret_table(runs, range(snakemake.params.seeds))
    tables.write_csv(table, snakemake.output[0])
