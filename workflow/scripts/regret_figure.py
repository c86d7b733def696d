from job import job

with job(snakemake) as log:
    from horde import tables
    from horde.figures import regret
    from horde.files import read_json

    params = snakemake.params
    source = read_json(snakemake.input.source)
    regret.draw(
        tables.read_csv(snakemake.input.table, tables.REGRET_COLUMNS),
        params.dataset,
        snakemake.output.pdf,
        snakemake.output.png,
        label=params.label,
        settings=params.settings,
        generated=source["kind"] == "generated",
        caption={"data": source["statement"]},
    )
