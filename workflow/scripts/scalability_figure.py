from job import job

with job(snakemake):
    from horde.figures import scalability
    from horde.files import read_json
    from horde.timing import tables as timing_tables

    which, sweeps = snakemake.params.which, snakemake.params.sweeps
    points = read_json(snakemake.input[0])["points"]
    scalability.draw(
        timing_tables.points_table(points),
        which,
        snakemake.output.png,
        generated=snakemake.params.demonstration,
        caption={
            "graphs": scalability.graphs(sweeps),
            "growth": scalability.growth(timing_tables.slopes_table(which, sweeps, points)),
        },
    )
