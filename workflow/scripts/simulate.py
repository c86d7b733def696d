from job import job

with job(snakemake) as log:
    from horde.data import dataset as datasets
    from horde.experiments.experiment import Experiment, run_to_files

    datasets.require(snakemake.input.dataset, snakemake.wildcards.dataset)
    run_to_files(
        Experiment(**snakemake.params.experiment),
        snakemake.input.dataset,
        snakemake.params.code,
        **snakemake.output,
        log=log,
    )
