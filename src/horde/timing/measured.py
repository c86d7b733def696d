"""Tables of what was measured for Figure 1: points, and how fast they grow."""

from itertools import product

import pandas as pd

from horde.results.statistics import log_log_slope
from horde.timing.sweeps import places

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


def points_table(rows: list[dict]) -> pd.DataFrame:
    """Return the ``points`` of `horde.timing.scalability.measure_figure` as a table.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`; where a policy does not fit (``fits``), ``rounds`` is 0 and what would
        have been measured is NaN. Times are in seconds, ``peak_mb`` is in MB, ``needs_gb``, the
        prediction, in GB.
    """
    return pd.DataFrame(rows).reindex(columns=COLUMNS)


def slopes_table(figure: str, sweeps: list[dict], rows: list[dict]) -> pd.DataFrame:
    """Fit the log-log growth of the seconds a round, for each sweep that varies one size.

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
    return pd.DataFrame(fitted, columns=SLOPE_COLUMNS)


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
