from job import job

with job(snakemake):
    from horde.experiments import theory
    from horde.tables import write_csv

    params = snakemake.params
    table = theory.runs(
        theory.Setup(**params.setup),
        params.isolated,
        snakemake.wildcards.policy,
        params.settings,
        params.seeds,
        params.checkpoints,
    )
    write_csv(table, snakemake.output[0])
