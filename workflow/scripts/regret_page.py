from job import job

with job(snakemake):
    from horde.pages.regret import write
    from horde.tables import REGRET_COLUMNS, read_csv

    params = snakemake.params
    table = read_csv(snakemake.input[0], REGRET_COLUMNS)
    write(snakemake.output[0], table, params.labels, run=params.run, generated=params.generated)
