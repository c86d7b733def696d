from job import job

with job(snakemake):
    from horde import tables
    from horde.figures import scalability
    from horde.scalability import COLUMNS, SLOPE_COLUMNS

    slopes = tables.read_csv(snakemake.input.slopes, SLOPE_COLUMNS)
    slopes = slopes.astype(object).where(slopes.notna(), None)
    scalability.draw(
        tables.read_csv(snakemake.input.points, COLUMNS),
        snakemake.params.which,
        snakemake.output.pdf,
        snakemake.output.png,
        generated=snakemake.params.demonstration,
        caption={"slopes": slopes.to_dict("records")},
    )
