from job import job

with job(snakemake):
    from horde.results import controls, tables

    given, params = snakemake.input, snakemake.params
    final = controls.final_ratios(given.curves, given.records, params.graphs, params.seeds)
    tables.write_csv(controls.control_table(final), snakemake.output.ratios)
    tables.write_csv(controls.gains_table(final), snakemake.output.gains)
