from job import job

with job(snakemake) as log:
    from horde.data import dataset as datasets
    from horde.experiments import alternative
    from horde.results import tables

    datasets.require(snakemake.input.dataset, snakemake.wildcards.dataset)
    params = snakemake.params
    curves = alternative.run(
        [alternative.Task(**task) for task in params.tasks],
        params.seeds,
        snakemake.input.dataset,
        params.folders,
        log,
    )
    tables.write_csv(tables.read_runs(curves), snakemake.output[0])
