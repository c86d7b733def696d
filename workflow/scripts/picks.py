from job import job

with job(snakemake) as log:
    import pandas as pd

    from horde.experiments.picks import share_of_equal_picks
    from horde.experiments.run import Experiment
    from horde.results.tables import write_csv

    found = [
        share_of_equal_picks(
            Experiment(**each), snakemake.params.seed, snakemake.input.dataset, log
        )
        for each in snakemake.params.experiments
    ]
    write_csv(pd.DataFrame(found), snakemake.output[0])
