from job import job

with job(snakemake) as log:
    from horde.experiments.experiment import Experiment, run_to_files

    run_to_files(
        Experiment(**snakemake.params.experiment),
        snakemake.input.dataset,
        snakemake.params.code,
        **snakemake.output,
        log=log,
    )
