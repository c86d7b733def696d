"""Figure 1: seconds per round over the number of users, of edges and of features.

`horde.timing.sweeps` lists the points. Each point's memory is predicted first; then
`horde.timing.harness` measures it.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from horde.graph.kronecker import degree_distribution, describe, kronecker_graph
from horde.machine import machine_bytes
from horde.policies.memory import Size
from horde.random import generator
from horde.simulation.environment import Environment
from horde.simulation.synthetic import linear_environment
from horde.timing.baselines import predicted_bytes
from horde.timing.harness import Measured, Request, measuring
from horde.timing.sweeps import Place, params_of, points


def measure_figure(
    figure: str,
    sweeps: list[dict],
    params: dict,
    values: dict,
    n_offered: int,
    log: Callable[[str], None],
) -> dict[str, list[dict]]:
    """Measure all points of a figure, one after another.

    Parameters
    ----------
    figure : str
        Its name in the tables: 1a, 1b or 1c.
    sweeps : list of dict
        The figure's sweeps, from ``scalability.sweeps`` of the configuration.
    params : dict
        The other entries of ``scalability``.
    values : dict
        The configuration's ``paper_values``.
    n_offered : int
        Number K of items offered per round.
    log : callable
        Receives a message for each point, and progress reports.

    Returns
    -------
    dict
        Lists of rows: ``points`` (without measured values if a policy does not fit), and
        ``graphs`` and ``degrees``, which describe each graph. `horde.timing.tables` makes tables
        of them.

    Raises
    ------
    HordeError
        If a measurement fails or is killed; names the policy.
    """
    tables = {"points": [], "graphs": [], "degrees": []}
    drawn = None
    with measuring(log) as measure:
        for place, series in points(sweeps).items():
            if drawn != (place.n_users, place.density):
                drawn = (place.n_users, place.density)
                graph = make_graph(place, params)
                facts = describe(graph, _generator(place, params, "clustering"))
                tables["graphs"].append({"figure": figure, "asked_density": place.density, **facts})
                named = {"figure": figure, "users": place.n_users, "asked_density": place.density}
                tables["degrees"] += [
                    named | {"degree_low": low, "degree_high": high, "count": count}
                    for low, high, count in degree_distribution(graph)
                ]
            environment = make_environment(graph, place, params, n_offered)
            rows = [_predicted(environment, *each, params, values) for each in series]
            requests = [
                Request(
                    row["policy"],
                    params_of(row["policy"], row["solver"], values),
                    params["observations"],
                    **params["rounds"],
                    seconds=params["seconds"],
                )
                for row in rows
                if row["fits"]
            ]
            measured = measure(environment, requests)
            for row in rows:
                log(f"{figure} {row['policy']} {row['solver']} {place}")
                times = _times(next(measured)) if row["fits"] else {"rounds": 0}
                tables["points"].append({"figure": figure, "density": place.density} | row | times)
    return tables


def make_graph(place: Place, params: dict) -> sparse.csr_matrix:
    """Draw the graph of a size; it does not depend on the number of features.

    Returns
    -------
    scipy.sparse.csr_matrix, shape (n, n)
        Adjacency matrix.
    """
    rng = _generator(place, params, "graph")
    return kronecker_graph(place.n_users, place.density, params["initiator"], rng)


def make_environment(
    graph: sparse.csr_matrix, place: Place, params: dict, n_offered: int
) -> Environment:
    """Draw contexts, preferences and a stream long enough for all observations and timed rounds."""
    n_rounds = params["observations"] + params["rounds"]["most"]
    return linear_environment(
        "scalability",
        graph,
        place.n_features,
        params,
        n_rounds,
        n_offered,
        lambda purpose: _generator(place, params, purpose),
    )


def _predicted(
    environment: Environment, policy: str, solver: str, params: dict, values: dict
) -> dict[str, object]:
    n, d, edges = environment.size
    size = Size(n, d, edges, environment.stream.n_rounds)
    needed = predicted_bytes(policy, params_of(policy, solver, values), size)
    return {
        "policy": policy,
        "solver": solver,
        "n": n,
        "d": d,
        "edges": edges,
        "fits": needed <= params["memory_share"] * machine_bytes(),
        "needs_gb": needed / 1e9,
    }


def _times(measured: Measured) -> dict[str, float]:
    q25, median, q75 = measured.quartiles()
    return {
        "rounds": len(measured.seconds),
        "seconds_per_round": median,
        "q25": q25,
        "q75": q75,
        "cpu_seconds_per_round": float(np.median(measured.cpu_seconds)),
        "peak_mb": measured.peak_mb,
    }


def _generator(place: Place, params: dict, purpose: str) -> np.random.Generator:
    name = f"kronecker/{place.n_users}/{place.density!r}"
    if purpose not in ("graph", "clustering"):
        name += f"/{place.n_features}"
    return generator(name, params["seed"], purpose)
