from job import job

with job(snakemake):
    from horde.data.tables import read_source
    from horde.figures import pages
    from horde.results.tables import read_regret

    given, params = snakemake.input, snakemake.params
    panels = [
        pages.Panel(label, read_source(source)["statement"], read_regret(table, dataset))
        for (_, dataset, label), table, source in zip(
            params.panels, given.tables, given.sources, strict=True
        )
    ]
    pages.write_regret(snakemake.output[0], panels, run=params.run, generated=params.generated)
