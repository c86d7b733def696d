"""The rules: one function for each kind that `workflow/claims.yaml` names.

Rules on regret compare runs seed by seed. Rules on tables read measured times and other tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from horde.errors import DataError
from horde.results.statistics import UNKNOWN, Interval, log_log_slope, t_interval
from horde.verdict.claims import Rule, Side

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
INCONCLUSIVE = "inconclusive"
NOT_RUN = "not run"

# A claim has the first of these outcomes that any of its parts has. So one failed part decides,
# even if others are missing.
_ORDER = (NOT_REPRODUCED, NOT_RUN, INCONCLUSIVE, REPRODUCED)

_RUN = ["dataset", "policy", "variant", "seed"]
_SIZE = ["n", "d", "edges"]
_SECONDS = "seconds_per_round"
_QUARTILES = ["q25", "q75"]

# The curve of each (dataset, policy, variant, seed), rounds ascending.
Curves = Mapping[tuple[str, str, str, int], pd.DataFrame]


class NotRun(Exception):  # noqa: N818
    """An input of a rule is missing; the message names it."""


@dataclass(frozen=True)
class Part:
    """The outcome of one rule.

    Attributes
    ----------
    outcome : str
        `REPRODUCED`, `NOT_REPRODUCED`, `INCONCLUSIVE` or `NOT_RUN`.
    text : str
        Description of the comparison.
    interval : Interval
        The statistic; NaN if unknown.
    room : float
        Distance of the interval from the bound, negative beyond it. The part with the smallest
        room decides a claim.
    margin : float
        The same distance of the value instead of its interval: above 0, the point estimate meets
        the rule.
    """

    outcome: str
    text: str
    interval: Interval = UNKNOWN
    room: float = -np.inf
    margin: float = -np.inf

    def describe(self) -> str:
        """Return one line: the comparison, its number and interval, the outcome."""
        number = f" = {self.interval}" if str(self.interval) else ""
        return f"{self.text}{number}: {self.outcome}"


def hold_against(
    text: str,
    interval: Interval,
    at_least: float = -np.inf,
    at_most: float = np.inf,
    strict: bool = False,
) -> Part:
    """Judge an interval by bounds.

    Parameters
    ----------
    text : str
        Description of the interval.
    interval : Interval
        With NaN ends the outcome is inconclusive.
    at_least, at_most : float
        Reproduced if the whole interval lies between them, not reproduced if no part of it does,
        else inconclusive.
    strict : bool
        Whether an interval that touches a bound counts as outside.
    """
    value, low, high = interval
    room, margin = min(low - at_least, at_most - high), min(value - at_least, at_most - value)
    if np.isnan(room):
        return Part(INCONCLUSIVE, text, interval, margin=margin)
    if room > 0 or (room == 0 and not strict):
        return Part(REPRODUCED, text, interval, room, margin)
    outcome = NOT_REPRODUCED if high < at_least or low > at_most else INCONCLUSIVE
    return Part(outcome, text, interval, room, margin)


def deciding(parts: Sequence[Part]) -> Part:
    """Return the part that decides "all of these": the smallest room among the deciding outcome."""
    return min(parts, key=lambda part: (_ORDER.index(part.outcome), part.room))


# Rules on regret


def judge_regret(rule: Rule, curves: Curves, seeds: Sequence[int]) -> Part:
    """Judge one rule on regret.

    Parameters
    ----------
    rule : Rule
        ``less``, ``equivalent``, ``similar_or_less`` or ``growth``.
    curves : Curves
        As `curves_by_run` returns them.
    seeds : sequence of int
        Seeds that judge the rule.

    Raises
    ------
    NotRun
        If a run is missing or its regret cannot be used; names it.
    """
    if rule.kind == "growth":
        return growth(rule, curves, seeds)
    statistic = rule.spec.get("statistic", "ratio")
    a, b = rule.sides
    values = [
        np.array([_sum_over(side, _curve(side, curves, seed), statistic) for seed in seeds])
        for side in (a, b)
    ]
    text = f"{statistic} of {a} minus {b}, {len(seeds)} seeds"
    return _ON_DIFFERENCES[rule.kind](text, values[0] - values[1], rule.spec)


def less(text: str, differences: np.ndarray, spec: dict[str, Any]) -> Part:
    """Reproduced if the 95 % t-interval of a - b lies below 0."""
    return hold_against(text, t_interval(differences, 0.95), at_most=0.0, strict=True)


def equivalent(text: str, differences: np.ndarray, spec: dict[str, Any]) -> Part:
    """Reproduced if the 90 % t-interval of a - b lies within the margin."""
    margin = spec["margin"]
    return hold_against(text, t_interval(differences, 0.90), -margin, margin)


def similar_or_less(text: str, differences: np.ndarray, spec: dict[str, Any]) -> Part:
    """Reproduced if `equivalent` or `less` is; not reproduced if neither can be."""
    parts = [equivalent(text, differences, spec), less(text, differences, spec)]
    order = REPRODUCED, INCONCLUSIVE, NOT_REPRODUCED
    best = min(parts, key=lambda part: order.index(part.outcome))
    return replace(best, margin=max(part.margin for part in parts))


def growth(rule: Rule, curves: Curves, seeds: Sequence[int]) -> Part:
    """Reproduced if the 95 % t-interval of the slopes of log regret on log round meets the bound.

    Each seed gives one slope.
    """
    (side,) = rule.sides
    slopes = []
    for curve in [_curve(side, curves, seed) for seed in seeds]:
        rounds = curve["round"].iloc[-1] * np.array(side.shares)
        try:
            slopes.append(log_log_slope(rounds, _up_to(rounds, curve, "regret")).value)
        except DataError as error:
            raise NotRun(f"{side}: {error}") from error
    text = f"log-log slope of the regret of {side} on rounds, {len(seeds)} seeds"
    return hold_against(text, t_interval(slopes, 0.95), at_most=rule.spec["at_most"])


_ON_DIFFERENCES = {"less": less, "equivalent": equivalent, "similar_or_less": similar_or_less}


def curves_by_run(runs: pd.DataFrame) -> Curves:
    """Split a table with columns `horde.results.tables.RUN_COLUMNS` into its runs."""
    return {key: curve.sort_values("round") for key, curve in runs.groupby(_RUN)}


def _curve(side: Side, curves: Curves, seed: int) -> pd.DataFrame:
    if (*side.runs, seed) not in curves:
        raise NotRun(f"{side}, seed {seed}, is missing")
    return curves[*side.runs, seed]


def _sum_over(side: Side, curve: pd.DataFrame, statistic: str) -> float:
    """Return the regret over a side's part of the run, or its ratio to random regret."""
    rounds = curve["round"].iloc[-1] * np.array(side.shares, dtype=float)
    regret, random_regret = (
        float(np.diff(_up_to(rounds, curve, column))[0]) for column in ("regret", "random_regret")
    )
    if statistic == "regret":
        return regret
    if random_regret <= 0:
        raise NotRun(f"{side}: the random policy has no regret there")
    return regret / random_regret


def _up_to(rounds: np.ndarray, curve: pd.DataFrame, column: str) -> np.ndarray:
    """Return a cumulative sum at `rounds`, interpolated between checkpoints, 0 at round 0."""
    known = np.concatenate([[0.0], curve["round"]])
    return np.interp(rounds, known, np.concatenate([[0.0], curve[column]]))


# Rules on tables


def judge_table(rule: Rule, tables: Mapping[str, pd.DataFrame]) -> list[Part]:
    """Judge one rule on a table.

    Parameters
    ----------
    rule : Rule
        ``factor``, ``slope``, ``bound`` or ``minimiser``.
    tables : mapping of str to DataFrame
        Tables by name.

    Returns
    -------
    list of Part
        One for each judged size or row.

    Raises
    ------
    NotRun
        If the table or the rows to judge are missing; names them.
    """
    spec = rule.spec
    if spec["table"] not in tables:
        raise NotRun(f"table {spec['table']} is missing")
    return _ON_TABLES[rule.kind](spec, _where(tables[spec["table"]], spec))


def rows_of(rule: Rule, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that a rule reads from its table.

    Raises
    ------
    NotRun
        If a column for the selection is missing.
    """
    rows = _where(table, rule.spec)
    sides = [_where(rows, {"where": rule.spec[key]}) for key in ("a", "b") if key in rule.spec]
    return pd.concat(sides).sort_index() if sides else rows


def _where(table: pd.DataFrame, spec: dict[str, Any]) -> pd.DataFrame:
    """Select rows by `where` and `range`, or by the dataset and policy of a rule."""
    values = {key: spec[key] for key in ("dataset", "policy") if key in spec}
    values |= spec.get("where", {})
    ranges = spec.get("range", {})
    for column in (*values, *ranges):
        if column not in table:
            raise NotRun(f"column {column} is missing")
    chosen = np.ones(len(table), dtype=bool)
    for column, value in values.items():
        chosen &= (table[column] == value).to_numpy()
    for column, (low, high) in ranges.items():
        chosen &= table[column].between(low, high).to_numpy()
    return table[chosen]


def factor(spec: dict[str, Any], table: pd.DataFrame) -> list[Part]:
    """Reproduced if the quartile range of a's seconds over b's meets the bound."""
    a, b = _measured(table, spec, "a"), _measured(table, spec, "b")
    text = f"seconds of {_row_name(spec['a'])} over {_row_name(spec['b'])}"
    if spec["at"] == "all":
        text += f", medians of {len(a)} and {len(b)} rows"
        return [hold_against(text, _ratio(_over_rows(a), _over_rows(b)), **_bounds(spec))]
    pairs = _matched(a, b, spec)
    (smallest, first), (largest, last) = pairs[0], pairs[-1]
    if spec["at"] == "growth":
        text += f", growth from {spec['x']} = {smallest:g} to {largest:g}"
        if smallest == largest:
            raise NotRun(f"{text}: only one size")
        return [hold_against(text, _ratio(last, first), **_bounds(spec))]
    judged = pairs[-1:] if spec["at"] == "largest" else pairs
    return [
        hold_against(f"{text} at {spec['x']} = {x:g}", ratio, **_bounds(spec))
        for x, ratio in judged
    ]


def slope(spec: dict[str, Any], table: pd.DataFrame) -> list[Part]:
    """Reproduced if the 95 % interval of the log-log slope of seconds on x meets the bound."""
    rows, name = _measured(table, spec, "a"), _row_name(spec["a"])
    if "b" in spec:
        pairs = _matched(rows, _measured(table, spec, "b"), spec)
        x, y = [x for x, _ in pairs], [ratio.value for _, ratio in pairs]
        name += f" over {_row_name(spec['b'])}"
    else:
        x, y = _abscissa(rows, spec["x"]), rows[_SECONDS]
    text = f"log-log slope of seconds of {name} on {spec['x']}, {len(y)} sizes"
    try:
        return [hold_against(text, log_log_slope(x, y), **_bounds(spec))]
    except DataError as error:
        raise NotRun(f"{text}: {error}") from error


def bound(spec: dict[str, Any], table: pd.DataFrame) -> list[Part]:
    """Reproduced if the column of every selected row meets the bound."""
    if table.empty:
        raise NotRun(f"table {spec['table']} has no row{_asked(spec)}")
    return [_bound_row(spec, row) for _, row in table.iterrows()]


def _bound_row(spec: dict[str, Any], row: pd.Series) -> Part:
    column = spec["column"]
    labels = (
        str(value) if isinstance(value, str) else f"{name} = {value:g}"
        for name, value in row.items()
        if isinstance(value, str) or name in _SIZE
    )
    text = f"{column} of {', '.join(labels)}"
    if column == _SECONDS and not row.get("fits", True):
        return Part(NOT_REPRODUCED, f"{text} (does not fit)")
    value = float(row[column]) if column in row else np.nan
    if np.isnan(value):
        raise NotRun(f"{text} is missing")
    if column == _SECONDS and set(_QUARTILES) <= set(row.index):
        return hold_against(text, _seconds(row), **_bounds(spec))
    exact = hold_against(text, Interval(value, value, value), **_bounds(spec))
    return Part(exact.outcome, text, Interval(value, np.nan, np.nan), exact.room)


def minimiser(spec: dict[str, Any], rows: pd.DataFrame) -> list[Part]:
    """Reproduced if the lowest score is at the expected value of the column.

    All other hyper-parameters have their best values.
    """
    text = f"best {spec['column']} of {spec['policy']} on {spec['dataset']}"
    if rows.empty:
        raise NotRun(f"{text}: was not tuned")
    best_scores = rows.groupby(spec["column"], sort=True)[spec["score"]].min()
    values = best_scores.index.to_numpy(dtype=float)
    expected = np.flatnonzero(np.isclose(values, spec["expected"], rtol=1e-9))
    if len(expected) == 0:
        raise NotRun(f"{text}: {spec['expected']:g} was not tried")
    excess = float(best_scores.iloc[expected[0]] - best_scores.min())
    text += f" ({spec['score']} at {spec['expected']:g} higher by {excess:.4f})"
    if excess == 0:
        outcome = REPRODUCED
    else:
        outcome = NOT_REPRODUCED if excess > spec["margin"] else INCONCLUSIVE
    return [Part(outcome, text, Interval(float(best_scores.idxmin()), np.nan, np.nan), -excess)]


_ON_TABLES = {"factor": factor, "slope": slope, "bound": bound, "minimiser": minimiser}


def _bounds(spec: dict[str, Any]) -> dict[str, float]:
    return {key: spec[key] for key in ("at_least", "at_most") if key in spec}


def _measured(table: pd.DataFrame, spec: dict[str, Any], key: str) -> pd.DataFrame:
    """Return the measured rows of one side's policy and solver."""
    rows = _where(table, {"where": spec[key]})
    rows = rows[rows[_SECONDS].notna()]
    if rows.empty:
        raise NotRun(f"{_row_name(spec[key])} was not measured{_asked(spec)}")
    return rows


def _matched(
    a: pd.DataFrame, b: pd.DataFrame, spec: dict[str, Any]
) -> list[tuple[float, Interval]]:
    """Return (x, seconds of a over seconds of b) at each common size, x ascending."""
    both = a.merge(b, on=_SIZE, suffixes=("_a", "_b"))
    if both.empty:
        raise NotRun(
            f"{_row_name(spec['a'])} and {_row_name(spec['b'])} have no size in common"
            f"{_asked(spec)}"
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
    if len(rows) < 2:  # a single row gives no interval
        return Interval(float(rows[_SECONDS].iloc[0]), np.nan, np.nan)
    low, median, high = np.quantile(rows[_SECONDS], [0.25, 0.5, 0.75])
    return Interval(float(median), float(low), float(high))


def _abscissa(rows: pd.DataFrame, x: str) -> pd.Series:
    """Return a column, or n d^2 + d nnz(L), the cost of one CG iteration (Section 3.3)."""
    if x != "work":
        return rows[x]
    n, d, edges = (rows[name].astype(float) for name in _SIZE)
    return n * d**2 + d * (n + 2 * edges)


def _asked(spec: dict[str, Any]) -> str:
    """Return a description of the rows that a rule selects."""
    asked = [f"{column} = {value}" for column, value in spec.get("where", {}).items()]
    asked += [f"{x} from {low:,} to {high:,}" for x, (low, high) in spec.get("range", {}).items()]
    return f" with {', '.join(asked)}" if asked else ""


def _row_name(side: dict[str, Any]) -> str:
    how = [side[column] for column in ("solver", "variant") if column in side]
    return side["policy"] + (f" ({', '.join(how)})" if how else "")
