from job import job

with job(snakemake) as log:
    from horde.experiments import choices
    from horde.experiments.validation import Validation, tune

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
