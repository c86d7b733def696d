from job import job

with job(snakemake) as log:
    import pandas as pd

    from horde.experiments.picks import share_of_equal_picks
    from horde.experiments.run import Experiment
    from horde.results.tables import write_csv

    experiment = Experiment(**snakemake.params.experiment)
    found = share_of_equal_picks(experiment, snakemake.params.seed, snakemake.input.dataset, log)
    write_csv(pd.DataFrame([found]), snakemake.output[0])
