from job import job

with job(snakemake):
    from horde.data import dataset
    from horde.files import read_json
    from horde.results import tables
    from horde.results.description import describe

    given = snakemake.input
    explained = read_json(given.summary)["explained_variance_by_feature"]
    tables.write_csv(describe(dataset.load(given.dataset), explained), snakemake.output[0])
