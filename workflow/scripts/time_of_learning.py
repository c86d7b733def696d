from job import job

with job(snakemake) as log:
    from horde.experiments.timing import read_timings
    from horde.results import tables

    table = read_timings(snakemake.input)
    solvers = snakemake.params.solvers
    runs = zip(table.policy, table.variant, strict=True)
    names = [solvers[variant][policy] for policy, variant in runs]
    table.insert(table.columns.get_loc("variant") + 1, "solver", names)
    tables.write_csv(table, snakemake.output[0])
