from job import job

with job(snakemake):
    import pandas as pd

    from horde.results import tables

    datasets = snakemake.params.datasets
    read = tables.read_regret if snakemake.params.regret else lambda path, _: tables.read_csv(path)
    parts = [read(*part) for part in zip(snakemake.input, datasets, strict=True)]
    tables.write_csv(pd.concat(parts, ignore_index=True), snakemake.output[0])
