"""Tables of Figure 1: measured points, growth rates, and the capacity of a given memory."""

from bisect import bisect_right
from dataclasses import replace
from itertools import product

import pandas as pd

from horde.policies.memory import Size
from horde.results.statistics import log_log_slope
from horde.timing.baselines import predicted_bytes
from horde.timing.sweeps import params_of, places, series_of

COLUMNS = [
    *("figure", "policy", "solver", "n", "d", "edges", "rounds"),
    *("seconds_per_round", "q25", "q75", "cpu_seconds_per_round", "peak_mb", "fits", "needs_gb"),
]
SLOPE_COLUMNS = [
    *("figure", "policy", "solver", "x", "x_low", "x_high", "points"),
    *("slope", "slope_low", "slope_high"),
]


def points_table(rows: list[dict]) -> pd.DataFrame:
    """Return the ``points`` of `horde.timing.scalability.measure_figure` as a table.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`. If a policy does not fit (``fits``), ``rounds`` is 0 and measured values
        are NaN. Times are in seconds, ``peak_mb`` in MB, and the prediction ``needs_gb`` in GB.
    """
    return pd.DataFrame(rows).reindex(columns=COLUMNS)


def slopes_table(figure: str, sweeps: list[dict], rows: list[dict]) -> pd.DataFrame:
    """Fit the log-log growth of the seconds per round, for each sweep that varies one size.

    Parameters
    ----------
    figure : str
        Name of the figure.
    sweeps : list of dict
        Its sweeps.
    rows : list of dict
        Its ``points``, as `horde.timing.scalability.measure_figure` returns them.

    Returns
    -------
    DataFrame
        Columns `SLOPE_COLUMNS`: ``x``, the column that varies (n, d or edges), its range ``x_low``
        to ``x_high``, the number of ``points`` fitted, and the ``slope`` with its 95 % interval
        ``slope_low`` to ``slope_high`` (NaN below three points). A series measured at fewer than
        two sizes has no row.
    """
    fitted = []
    for sweep in sweeps:
        at = set(places(sweep))
        inside = [row for row in rows if row["fits"] and (row["n"], row["density"], row["d"]) in at]
        for x, (policy, solver) in product(_varied(sweep), series_of([sweep])):
            series = [row for row in inside if (row["policy"], row["solver"]) == (policy, solver)]
            sizes = [row[x] for row in series]
            if len(set(sizes)) > 1:
                slope = log_log_slope(sizes, [row["seconds_per_round"] for row in series])
                extent = (min(sizes), max(sizes), len(sizes))
                fitted.append((figure, policy, solver, x, *extent, *slope))
    return pd.DataFrame(fitted, columns=SLOPE_COLUMNS)


def _varied(sweep: dict) -> list[str]:
    """Return the one column that a sweep varies; empty if it varies none or several."""
    keys = {"n": "users", "d": "features", "edges": "density"}
    varied = [column for column, key in keys.items() if len(sweep[key] or []) > 1]
    return varied if len(varied) == 1 else []


def capacity_table(
    sweeps: list[dict],
    values: dict,
    n_rounds: int,
    gigabytes: float,
    features: int,
    degree: float,
) -> pd.DataFrame:
    """Predict the largest number of users for which each series fits into memory.

    Parameters
    ----------
    sweeps : list of dict
        All sweeps.
    values : dict
        The configuration's ``paper_values``.
    n_rounds : int
        Number of observations of a run.
    gigabytes : float
        Memory, in GB.
    features : int
        Number of features d.
    degree : float
        Mean number of neighbours.

    Returns
    -------
    DataFrame
        Columns ``policy``, ``solver``, ``gigabytes``, ``d``, ``degree``, ``users``.
    """
    size, budget = Size(0, features, 0, n_rounds), gigabytes * 1e9
    series = series_of(sweeps)
    table = pd.DataFrame(series, columns=["policy", "solver"])
    return table.assign(
        gigabytes=gigabytes,
        d=features,
        degree=degree,
        users=[
            largest_users(policy, params_of(policy, solver, values), size, degree, budget)
            for policy, solver in series
        ],
    )


def largest_users(policy: str, params: dict, size: Size, degree: float, budget: float) -> int:
    """Return the largest number of users for which a policy is predicted to fit.

    Parameters
    ----------
    policy, params
        As `predicted_bytes`.
    size : Size
        Size with d and the number of rounds.
    degree : float
        Mean number of neighbours, so edges grow linearly in users.
    budget : float
        Memory in bytes.

    Returns
    -------
    int
        Number of users, in [0, 2^40).
    """

    def needed(n_users: int) -> int:
        tried = replace(size, n_users=n_users, n_edges=round(degree * n_users / 2))
        return predicted_bytes(policy, params, tried)

    return bisect_right(range(1, 1 << 40), budget, key=needed)
