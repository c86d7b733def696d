from job import job

with job(snakemake):
    from horde.experiments import theory
    from horde.results.tables import write_csv

    params = snakemake.params
    setup = theory.Setup(**params.setup)
    table = theory.counterparts(setup, params.pairs, params.params, params.seed)
    write_csv(table, snakemake.output[0])
