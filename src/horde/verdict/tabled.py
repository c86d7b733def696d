"""Rules on tables: ratios and slopes of measured times, bounds on a column, the best setting."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from horde.errors import DataError
from horde.results.statistics import Interval, log_log_slope
from horde.verdict.outcomes import (
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    NotRun,
    Part,
    hold_against,
)

_SIZE = ["n", "d", "edges"]
_SECONDS = "seconds_per_round"
_QUARTILES = ["q25", "q75"]


def judge(kind: str, spec: dict[str, Any], tables: Mapping[str, pd.DataFrame]) -> list[Part]:
    """Judge one rule on a table.

    Parameters
    ----------
    kind : str
        ``factor``, ``slope``, ``bound`` or ``minimiser``.
    spec : dict
        Its settings, without lists.
    tables : mapping of str to DataFrame
        Tables by name.

    Returns
    -------
    list of Part
        One for each size or row that is judged.

    Raises
    ------
    NotRun
        If the table or the rows to judge are missing; names them.
    """
    if spec["table"] not in tables:
        raise NotRun(f"table {spec['table']} is missing")
    return _JUDGES[kind](spec, _selected(tables[spec["table"]], spec))


def selected_by(kind: str, spec: dict[str, Any], table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that a rule looks at.

    Raises
    ------
    NotRun
        If a column that it selects by is missing.
    """
    if kind == "minimiser":
        return _selected(table, {"where": {key: spec[key] for key in ("dataset", "policy")}})
    rows = _selected(table, spec)
    sides = [_selected(rows, {"where": spec[key]}) for key in ("a", "b") if key in spec]
    return pd.concat(sides).sort_index() if sides else rows


def _selected(table: pd.DataFrame, spec: dict[str, Any]) -> pd.DataFrame:
    """Keep the rows that `where` and `range` ask for."""
    chosen = np.ones(len(table), dtype=bool)
    for column, value in spec.get("where", {}).items():
        chosen &= (_column(table, column) == value).to_numpy()
    for column, (low, high) in spec.get("range", {}).items():
        chosen &= _column(table, column).between(low, high).to_numpy()
    return table[chosen]


def _column(table: pd.DataFrame, name: str) -> pd.Series:
    if name not in table:
        raise NotRun(f"column {name} is missing")
    return table[name]


def _bounds(spec: dict[str, Any]) -> dict[str, float]:
    return {key: spec[key] for key in ("at_least", "at_most") if key in spec}


# Ratios of times


def _factor(spec: dict[str, Any], table: pd.DataFrame) -> list[Part]:
    text = f"seconds of {_row_name(spec['a'])} over {_row_name(spec['b'])}"
    if spec["at"] == "all":
        a, b = _rows(table, spec["a"], spec), _rows(table, spec["b"], spec)
        text += f", medians of {len(a)} and {len(b)} rows"
        return [hold_against(text, _ratio(_over_rows(a), _over_rows(b)), **_bounds(spec))]
    pairs = _matched(table, spec)
    if spec["at"] == "growth":
        text += f", growth from {spec['x']} = {pairs[0][0]:g} to {pairs[-1][0]:g}"
        if pairs[0][0] == pairs[-1][0]:
            raise NotRun(f"{text}: only one size")
        return [hold_against(text, _ratio(pairs[-1][1], pairs[0][1]), **_bounds(spec))]
    judged = pairs[-1:] if spec["at"] == "largest" else pairs
    return [
        hold_against(f"{text} at {spec['x']} = {x:g}", ratio, **_bounds(spec))
        for x, ratio in judged
    ]


def _matched(table: pd.DataFrame, spec: dict[str, Any]) -> list[tuple[float, Interval]]:
    """Return (x, seconds of a over seconds of b) at every size that both have, x ascending."""
    a, b = _rows(table, spec["a"], spec), _rows(table, spec["b"], spec)
    both = a.merge(b, on=_SIZE, suffixes=("_a", "_b"))
    if both.empty:
        raise NotRun(
            f"{_row_name(spec['a'])} and {_row_name(spec['b'])} have no size in common"
            f"{_needed(spec)}"
        )
    ratios = [
        (float(row[spec["x"]]), _ratio(_seconds(row, "_a"), _seconds(row, "_b")))
        for _, row in both.iterrows()
    ]
    return sorted(ratios, key=lambda pair: pair[0])


def _ratio(a: Interval, b: Interval) -> Interval:
    return Interval(a.value / b.value, a.low / b.high, a.high / b.low)


def _seconds(row: pd.Series, suffix: str = "") -> Interval:
    return Interval(*(row[f"{name}{suffix}"] for name in (_SECONDS, *_QUARTILES)))


def _over_rows(rows: pd.DataFrame) -> Interval:
    if len(rows) < 2:  # one row says nothing of how much rows differ
        return Interval(float(rows[_SECONDS].iloc[0]), np.nan, np.nan)
    low, median, high = np.quantile(rows[_SECONDS], [0.25, 0.5, 0.75])
    return Interval(float(median), float(low), float(high))


def _rows(table: pd.DataFrame, side: dict[str, Any], spec: dict[str, Any]) -> pd.DataFrame:
    """Return the measured rows of one policy and solver."""
    rows = _selected(table, {"where": side})
    rows = rows[rows[_SECONDS].notna()]
    if rows.empty:
        raise NotRun(f"{_row_name(side)} was not measured{_needed(spec)}")
    return rows


def _needed(spec: dict[str, Any]) -> str:
    """Say which rows a rule asks for."""
    told = [f"{column} = {value}" for column, value in spec.get("where", {}).items()]
    told += [f"{x} from {low:,} to {high:,}" for x, (low, high) in spec.get("range", {}).items()]
    return f" with {', '.join(told)}" if told else ""


def _row_name(side: dict[str, Any]) -> str:
    how = [side[column] for column in ("solver", "variant") if column in side]
    return side["policy"] + (f" ({', '.join(how)})" if how else "")


# Growth of times


def _slope(spec: dict[str, Any], table: pd.DataFrame) -> list[Part]:
    name = _row_name(spec["a"])
    if "b" in spec:
        x, ratios = zip(*_matched(table, spec), strict=True)
        y = [ratio.value for ratio in ratios]
        name += f" over {_row_name(spec['b'])}"
    else:
        rows = _rows(table, spec["a"], spec)
        x, y = _abscissa(rows, spec["x"]), rows[_SECONDS]
    text = f"log-log slope of seconds of {name} on {spec['x']}, {len(y)} sizes"
    try:
        return [hold_against(text, log_log_slope(x, y), **_bounds(spec))]
    except DataError as error:
        raise NotRun(f"{text}: {error}") from error


def _abscissa(rows: pd.DataFrame, x: str) -> pd.Series:
    """Return a column, or n d^2 + d nnz(L), the cost of one CG iteration (Section 3.3)."""
    if x != "work":
        return rows[x]
    n, d, edges = (rows[name].astype(float) for name in _SIZE)
    return n * d**2 + d * (n + 2 * edges)


# Bounds on a column


def _bound(spec: dict[str, Any], table: pd.DataFrame) -> list[Part]:
    if table.empty:
        raise NotRun(f"table {spec['table']} has no row{_needed(spec)}")
    return [_bound_row(spec, row) for _, row in table.iterrows()]


def _bound_row(spec: dict[str, Any], row: pd.Series) -> Part:
    column = spec["column"]
    text = f"{column} of {_labels(row)}"
    if column == _SECONDS and not row.get("fits", True):
        return Part(NOT_REPRODUCED, f"{text} (does not fit)")
    value = float(row[column]) if column in row else np.nan
    if np.isnan(value):
        raise NotRun(f"{text} is missing")
    if column == _SECONDS and set(_QUARTILES) <= set(row.index):
        return hold_against(text, _seconds(row), **_bounds(spec))
    exact = hold_against(text, Interval(value, value, value), **_bounds(spec))
    return Part(exact.outcome, text, Interval(value, np.nan, np.nan), exact.room)


def _labels(row: pd.Series) -> str:
    """Name a row by its texts and sizes."""
    return ", ".join(
        str(value) if isinstance(value, str) else f"{name} = {value:g}"
        for name, value in row.items()
        if isinstance(value, str) or name in _SIZE
    )


# The best setting


def _minimiser(spec: dict[str, Any], table: pd.DataFrame) -> list[Part]:
    rows = selected_by("minimiser", spec, table)
    text = f"best {spec['column']} of {spec['policy']} on {spec['dataset']}"
    if rows.empty:
        raise NotRun(f"{text}: was not tuned")
    best_scores = rows.groupby(spec["column"], sort=True)[spec["score"]].min()
    values = best_scores.index.to_numpy(dtype=float)
    expected = np.flatnonzero(np.isclose(values, spec["expected"], rtol=1e-9))
    if len(expected) == 0:
        raise NotRun(f"{text}: {spec['expected']:g} was not tried")
    best = float(best_scores.idxmin())
    excess = float(best_scores.iloc[expected[0]] - best_scores.min())
    text += f" ({spec['score']} at {spec['expected']:g} higher by {excess:.4f})"
    if excess == 0:
        outcome = REPRODUCED
    else:
        outcome = NOT_REPRODUCED if excess > spec["margin"] else INCONCLUSIVE
    return [Part(outcome, text, Interval(best, np.nan, np.nan), -excess)]


_JUDGES = {"factor": _factor, "slope": _slope, "bound": _bound, "minimiser": _minimiser}
