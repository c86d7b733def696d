from job import job

with job(snakemake) as log:
    from horde.data.features import prepare
    from horde.data.tables import load
    from horde.experiments import multiverse, specifications
    from horde.results.tables import write_csv

    params = snakemake.params
    tables, source = load(snakemake.input.tables, snakemake.input.source)
    features = specifications.features(params.specifications[0])
    data, _ = prepare(
        tables, snakemake.wildcards.dataset, source, dimension=params.dimension, **features
    )
    setup = multiverse.Setup(**params.setup)
    write_csv(multiverse.play(params.specifications, setup, data, log), snakemake.output[0])
