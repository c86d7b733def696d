from job import job

with job(snakemake):
    import pandas as pd

    from horde import tables
    from horde.scalability import capacity

    params = snakemake.params
    for name in ("points", "slopes", "graphs", "degrees"):
        parts = [tables.read_csv(path) for path in snakemake.input[name]]
        tables.write_csv(pd.concat(parts, ignore_index=True), snakemake.output[name])
    rows = capacity(params.sweeps, params.values, params.rounds, **params.capacity)
    tables.write_csv(pd.DataFrame(rows), snakemake.output.capacity)
