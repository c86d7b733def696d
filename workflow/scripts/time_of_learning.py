from job import job

with job(snakemake) as log:
    from horde import tables
    from horde.experiments.timing import read_timings

    table = read_timings(snakemake.input)
    solvers = snakemake.params.solvers
    runs = zip(table.policy, table.setting, strict=True)
    names = [solvers[setting][policy] for policy, setting in runs]
    table.insert(table.columns.get_loc("setting") + 1, "solver", names)
    tables.write_csv(table, snakemake.output[0])
