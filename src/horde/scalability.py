"""Figure 1: seconds a round over the number of users, of edges and of features.

What to measure, `horde.sweeps` says. Every point is measured by `horde.stopwatch` in a process of
its own, after its memory was predicted.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path

from horde import npz, threads
from horde.draws import generator
from horde.errors import HordeError
from horde.graph import laplacian
from horde.kronecker import degree_distribution, describe, kronecker_graph
from horde.memory import Size, largest_users, machine_bytes, predicted_bytes
from horde.stats import log_log_slope
from horde.stopwatch import Limits
from horde.sweeps import Place, places, points, series_of, settings_of
from horde.synthetic import linear_stream, smooth_preferences, unit_contexts

COLUMNS = [
    "figure",
    "policy",
    "solver",
    "n",
    "d",
    "edges",
    "rounds",
    "seconds_per_round",
    "q25",
    "q75",
    "cpu_seconds_per_round",
    "peak_mb",
    "fits",
    "needs_gb",
]
SLOPE_COLUMNS = [
    "figure",
    "policy",
    "solver",
    "x",
    "x_low",
    "x_high",
    "points",
    "slope",
    "slope_low",
    "slope_high",
]


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
        Rows: ``points`` hold `COLUMNS` and the density asked for, without what was measured where
        a policy does not fit; ``slopes`` as `slopes` returns them; ``graphs`` and ``degrees`` say
        what each graph looks like.

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
    tables["slopes"] = slopes(figure, sweeps, tables["points"])
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
    """Write a problem, as `horde.stopwatch` reads it.

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
    """Run `horde.stopwatch.measure` in a process of its own, on one thread.

    Raises
    ------
    HordeError
        If it fails or is killed; holds its message.
    """
    rounds = settings["rounds"]
    limits = Limits(settings["observations"], rounds["fewest"], rounds["most"], settings["seconds"])
    request = json.dumps({"policy": policy, "settings": chosen, "limits": limits._asdict()})
    command = [sys.executable, "-m", "horde.stopwatch", str(path), request]
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


def slopes(figure: str, sweeps: list[dict], rows: list[dict]) -> list[dict]:
    """Fit the log-log growth of the seconds a round, for each sweep that varies one size.

    Parameters
    ----------
    figure : str
        Name of the figure.
    sweeps : list of dict
        Its sweeps.
    rows : list of dict
        Its ``points``, as `measure_figure` returns them.

    Returns
    -------
    list of dict
        Rows of `SLOPE_COLUMNS`: ``x``, the column that varies (n, d or edges), its range ``x_low``
        to ``x_high``, the number of ``points`` fitted, and the ``slope`` with its 95 % interval
        ``slope_low`` to ``slope_high`` (nan below three points). A series measured at fewer than
        two sizes has no row.
    """
    fitted = []
    for sweep in sweeps:
        sizes = {(place.n_users, place.density, place.n_features) for place in places(sweep)}
        inside = [row for row in rows if (row["n"], row["density"], row["d"]) in sizes]
        for policy, solvers in sweep["series"].items():
            for x, solver in product(_varied(sweep), solvers):
                series = [
                    row
                    for row in inside
                    if (row["policy"], row["solver"], row["fits"]) == (policy, solver, True)
                ]
                named = {"figure": figure, "policy": policy, "solver": solver, "x": x}
                fitted += [named | fit for fit in _fit(x, series)]
    return fitted


def _varied(sweep: dict) -> list[str]:
    """Return the column that a sweep varies; nothing where it varies none, or several."""
    keys = {"n": "users", "d": "features", "edges": "density"}
    varied = [column for column, key in keys.items() if len(sweep[key] or []) > 1]
    return varied if len(varied) == 1 else []


def _fit(x: str, series: list[dict]) -> list[dict]:
    sizes = [row[x] for row in series]
    if len(set(sizes)) < 2:
        return []
    slope = log_log_slope(sizes, [row["seconds_per_round"] for row in series])
    return [
        {
            "x_low": min(sizes),
            "x_high": max(sizes),
            "points": len(sizes),
            "slope": slope.value,
            "slope_low": slope.low,
            "slope_high": slope.high,
        }
    ]


def capacity(
    sweeps: dict[str, list[dict]],
    values: dict,
    n_rounds: int,
    gigabytes: float,
    features: int,
    degree: float,
) -> list[dict]:
    """Predict the largest number of users with which each measured series fits into memory.

    Parameters
    ----------
    sweeps : dict
        Figure name -> its sweeps.
    values : dict
        The configuration's ``paper_values``.
    n_rounds : int
        Observations made in a run.
    gigabytes : float
        Memory, in GB.
    features : int
        Number of features d.
    degree : float
        Mean number of neighbours.

    Returns
    -------
    list of dict
        ``policy``, ``solver``, ``gigabytes``, ``d``, ``degree``, ``users``.
    """
    size = Size(0, features, 0, n_rounds)
    fixed = {"gigabytes": gigabytes, "d": features, "degree": degree}
    return [
        {"policy": policy, "solver": solver, **fixed}
        | {
            "users": largest_users(
                policy, settings_of(policy, solver, values), size, degree, gigabytes * 1e9
            )
        }
        for policy, solver in series_of([sweep for listed in sweeps.values() for sweep in listed])
    ]
