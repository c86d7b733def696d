"""Rules on regret: differences between policies paired over seeds, and growth with the rounds."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from horde.errors import DataError
from horde.results.statistics import log_log_slope, t_interval
from horde.verdict.claims import side_of
from horde.verdict.outcomes import (
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    NotRun,
    Part,
    hold_against,
)

# A slope is fitted at this many rounds, evenly spaced in their logarithm.
_GROWTH_POINTS = 30
_RUN = ["dataset", "policy", "variant", "seed"]

# The curve of each (dataset, policy, setting, seed), rounds ascending.
Curves = Mapping[tuple[str, str, str, int], pd.DataFrame]


def curves_by_run(runs: pd.DataFrame) -> Curves:
    """Split the table that `horde.results.tables.read_runs` returns into its runs."""
    return {key: curve.sort_values("round") for key, curve in runs.groupby(_RUN)}


def judge(kind: str, spec: dict[str, Any], curves: Curves, seeds: Sequence[int]) -> Part:
    """Judge one rule on regret.

    Parameters
    ----------
    kind : str
        ``less``, ``equivalent``, ``similar_or_less`` or ``growth``.
    spec : dict
        Its settings, without lists.
    curves : Curves
        As `curves_by_run` returns them.
    seeds : sequence of int
        The seeds to judge by.

    Raises
    ------
    NotRun
        If a run is missing or its regret cannot be used; names it.
    """
    if kind == "growth":
        return _growth(spec, curves, seeds)
    statistic = spec.get("statistic", "ratio")
    a, b = side_of(spec, "a"), side_of(spec, "b")
    differences = _values(a, statistic, curves, seeds) - _values(b, statistic, curves, seeds)
    text = f"{statistic} of {_name(a)} minus {_name(b)}, {len(seeds)} seeds"
    return _PAIRED[kind](text, differences, spec)


def _less(text: str, differences: np.ndarray, spec: dict[str, Any]) -> Part:
    return hold_against(text, t_interval(differences, 0.95), at_most=0.0, strict=True)


def _equivalent(text: str, differences: np.ndarray, spec: dict[str, Any]) -> Part:
    margin = spec["margin"]
    return hold_against(text, t_interval(differences, 0.90), -margin, margin)


def _similar_or_less(text: str, differences: np.ndarray, spec: dict[str, Any]) -> Part:
    parts = [_equivalent(text, differences, spec), _less(text, differences, spec)]
    best = next(
        outcome
        for outcome in (REPRODUCED, INCONCLUSIVE, NOT_REPRODUCED)
        if any(part.outcome == outcome for part in parts)
    )
    return next(part for part in parts if part.outcome == best)


_PAIRED = {"less": _less, "equivalent": _equivalent, "similar_or_less": _similar_or_less}


def _growth(spec: dict[str, Any], curves: Curves, seeds: Sequence[int]) -> Part:
    side = side_of(spec, "a")
    slopes = [_slope(_curve(side, curves, seed), spec["over"], _name(side)) for seed in seeds]
    text = f"log-log slope of the regret of {_name(side)} on rounds, {len(seeds)} seeds"
    return hold_against(text, t_interval(slopes, 0.95), at_most=spec["at_most"])


def shares(kind: str, over: Sequence[float]) -> list[float]:
    """Return the shares of a run's rounds at which a rule of a kind takes the regret."""
    return np.geomspace(*over, _GROWTH_POINTS).tolist() if kind == "growth" else list(over)


def _slope(curve: pd.DataFrame, over: Sequence[float], name: str) -> float:
    rounds = curve["round"].iloc[-1] * np.array(shares("growth", over))
    try:
        return log_log_slope(rounds, _up_to(curve, "regret", rounds)).value
    except DataError as error:
        raise NotRun(f"{name}: {error}") from error


def _name(side: dict[str, Any]) -> str:
    variant = "" if side["variant"] == "tuned" else f" ({side['variant']})"
    start, end = side["over"]
    window = "" if (start, end) == (0, 1) else f" over {start:g} to {end:g}"
    return f"{side['policy']}{variant} on {side['dataset']}{window}"


def _values(
    side: dict[str, Any], statistic: str, curves: Curves, seeds: Sequence[int]
) -> np.ndarray:
    """Return the statistic of one side, one value a seed, in the order of `seeds`."""
    return np.array([_statistic(_curve(side, curves, seed), side, statistic) for seed in seeds])


def _curve(side: dict[str, Any], curves: Curves, seed: int) -> pd.DataFrame:
    key = (side["dataset"], side["policy"], side["variant"], seed)
    if key not in curves:
        raise NotRun(f"{_name(side)}, seed {seed}, is missing")
    return curves[key]


def _statistic(curve: pd.DataFrame, side: dict[str, Any], statistic: str) -> float:
    rounds = curve["round"].iloc[-1] * np.array(side["over"], dtype=float)
    regret = float(np.diff(_up_to(curve, "regret", rounds))[0])
    if statistic == "regret":
        return regret
    random_regret = float(np.diff(_up_to(curve, "random_regret", rounds))[0])
    if random_regret <= 0:
        raise NotRun(f"{_name(side)}: the random policy has no regret there")
    return regret / random_regret


def _up_to(curve: pd.DataFrame, column: str, rounds: np.ndarray) -> np.ndarray:
    """Return a cumulative sum at `rounds`, interpolated between checkpoints, 0 at round 0."""
    known = np.concatenate([[0.0], curve["round"]])
    return np.interp(rounds, known, np.concatenate([[0.0], curve[column]]))
