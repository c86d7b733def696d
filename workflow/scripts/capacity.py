from job import job

with job(snakemake):
    import pandas as pd

    from horde.scaling.capacity import capacity
    from horde.tables import write_csv

    params = snakemake.params
    rows = capacity(params.sweeps, params.values, params.rounds, **params.capacity)
    write_csv(pd.DataFrame(rows), snakemake.output[0])
