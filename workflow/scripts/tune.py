from dataclasses import asdict

from job import job

with job(snakemake) as log:
    from horde.files import write_json
    from horde.validation import Validation, tune

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
