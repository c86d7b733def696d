from job import job

with job(snakemake):
    from horde.figures.sensitivity import draw
    from horde.results.tables import read_csv
    from horde.verdict import claims

    params = snakemake.params
    draw(
        read_csv(snakemake.input.table),
        params.labels,
        {name: claim.statement for name, claim in claims.load(snakemake.input.claims).items()},
        snakemake.output.png,
        generated=params.generated,
    )
