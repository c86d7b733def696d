from job import job

with job(snakemake):
    from horde.figures import learned_graph
    from horde.results import learned_graph as learned
    from horde.results import tables

    learned_graph.draw(
        tables.read_csv(snakemake.input[0], learned.COLUMNS),
        snakemake.output.png,
        labels=snakemake.params.labels,
        generated=snakemake.params.generated,
    )
