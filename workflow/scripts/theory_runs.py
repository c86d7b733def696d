from job import job

with job(snakemake):
    from horde.experiments import theory
    from horde.results.tables import write_csv

    params = snakemake.params
    table = theory.runs(
        theory.Setup(**params.setup),
        params.isolated,
        snakemake.wildcards.policy,
        params.params,
        params.seeds,
        params.checkpoints,
    )
    write_csv(table, snakemake.output[0])
