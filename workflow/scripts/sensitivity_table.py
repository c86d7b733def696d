from pathlib import Path

from job import job

with job(snakemake):
    import pandas as pd

    from horde.results.tables import RUN_COLUMNS, read_csv, write_csv
    from horde.verdict import claims, sensitivity

    given, params, found = snakemake.input, snakemake.params, {}
    for path in given.alternatives:
        found.setdefault(Path(path).parent.name, []).append(read_csv(path, RUN_COLUMNS))
    alternatives = [
        sensitivity.Alternative(name, pd.concat(runs), params.data[name])
        for name, runs in found.items()
    ]
    baseline = pd.concat(read_csv(path, RUN_COLUMNS) for path in given.baseline)
    judged = claims.load(given.claims).values()
    table = sensitivity.table(judged, baseline, alternatives, params.seeds)
    write_csv(table, snakemake.output[0])
