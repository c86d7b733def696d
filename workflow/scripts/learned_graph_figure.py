from job import job

with job(snakemake) as log:
    from horde import learned, tables
    from horde.figures import learned_graph

    learned_graph.draw(
        tables.read_csv(snakemake.input[0], learned.COLUMNS),
        snakemake.output.pdf,
        snakemake.output.png,
        labels=snakemake.params.labels,
        generated=snakemake.params.generated,
    )
