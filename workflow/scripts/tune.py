from job import job

with job(snakemake) as log:
    from horde.data import dataset
    from horde.experiments import choice, tuning

    params = snakemake.params
    dataset.require(snakemake.input.dataset, params.name)
    chosen = tuning.tune(
        tuning.Validation(**params.validation), params.grids, snakemake.input.dataset, log
    )
    choice.write(snakemake.output.choice, chosen)
