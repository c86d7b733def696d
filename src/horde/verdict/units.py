"""What the number of a verdict counts, by the evidence that stands with it."""

import pandas as pd

from horde.results.statistics import Interval
from horde.verdict.outcomes import shown

# By how a part of the evidence begins.
_UNITS = {
    "seconds of": "times",
    "log-log slope of": "slope",
    "seconds_per_round of": "s a round",
    "needs_gb of": "GB",
    "picks_equal of": "of the rounds",
    "ratio of": "difference of ratios",
    "regret of": "difference of regret",
    "best lam of": "lambda",
    "slack of": "slack",
}


def number(row: pd.Series) -> str:
    """Return ``value [low, high]`` of a row of the verdict."""
    return shown(Interval(*(float(row[column]) for column in ("value", "low", "high"))))


def unit(row: pd.Series) -> str:
    """Return what the number of a row counts; empty where there is no number.

    Parameters
    ----------
    row : Series
        With the columns of `horde.verdict.engine.COLUMNS`; the part that has the row's number
        decides, all do where rounding has hidden it.
    """
    told = number(row)
    if not told:
        return ""
    parts = str(row["evidence"]).split("; ")
    deciding = [part for part in parts if f" = {told}: {row['verdict']}" in part] or parts
    found = [unit for part in deciding for start, unit in _UNITS.items() if part.startswith(start)]
    return " or ".join(dict.fromkeys(found))
