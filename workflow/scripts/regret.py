from job import job

with job(snakemake) as log:
    import pandas as pd

    from horde import tables

    parts = [tables.read_csv(path, tables.REGRET_COLUMNS) for path in snakemake.input]
    regret = pd.concat(parts, ignore_index=True)
    tables.write_csv(tables.final_table(regret), snakemake.output.final)
    tables.write_csv(regret, snakemake.output.regret)
