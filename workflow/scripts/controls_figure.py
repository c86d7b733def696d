from job import job

with job(snakemake):
    from horde.figures.controls import draw
    from horde.results import controls, tables

    given, params = snakemake.input, snakemake.params
    draw(
        tables.read_csv(given.ratios, controls.COLUMNS),
        tables.read_csv(given.gains, controls.GAIN_COLUMNS),
        params.labels,
        snakemake.output.png,
        generated=params.generated,
    )
