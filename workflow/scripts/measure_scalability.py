from job import job

with job(snakemake) as log:
    import pandas as pd

    from horde import tables
    from horde.scalability import COLUMNS, SLOPE_COLUMNS, measure_figure

    params = snakemake.params
    measured = measure_figure(
        snakemake.wildcards.which,
        params.sweeps,
        params.settings,
        params.values,
        params.offered,
        log,
    )
    columns = {"points": COLUMNS, "slopes": SLOPE_COLUMNS, "graphs": None, "degrees": None}
    for name, wanted in columns.items():
        tables.write_csv(pd.DataFrame(measured[name], columns=wanted), snakemake.output[name])
