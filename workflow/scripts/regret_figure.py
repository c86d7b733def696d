from job import job

with job(snakemake):
    from horde.data.tables import read_source
    from horde.figures import captions, regret
    from horde.results import tables

    params = snakemake.params
    source = read_source(snakemake.input.source)
    tuned = captions.chosen(snakemake.input.tuning)
    regret.draw(
        tables.read_regret(snakemake.input.table, params.dataset),
        params.dataset,
        snakemake.output.png,
        title=params.title,
        chosen=tuned,
        variants=params.variants,
        generated=source["kind"] == "generated",
        caption={
            "data": source["statement"],
            **captions.hyper_parameters(tuned, params.paper_values),
        },
    )
