from pathlib import Path

from job import job

with job(snakemake):
    import pandas as pd

    from horde.experiments.specifications import read
    from horde.figures import pages
    from horde.figures.multiverse import draw_curve
    from horde.results.tables import read_csv
    from horde.verdict import claims as paper_claims

    given, params = snakemake.input, snakemake.params
    specifications = pd.DataFrame(read(given.specifications, params.names))
    verdicts = read_csv(given.verdicts)
    claims = paper_claims.load(given.claims)
    folder = Path(snakemake.output.curves)
    for name in dict.fromkeys(verdicts["claim"]):
        draw_curve(
            claims[name],
            verdicts,
            specifications,
            folder / f"{name}.png",
            generated=params.generated,
        )
    pages.write_multiverse(
        snakemake.output.page,
        claims,
        verdicts,
        specifications,
        run=params.run,
        generated=params.generated,
    )
