from job import job

with job(snakemake) as log:
    import pandas as pd

    from horde.results import tables

    names = snakemake.params.datasets
    parts = [tables.read_regret(*part) for part in zip(snakemake.input, names, strict=True)]
    regret = pd.concat(parts, ignore_index=True)
    tables.write_csv(tables.final_table(regret), snakemake.output.final)
    tables.write_csv(regret, snakemake.output.regret)
