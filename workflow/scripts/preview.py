from job import job

with job(snakemake):
    from horde.data.tables import read_source
    from horde.figures import pages
    from horde.results import tables
    from horde.verdict import claims
    from horde.verdict.preview import preview

    given, params = snakemake.input, snakemake.params
    asked = claims.select(claims.load(given.claims), params.asked)
    table = preview(asked, tables.read_runs(given.curves), params.page["seed"])
    tables.write_csv(table, snakemake.output.table)
    pages.write_preview(
        snakemake.output.page,
        table,
        data=[read_source(path)["statement"] for path in given.sources],
        **params.page,
    )
