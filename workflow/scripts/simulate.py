from job import job

with job(snakemake) as log:
    from horde.data import dataset
    from horde.experiments.run import Experiment, run_block

    params = snakemake.params
    dataset.require(snakemake.input.dataset, params.name)
    run_block(
        Experiment(**params.experiment),
        params.seeds,
        snakemake.input.dataset,
        params.code,
        **snakemake.output,
        log=log,
    )
