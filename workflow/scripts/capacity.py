from job import job

with job(snakemake):
    from horde.results.tables import write_csv
    from horde.timing.tables import capacity_table

    params = snakemake.params
    table = capacity_table(params.sweeps, params.values, params.rounds, **params.capacity)
    write_csv(table, snakemake.output[0])
