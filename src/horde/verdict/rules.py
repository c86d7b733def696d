"""The rules: one function for each kind that `workflow/claims.yaml` names.

Rules on regret compare runs seed by seed. Rules on tables read measured times and other tables.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from horde.errors import DataError
from horde.results.statistics import UNKNOWN, Interval, log_log_kink, log_log_slope, t_interval
from horde.results.tables import STREAM
from horde.verdict import words
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
    bounds : tuple of float
        What the rule asks of the interval: at least, at most.
    says : str
        The comparison, its number and what the rule asks, in words for readers of the paper.
    factor : bool
        Whether the number is a ratio of measured times.
    level : int
        Level of the interval of a difference, in percent.
    """

    outcome: str
    text: str
    interval: Interval = UNKNOWN
    room: float = -np.inf
    margin: float = -np.inf
    bounds: tuple[float, float] = (-np.inf, np.inf)
    says: str = ""
    factor: bool = False
    level: int = 95

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
        outcome, room = INCONCLUSIVE, -np.inf
    elif room > 0 or (room == 0 and not strict):
        outcome = REPRODUCED
    else:
        outcome = NOT_REPRODUCED if high < at_least or low > at_most else INCONCLUSIVE
    return Part(outcome, text, interval, room, margin, (at_least, at_most))


def deciding(parts: Sequence[Part]) -> Part:
    """Return the part that decides "all of these": the smallest room among the deciding outcome."""
    return min(parts, key=lambda part: (_ORDER.index(part.outcome), part.room))


# Rules on regret


def judge_regret(rule: Rule, curves: Curves, seeds: Sequence[int]) -> Part:
    """Judge one rule on regret.

    Parameters
    ----------
    rule : Rule
        ``less``, ``equivalent``, ``similar_or_less``, ``no_worse`` or ``growth``.
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
    part = _ON_DIFFERENCES[rule.kind](text, values[0] - values[1], rule.spec)
    says = f"{_sides_in_words(a, b, statistic)}: {_difference_in_words(rule, part)}."
    if share := rule.spec.get("explores"):
        cost = share * (1 - float(values[1].mean()))
        says += (
            f" Exploring in {100 * share:g} % of the rounds costs "
            f"{share:g} (1 {words.MINUS} ratio) = {cost:.3f} by itself."
        )
    return replace(part, says=says)


def _sides_in_words(a: Side, b: Side, statistic: str) -> str:
    names = [words.run(side.runs.policy, side.runs.variant) for side in (a, b)]
    parts = [words.part_of_run(side.shares) for side in (a, b)]
    places = [words.dataset(side.runs.dataset) for side in (a, b)]
    what = statistic
    if parts[0] == parts[1]:
        what = f"final {statistic}" if parts[0] == "final" else f"{statistic} in {parts[0]}"
    else:
        names = [f"{name} in {part}" for name, part in zip(names, parts, strict=True)]
    if places[0] == places[1]:
        what += f", {places[0]}"
    else:
        names = [f"{name} on {place}" for name, place in zip(names, places, strict=True)]
    return f"{names[0]} against {names[1]} ({what})"


def _difference_in_words(rule: Rule, part: Part) -> str:
    asked = {
        "less": "a difference below 0",
        "equivalent": "a difference of at most {margin:g}",
        "similar_or_less": "a difference below 0, or of at most {margin:g}",
        "no_worse": "at most {margin:g} higher",
    }[rule.kind].format(**rule.spec)
    return f"{words.difference(part.interval, part.level)}; the rule asks for {asked}"


def less(text: str, differences: np.ndarray, spec: dict[str, Any]) -> Part:
    """Reproduced if the 95 % t-interval of a - b lies below 0."""
    return hold_against(text, t_interval(differences, 0.95), at_most=0.0, strict=True)


def equivalent(text: str, differences: np.ndarray, spec: dict[str, Any]) -> Part:
    """Reproduced if the 90 % t-interval of a - b lies within the margin."""
    margin = spec["margin"]
    part = hold_against(text, t_interval(differences, 0.90), -margin, margin)
    return replace(part, level=90)


def similar_or_less(text: str, differences: np.ndarray, spec: dict[str, Any]) -> Part:
    """Reproduced if `equivalent` or `less` is; not reproduced if neither can be."""
    parts = [equivalent(text, differences, spec), less(text, differences, spec)]
    order = REPRODUCED, INCONCLUSIVE, NOT_REPRODUCED
    best = min(parts, key=lambda part: order.index(part.outcome))
    return replace(best, margin=max(part.margin for part in parts))


def no_worse(text: str, differences: np.ndarray, spec: dict[str, Any]) -> Part:
    """Reproduced if the upper end of the 90 % t-interval of a - b is below the margin."""
    interval = t_interval(differences, 0.90)
    return replace(hold_against(text, interval, at_most=spec["margin"], strict=True), level=90)


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
    part = hold_against(text, t_interval(slopes, 0.95), at_most=rule.spec["at_most"])
    name = words.run(side.runs.policy, side.runs.variant)
    said = f"The regret of {name} grows as a power of the rounds: exponent"
    return _with_words(part, f"{said} {{number}}", "", "95 % interval")


_ON_DIFFERENCES = {
    "less": less,
    "equivalent": equivalent,
    "similar_or_less": similar_or_less,
    "no_worse": no_worse,
}


def _with_words(part: Part, said: str, unit: str, range_name: str, factor: bool = False) -> Part:
    """Add words to a part; ``{number}`` in them is its number with unit and range."""
    shown = words.measured(part.interval, unit, range_name)
    asked = words.bounds(*part.bounds, unit)
    says = f"{said.format(number=shown)}; the rule asks for {asked}."
    return replace(part, says=says, factor=factor)


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
        return [_times(spec, text, _ratio(_over_rows(a), _over_rows(b)))]
    pairs = _matched(a, b, spec)
    (smallest, first), (largest, last) = pairs[0], pairs[-1]
    if spec["at"] == "growth":
        text += f", growth from {spec['x']} = {smallest:g} to {largest:g}"
        if smallest == largest:
            raise NotRun(f"{text}: only one size")
        between = f"from {words.size(spec['x'], smallest)} to {largest:,g}"
        return [_times(spec, text, _ratio(last, first), f"; this grows {between} by")]
    judged = pairs[-1:] if spec["at"] == "largest" else pairs
    parts = [
        _times(spec, f"{text} at {spec['x']} = {x:g}", ratio, f" at {words.size(spec['x'], x)}:")
        for x, ratio in judged
    ]
    if spec["at"] == "every" and (unmatched := _unmatched(table, spec, pairs)):
        missing = ", ".join(words.size(spec["x"], x) for x in unmatched)
        parts = [replace(part, says=f"{part.says} Not measured: {missing}.") for part in parts]
    return parts


def _times(spec: dict[str, Any], text: str, ratio: Interval, where: str = ":") -> Part:
    """Judge a ratio of times."""
    said = f"Time of {words.row(spec['a'])} over {words.row(spec['b'])}{where} {{number}}"
    part = hold_against(text, ratio, **_bounds(spec))
    return _with_words(part, said, "\u00d7", "quartiles", factor=True)


def slope(spec: dict[str, Any], table: pd.DataFrame) -> list[Part]:
    """Reproduced if the 95 % interval of the log-log slope of seconds on x meets the bound."""
    rows, name = _measured(table, spec, "a"), _row_name(spec["a"])
    if "b" in spec:
        pairs = _matched(rows, _measured(table, spec, "b"), spec)
        x, y = [x for x, _ in pairs], [ratio.value for _, ratio in pairs]
        name += f" over {_row_name(spec['b'])}"
        over = f" over that of {words.row(spec['b'])}"
    else:
        over = ""
        x, y = _abscissa(rows, spec["x"]), rows[_SECONDS]
    text = f"log-log slope of seconds of {name} on {spec['x']}, {len(y)} sizes"
    said = f"Time of {words.row(spec['a'])}{over} as a power of {words.growth_of(spec['x'])}"
    try:
        if spec.get("kink"):
            return _around_kink(spec, text, said, rows.assign(x=x).sort_values("x"))
        return [_exponent(spec, text, said, x, y)]
    except DataError as error:
        raise NotRun(f"{text}: {error}") from error


def _around_kink(spec: dict[str, Any], text: str, said: str, rows: pd.DataFrame) -> list[Part]:
    """Judge the slopes before and after the kink, which is told by the memory needed there."""
    before = log_log_kink(rows["x"], rows[_SECONDS])
    memory = words.number(rows["needs_gb"].iloc[before - 1])
    sides = {"up to": rows.iloc[:before], "above": rows.iloc[before:]}
    return [
        _exponent(
            spec,
            f"{text}, where {where} {memory} GB are needed",
            f"{said}, {len(side)} sizes that need {where} {memory} GB",
            side["x"],
            side[_SECONDS],
        )
        for where, side in sides.items()
    ]


def _exponent(
    spec: dict[str, Any], text: str, said: str, x: Sequence[float], y: Sequence[float]
) -> Part:
    part = hold_against(text, log_log_slope(x, y), **_bounds(spec))
    return _with_words(part, f"{said}: exponent {{number}}", "", "95 % interval")


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
    said, unit = _bound_in_words(spec, row)
    if column == _SECONDS and set(_QUARTILES) <= set(row.index):
        part = hold_against(text, _seconds(row), **_bounds(spec))
    else:
        part = hold_against(text, Interval(value, value, value), **_bounds(spec))
        part = replace(part, interval=Interval(value, np.nan, np.nan))
    return _with_words(part, f"{said} {{number}}", unit, "quartiles")


def _bound_in_words(spec: dict[str, Any], row: pd.Series) -> tuple[str, str]:
    """Return what a column says of a row, and its unit."""
    who = (
        words.row({key: row[key] for key in ("policy", "solver") if row.get(key)})
        + (f" at {words.size('n', row['n'])}" if "n" in row else "")
        if "policy" in row
        else ""
    )
    where = f" on {words.dataset(row['dataset'])}" if "dataset" in row else ""
    where += f" at {words.size('λ', row['lam'])}" if "lam" in row else ""
    return {
        "needs_gb": (f"{who} needs", " GB"),
        "seconds_per_round": (f"{who} takes", " s a round"),
        "picks_equal": (f"{who}{where}: share of equal picks", words.PERCENT),
        "slack": (f"{row.get('graph', '')}: the bound is above the trace by", ""),
    }.get(spec["column"], (f"{who}{where}: {spec['column']}", ""))


def minimiser(spec: dict[str, Any], rows: pd.DataFrame) -> list[Part]:
    """Reproduced if the lowest score is at the expected value of the column.

    All other hyper-parameters have their best values. Where another value has the lowest score, the
    outcome is inconclusive if the score at `expected` is not more than ``margin`` higher; without
    ``margin``, if the scores are flat: the paired mean of the difference over the validation
    streams is at most its standard error.
    """
    text = f"best {spec['column']} of {spec['policy']} on {spec['dataset']}"
    if rows.empty:
        raise NotRun(f"{text}: was not tuned")
    best = rows.loc[rows.groupby(spec["column"], sort=True)[spec["score"]].idxmin()]
    values, scores = (best[name].to_numpy(dtype=float) for name in (spec["column"], spec["score"]))
    expected = np.flatnonzero(np.isclose(values, spec["expected"], rtol=1e-9))
    if len(expected) == 0:
        raise NotRun(f"{text}: {spec['expected']:g} was not tried")
    lowest = int(np.argmin(scores))
    excess = float(scores[expected[0]] - scores[lowest])
    text += f" ({spec['score']} at {spec['expected']:g} higher by {excess:.4f})"
    said = (
        f"{spec['policy']} on {words.dataset(spec['dataset'])}: the lowest validation "
        f"{spec['score']} is at {values[lowest]:g}"
    )
    if excess > 0:
        said += f", and {spec['expected']:g} is {excess:.4f} higher"
    if excess == 0:
        outcome = REPRODUCED
    elif "margin" in spec:
        outcome = NOT_REPRODUCED if excess > spec["margin"] else INCONCLUSIVE
    else:
        streams = best[[name for name in rows if re.fullmatch(rf"{STREAM}\d+", name)]].to_numpy()
        paired = streams[expected[0]] - streams[lowest]
        error = np.std(paired, ddof=1) / np.sqrt(len(paired)) if len(paired) > 1 else 0.0
        outcome = NOT_REPRODUCED if excess > error else INCONCLUSIVE
        if len(paired) > 1:
            said += f" (standard error over {len(paired)} streams: {error:.4f})"
    interval = Interval(float(values[lowest]), np.nan, np.nan)
    says = f"{said}; the rule asks for {spec['expected']:g}."
    return [Part(outcome, text, interval, -excess, bounds=(spec["expected"],) * 2, says=says)]


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


def _unmatched(
    table: pd.DataFrame, spec: dict[str, Any], pairs: list[tuple[float, Interval]]
) -> list[float]:
    """Return the x at which the table has a row of a or b, but no seconds of both."""
    x = pd.concat([_where(table, {"where": spec[side]}) for side in "ab"])[spec["x"]]
    return sorted({*x.astype(float)} - {x for x, _ in pairs})


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
