from job import job

with job(snakemake):
    from horde.data.tables import read_source
    from horde.figures import description
    from horde.results import tables
    from horde.results.description import COLUMNS

    source = read_source(snakemake.input.source)
    description.draw(
        tables.read_csv(snakemake.input.table, COLUMNS),
        snakemake.params.title,
        snakemake.output.png,
        generated=source["kind"] == "generated",
        caption={"data": source["statement"]},
    )
