from job import job

with job(snakemake):
    import pandas as pd

    from horde.results import controls, tables

    given, params = snakemake.input, snakemake.params
    final = controls.final_ratios(given.curves, given.records, params.graphs, params.seeds)
    if given.learner_curves:
        learners = given.learner_curves, given.learner_records
        more = controls.final_ratios(*learners, params.graphs, params.learner_seeds)
        final = pd.concat([final, more], ignore_index=True)
    tables.write_csv(controls.control_table(final), snakemake.output.ratios)
    tables.write_csv(controls.gains_table(final), snakemake.output.gains)
