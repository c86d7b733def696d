from pathlib import Path

from job import job

with job(snakemake) as log:
    from horde.data.lookalike import generate

    folder = Path(snakemake.output.zip).parent
    params = snakemake.params
    generate(folder, snakemake.wildcards.archive, seed=params.seed, **params.size, log=log)
