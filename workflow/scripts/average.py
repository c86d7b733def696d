from job import job

with job(snakemake):
    from horde.results import tables

    runs = tables.read_runs(snakemake.input)
    tables.write_csv(tables.regret_table(runs, snakemake.params.seeds), snakemake.output[0])
