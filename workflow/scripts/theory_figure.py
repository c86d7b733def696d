from job import job

with job(snakemake):
    import pandas as pd

    from horde.experiments import theory
    from horde.figures.theory import draw
    from horde.results.tables import read_csv

    params = snakemake.params
    setup = theory.Setup(**params.setup)
    draw(
        pd.concat(map(read_csv, snakemake.input.runs)),
        theory.traces(setup, params.isolated),
        read_csv(snakemake.input.bound),
        snakemake.output.png,
        generated=params.demonstration,
        caption={"problem": params.setup},
    )
