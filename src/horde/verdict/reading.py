"""Text for readers of the verdict: numbers with units, and the lines of files behind them."""

from collections.abc import Mapping, Sequence

import pandas as pd

from horde.results.statistics import Interval
from horde.verdict.claims import TABLE_RULES, Claim
from horde.verdict.judge import NUMBERS, checkpoints
from horde.verdict.rules import NotRun, rows_of

# Unit of a number, by the first words of its part of the evidence.
_UNITS = {
    "seconds of": "times",
    "log-log slope of": "slope",
    "seconds_per_round of": "s per round",
    "needs_gb of": "GB",
    "picks_equal of": "of the rounds",
    "ratio of": "difference of ratios",
    "regret of": "difference of regret",
    "best lam of": "lambda",
    "slack of": "slack",
}


def number(row: pd.Series) -> str:
    """Return ``value [low, high]`` of a row of the verdict; empty without a number."""
    return str(Interval(*(float(row[column]) for column in NUMBERS)))


def unit(row: pd.Series) -> str:
    """Return the unit of the number of a row; empty without a number.

    Parameters
    ----------
    row : Series
        With the columns of `horde.verdict.judge.COLUMNS`. The part of its evidence with the row's
        number gives the unit; if rounding hides it, all parts do.
    """
    if not (shown := number(row)):
        return ""
    parts = str(row["evidence"]).split("; ")
    deciding = [part for part in parts if f" = {shown}: {row['verdict']}" in part] or parts
    found = [unit for part in deciding for start, unit in _UNITS.items() if part.startswith(start)]
    return " or ".join(dict.fromkeys(found))


def lines_behind(
    claim: Claim, tables: Mapping[str, pd.DataFrame], seeds: Sequence[int]
) -> dict[str, list[int]]:
    """Return the line numbers of each table that a claim's rules read.

    Parameters
    ----------
    claim : Claim
    tables : mapping of str to DataFrame
        Tables with rows in their file's order. ``runs`` has the last rounds, ``curves`` the
        checkpoints within runs.
    seeds : sequence of int
        Seeds that judge the claim.

    Returns
    -------
    dict of str to list of int
        Ascending line numbers by table; the header is line 1. Tables that are missing or not read
        are left out.
    """
    tables = {name: table.reset_index(drop=True) for name, table in tables.items()}
    found: dict[str, set[int]] = {}
    for rule in (rule for rule in claim.rules if rule.kind in TABLE_RULES):
        name = rule.spec["table"]
        if name in tables:
            try:
                found.setdefault(name, set()).update(rows_of(rule, tables[name]).index)
            except NotRun:
                continue
    of_seeds = {
        name: tables[name][tables[name]["seed"].isin(seeds)]
        for name in ("runs", "curves")
        if name in tables
    }
    if (final := of_seeds.get("runs")) is not None:
        whole = {side.runs for side in claim.sides if side.is_whole}
        columns = final[["dataset", "policy", "variant"]].itertuples(index=False, name=None)
        found["runs"] = {*final.index[[row in whole for row in columns]]}
    if (curves := of_seeds.get("curves")) is not None:
        found["curves"] = {*checkpoints([claim], curves).index}
    return {name: sorted(place + 2 for place in places) for name, places in found.items() if places}


def ranges(lines: Sequence[int]) -> str:
    """Format ascending numbers as ``2-5, 9``."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)
