from job import job

with job(snakemake) as log:
    from horde.data import dataset as datasets
    from horde.experiments import choices
    from horde.experiments.validation import Validation, tune

    datasets.require(snakemake.input.dataset, snakemake.wildcards.dataset)
    params = snakemake.params
    choice = tune(
        Validation(**params.validation),
        params.grids,
        snakemake.input.dataset,
        params.code,
        f"{params.points}/points",
        log,
    )
    choices.write(snakemake.output.choice, choice)
