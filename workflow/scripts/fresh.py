from job import job

with job(snakemake) as log:
    from horde.data import dataset as datasets
    from horde.experiments.batch import run_seeds
    from horde.experiments.experiment import Experiment
    from horde.results import tables

    datasets.require(snakemake.input.dataset, snakemake.wildcards.dataset)
    params = snakemake.params
    curves = run_seeds(
        Experiment(**params.experiment),
        params.seeds,
        snakemake.input.dataset,
        params.code,
        params.runs,
        params.timing,
        log,
    )
    tables.write_csv(tables.read_runs(curves), snakemake.output[0])
