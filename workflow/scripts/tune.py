from job import job

with job(snakemake) as log:
    from horde.data import dataset
    from horde.experiments import tuning

    params = snakemake.params
    dataset.require(snakemake.input.dataset, params.name)
    choice = tuning.tune(
        tuning.Validation(**params.validation), params.grids, snakemake.input.dataset, log
    )
    tuning.write(snakemake.output.choice, choice)
