from job import job

with job(snakemake):
    from horde.figures.multiverse import draw
    from horde.results.tables import read_csv

    given, output = snakemake.input, snakemake.output
    draw(
        read_csv(given.claims),
        read_csv(given.effects),
        output.png,
        generated=snakemake.params.generated,
    )
