"""Figure 1: seconds a round over the number of users, of edges and of features.

What to measure, `horde.timing.sweeps` says. Every point is measured by `horde.timing.stopwatch`
in a process of its own, after its memory was predicted.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from horde import files, machine
from horde.errors import HordeError
from horde.graph.kronecker import degree_distribution, describe, kronecker_graph
from horde.graph.precision import laplacian
from horde.machine import machine_bytes
from horde.random import generator
from horde.simulation.synthetic import linear_stream, smooth_preferences, unit_contexts
from horde.timing.memory import Size, predicted_bytes
from horde.timing.series import params_of
from horde.timing.stopwatch import Limits
from horde.timing.sweeps import Place, points


def measure_figure(
    figure: str,
    sweeps: list[dict],
    params: dict,
    values: dict,
    n_offered: int,
    log: Callable[[str], None],
) -> dict[str, list[dict]]:
    """Measure all points of one figure, one after the other.

    Parameters
    ----------
    figure : str
        Its name in the tables: 1a, 1b or 1c.
    sweeps : list of dict
        What to measure, as under ``sweeps`` in the configuration's ``scalability``.
    params : dict
        The rest of ``scalability``.
    values : dict
        The configuration's ``paper_values``.
    n_offered : int
        Items K offered in a round.
    log : callable
        Told of each point.

    Returns
    -------
    dict
        Lists of rows: ``points``, without what was measured where a policy does not fit, and
        ``graphs`` and ``degrees``, what each graph looks like. `horde.timing.measured` makes
        tables of them.

    Raises
    ------
    HordeError
        If a measurement fails or is killed; names the point.
    """
    budget = params["memory_share"] * machine_bytes()
    tables = {"points": [], "graphs": [], "degrees": []}
    graph_of = None
    for place, series in points(sweeps).items():
        if graph_of != (place.n_users, place.density):
            graph_of = (place.n_users, place.density)
            graph = make_graph(place, params)
            _describe(graph, place, figure, params, tables)
        size = _size(graph, place, params)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "problem.npz"
            write_problem(path, graph, place, params, n_offered)
            for policy, solver in series:
                log(f"{figure} {policy} {solver} {place}")
                chosen = params_of(policy, solver, values)
                row = _row(path, policy, chosen, size, budget, params)
                named = {"figure": figure, "policy": policy, "solver": solver}
                tables["points"].append(named | {"density": place.density} | row)
    return tables


def make_graph(place: Place, params: dict):
    """Draw the graph of a size: the same for every number of features.

    Returns
    -------
    scipy.sparse.csr_matrix, shape (n, n)
        Adjacency matrix.
    """
    rng = _generator(place, params, "graph")
    return kronecker_graph(place.n_users, place.density, params["initiator"], rng)


def write_problem(path: Path, graph, place: Place, params: dict, n_offered: int) -> None:
    """Write a problem, as `horde.timing.stopwatch` reads it.

    The file holds the precision matrix, the context vectors and a stream that is long enough for
    the observations placed before and the rounds timed after.
    """
    n_rounds = params["observations"] + params["rounds"]["most"]
    d = place.n_features
    features = unit_contexts(params["items"], d, _generator(place, params, "contexts"))
    preferences = smooth_preferences(
        graph, d, params["smoothing"], _generator(place, params, "preferences")
    )
    rng = _generator(place, params, "stream")
    stream = linear_stream(features, preferences, params["noise"], n_rounds, n_offered, rng)
    arrays = {name: getattr(stream, name) for name in ("users", "items", "rewards")}
    files.save_arrays(path, features=features, **arrays, **vars(laplacian(graph)))


def measure_apart(path: Path, policy: str, chosen: dict, params: dict) -> dict[str, float]:
    """Run `horde.timing.stopwatch.measure` in a process of its own, on one thread.

    Raises
    ------
    HordeError
        If it fails or is killed; holds its message.
    """
    rounds = params["rounds"]
    limits = Limits(params["observations"], rounds["fewest"], rounds["most"], params["seconds"])
    request = json.dumps({"policy": policy, "params": chosen, "limits": limits._asdict()})
    command = [sys.executable, "-m", "horde.timing.stopwatch", str(path), request]
    one_thread = dict.fromkeys(machine.VARIABLES, "1")
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | one_thread
    )
    if done.returncode != 0:
        raise HordeError(
            f"measuring {policy} with {chosen} ended with code {done.returncode} (-9: killed, "
            f"most likely for want of memory: lower memory_share):\n{done.stderr}"
        )
    return json.loads(done.stdout)


def _row(
    path: Path, policy: str, chosen: dict, size: Size, budget: float, params: dict
) -> dict[str, float | bool]:
    needed = predicted_bytes(policy, chosen, size)
    fits = needed <= budget
    measured = measure_apart(path, policy, chosen, params) if fits else {"rounds": 0}
    return {
        "n": size.n_users,
        "d": size.n_features,
        "edges": size.n_edges,
        "fits": fits,
        "needs_gb": needed / 1e9,
        **measured,
    }


def _size(graph, place: Place, params: dict) -> Size:
    n_rounds = params["observations"] + params["rounds"]["most"]
    return Size(place.n_users, place.n_features, graph.nnz // 2, n_rounds)


def _describe(graph, place: Place, figure: str, params: dict, tables: dict) -> None:
    facts = describe(graph, _generator(place, params, "clustering"))
    tables["graphs"].append({"figure": figure, "asked_density": place.density, **facts})
    tables["degrees"] += [
        {
            "figure": figure,
            "users": place.n_users,
            "asked_density": place.density,
            "degree_low": low,
            "degree_high": high,
            "count": count,
        }
        for low, high, count in degree_distribution(graph)
    ]


def _generator(place: Place, params: dict, purpose: str):
    name = f"kronecker/{place.n_users}/{place.density!r}"
    if purpose not in ("graph", "clustering"):
        name += f"/{place.n_features}"
    return generator(name, params["seed"], purpose)
