"""Figure 1: seconds a round over the number of users, of edges and of features.

What to measure, `horde.scaling.sweeps` says. Every point is measured by `horde.scaling.stopwatch`
in a process of its own, after its memory was predicted.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from horde import npz, threads
from horde.draws import generator
from horde.errors import HordeError
from horde.graph import laplacian
from horde.scaling.kronecker import degree_distribution, describe, kronecker_graph
from horde.scaling.memory import Size, machine_bytes, predicted_bytes
from horde.scaling.series import settings_of
from horde.scaling.stopwatch import Limits
from horde.scaling.sweeps import Place, points
from horde.scaling.synthetic import linear_stream, smooth_preferences, unit_contexts


def measure_figure(
    figure: str,
    sweeps: list[dict],
    settings: dict,
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
    settings : dict
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
        ``graphs`` and ``degrees``, what each graph looks like. `horde.scaling.measured` makes
        tables of them.

    Raises
    ------
    HordeError
        If a measurement fails or is killed; names the point.
    """
    budget = settings["memory_share"] * machine_bytes()
    tables = {"points": [], "graphs": [], "degrees": []}
    graph_of = None
    for place, series in points(sweeps).items():
        if graph_of != (place.n_users, place.density):
            graph_of = (place.n_users, place.density)
            graph = make_graph(place, settings)
            _describe(graph, place, figure, settings, tables)
        size = _size(graph, place, settings)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "problem.npz"
            write_problem(path, graph, place, settings, n_offered)
            for policy, solver in series:
                log(f"{figure} {policy} {solver} {place}")
                chosen = settings_of(policy, solver, values)
                row = _row(path, policy, chosen, size, budget, settings)
                named = {"figure": figure, "policy": policy, "solver": solver}
                tables["points"].append(named | {"density": place.density} | row)
    return tables


def make_graph(place: Place, settings: dict):
    """Draw the graph of a size: the same for every number of features.

    Returns
    -------
    scipy.sparse.csr_matrix, shape (n, n)
        Adjacency matrix.
    """
    rng = _generator(place, settings, "graph")
    return kronecker_graph(place.n_users, place.density, settings["initiator"], rng)


def write_problem(path: Path, graph, place: Place, settings: dict, n_offered: int) -> None:
    """Write a problem, as `horde.scaling.stopwatch` reads it.

    The file holds the precision matrix, the context vectors and a stream that is long enough for
    the observations placed before and the rounds timed after.
    """
    n_rounds = settings["observations"] + settings["rounds"]["most"]
    d = place.n_features
    features = unit_contexts(settings["items"], d, _generator(place, settings, "contexts"))
    preferences = smooth_preferences(
        graph, d, settings["smoothing"], _generator(place, settings, "preferences")
    )
    rng = _generator(place, settings, "stream")
    stream = linear_stream(features, preferences, settings["noise"], n_rounds, n_offered, rng)
    arrays = {name: getattr(stream, name) for name in ("users", "items", "rewards")}
    npz.save(path, features=features, **arrays, **vars(laplacian(graph)))


def measure_apart(path: Path, policy: str, chosen: dict, settings: dict) -> dict[str, float]:
    """Run `horde.scaling.stopwatch.measure` in a process of its own, on one thread.

    Raises
    ------
    HordeError
        If it fails or is killed; holds its message.
    """
    rounds = settings["rounds"]
    limits = Limits(settings["observations"], rounds["fewest"], rounds["most"], settings["seconds"])
    request = json.dumps({"policy": policy, "settings": chosen, "limits": limits._asdict()})
    command = [sys.executable, "-m", "horde.scaling.stopwatch", str(path), request]
    one_thread = dict.fromkeys(threads.VARIABLES, "1")
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
    path: Path, policy: str, chosen: dict, size: Size, budget: float, settings: dict
) -> dict[str, float | bool]:
    needed = predicted_bytes(policy, chosen, size)
    fits = needed <= budget
    measured = measure_apart(path, policy, chosen, settings) if fits else {"rounds": 0}
    return {
        "n": size.n_users,
        "d": size.n_features,
        "edges": size.n_edges,
        "fits": fits,
        "needs_gb": needed / 1e9,
        **measured,
    }


def _size(graph, place: Place, settings: dict) -> Size:
    n_rounds = settings["observations"] + settings["rounds"]["most"]
    return Size(place.n_users, place.n_features, graph.nnz // 2, n_rounds)


def _describe(graph, place: Place, figure: str, settings: dict, tables: dict) -> None:
    facts = describe(graph, _generator(place, settings, "clustering"))
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


def _generator(place: Place, settings: dict, purpose: str):
    name = f"kronecker/{place.n_users}/{place.density!r}"
    if purpose not in ("graph", "clustering"):
        name += f"/{place.n_features}"
    return generator(name, settings["seed"], purpose)
