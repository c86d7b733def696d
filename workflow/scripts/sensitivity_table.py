from job import job

with job(snakemake):
    from horde.results.tables import as_written, read_runs, write_csv
    from horde.verdict import claims, sensitivity

    given, params = snakemake.input, snakemake.params
    table = sensitivity.table(
        claims.load(given.claims).values(),
        as_written(read_runs(given.baseline)),
        sensitivity.alternatives(as_written(read_runs(given.alternatives)), params.data),
        params.seeds,
    )
    write_csv(table, snakemake.output[0])
