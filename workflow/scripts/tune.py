from dataclasses import asdict

from job import job

with job(snakemake) as log:
    from horde.experiments.validation import Validation, tune
    from horde.files import write_json

    params = snakemake.params
    choice = tune(
        Validation(**params.validation),
        params.grids,
        snakemake.input.dataset,
        params.code,
        f"{params.points}/points",
        log,
    )
    write_json(snakemake.output.choice, asdict(choice))
