from job import job

with job(snakemake):
    from horde.figures.sensitivity import draw
    from horde.tables import read_csv

    params = snakemake.params
    draw(
        read_csv(snakemake.input[0]).fillna({"claims_changed": ""}),
        params.labels,
        snakemake.output.pdf,
        snakemake.output.png,
        generated=params.generated,
    )
