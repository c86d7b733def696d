from job import job

with job(snakemake):
    from horde.experiments import theory
    from horde.tables import write_csv

    params = snakemake.params
    setup = theory.Setup(**params.setup)
    table = theory.twins(setup, params.pairs, params.settings, params.seed)
    write_csv(table, snakemake.output[0])
