from job import job

with job(snakemake):
    from horde.data import dataset as datasets
    from horde.experiments import theory
    from horde.graph.kronecker import kronecker_graph
    from horde.graph.precision import adjacency
    from horde.random import generator
    from horde.results.tables import write_csv

    params, size = snakemake.params, snakemake.params.kronecker
    rng = generator("theory", params.seed, "kronecker")
    loaded = [datasets.load(path) for path in snakemake.input.datasets]
    graphs = {data.name: adjacency(data.edges, data.n_users) for data in loaded}
    drawn = kronecker_graph(size["users"], size["density"], params.initiator, rng)
    graphs |= {"Kronecker": drawn, **theory.example_graphs()}
    write_csv(theory.trace_bound(graphs), snakemake.output[0])
