from job import job

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from horde import files
    from horde.results import tables
    from horde.verdict import claims
    from horde.verdict.judge import Outputs, judge_files

    given, params = snakemake.input, snakemake.params
    curves = [tables.read_csv(path, tables.RUN_COLUMNS) for path in given.theory]
    if given.curves:
        curves.insert(0, tables.read_runs(given.curves))
    judge_files(
        claims.load(given.claims),
        params.asked,
        params.seeds,
        pd.concat(curves) if curves else pd.DataFrame(columns=tables.RUN_COLUMNS),
        {name: given[name] for name in params.tables},
        Outputs(*(snakemake.output[name] for name in Outputs._fields)),
    )
    # The rules stand with the verdict that they gave.
    files.write_bytes(snakemake.output.claims, Path(given.claims).read_bytes())
