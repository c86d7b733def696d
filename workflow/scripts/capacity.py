from job import job

with job(snakemake):
    import pandas as pd

    from horde.results.tables import write_csv
    from horde.timing.capacity import capacity

    params = snakemake.params
    rows = capacity(params.sweeps, params.values, params.rounds, **params.capacity)
    write_csv(pd.DataFrame(rows), snakemake.output[0])
