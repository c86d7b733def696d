from job import job

with job(snakemake):
    import pandas as pd

    from horde.results.tables import read_csv, write_csv

    parts = [read_csv(path) for path in snakemake.input]
    write_csv(pd.concat(parts, ignore_index=True), snakemake.output[0])
