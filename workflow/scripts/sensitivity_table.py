from job import job

with job(snakemake):
    from horde.results.tables import as_written, read_runs, write_csv
    from horde.verdict import claims, sensitivity

    given = snakemake.input
    runs = as_written(read_runs(given.alternatives))
    # A dataset of other data is named after it: lastfm@pca; else the variant is the alternative.
    names = runs["dataset"].str.partition("@")
    data, alternative = names[2] != "", names[2].where(names[2] != "", runs["variant"])
    runs = runs.assign(dataset=names[0])
    alternatives = [
        sensitivity.Alternative(name, runs.loc[rows], bool(data.loc[rows].all()))
        for name, rows in runs.groupby(alternative, sort=False).groups.items()
    ]
    baseline = as_written(read_runs(given.baseline))
    judged = claims.load(given.claims).values()
    table = sensitivity.table(judged, baseline, alternatives, snakemake.params.seeds)
    write_csv(table, snakemake.output[0])
