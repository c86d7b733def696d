from job import job

with job(snakemake) as log:
    from horde.data.tables import read_source
    from horde.figures import captions, regret
    from horde.results import tables

    params = snakemake.params
    source = read_source(snakemake.input.source)
    regret.draw(
        tables.read_regret(snakemake.input.table, params.dataset),
        params.dataset,
        snakemake.output.pdf,
        snakemake.output.png,
        label=params.label,
        variants=params.variants,
        generated=source["kind"] == "generated",
        caption=captions.of_regret(
            source["statement"], snakemake.input.tuning, params.paper_values
        ),
    )
