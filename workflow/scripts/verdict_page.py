from job import job

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from horde.data.tables import read_source
    from horde.figures import pages
    from horde.verdict import claims, context, history

    given, params = snakemake.input, snakemake.params
    results = Path(snakemake.output[0]).parent
    found = {name: results / context.TABLES[name] for name in params.others}
    pages.write_verdict(
        snakemake.output[0],
        claims.load(given.claims),
        pd.concat([pd.read_csv(given.verdict), pd.read_csv(given.timing)]),
        pd.read_csv(given.alternative),
        {name: given[name] for name in ("runs", "curves", *params.tables)},
        params.figures,
        data=[read_source(path)["statement"] for path in given.sources],
        changes=history.changes(given.claims),
        # One that is being made anew at this moment is left to the next run.
        others={name: pd.read_csv(path) for name, path in found.items() if path.exists()},
        **params.page,
    )
