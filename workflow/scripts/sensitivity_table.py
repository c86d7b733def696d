from job import job

with job(snakemake):
    from horde.results.tables import read_runs, write_csv
    from horde.verdict import claims, sensitivity

    given = snakemake.input
    judged = claims.load(given.claims).values()
    baseline, alternatives = read_runs(given.baseline), read_runs(given.alternatives)
    table = sensitivity.table(judged, baseline, alternatives, snakemake.params.seeds)
    write_csv(table, snakemake.output[0])
