"""Where the rows stand that a claim is judged by: lines of CSV files."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from horde.verdict import needs, tabled, within
from horde.verdict.claims import REGRET_RULES, Claim, Rule
from horde.verdict.outcomes import NotRun

RUNS, CURVES = "runs", "curves"


def lines_behind(
    claim: Claim, tables: Mapping[str, pd.DataFrame], seeds: Sequence[int]
) -> dict[str, list[int]]:
    """Return the lines of each table that a claim's rules select.

    Parameters
    ----------
    claim : Claim
    tables : mapping of str to DataFrame
        As read from their files, rows in the file's order; ``runs`` is the table of the runs'
        final regret, ``curves`` that of the checkpoints within runs.
    seeds : sequence of int
        Those that judge the claim.

    Returns
    -------
    dict of str to list of int
        By table, ascending; the header is line 1. Tables that are not there, or of which no row is
        selected, are left out.
    """
    tables = {name: table.reset_index(drop=True) for name, table in tables.items()}
    found: dict[str, set[int]] = {}
    for rule in claim.rules:
        if rule.kind not in REGRET_RULES and rule.spec["table"] in tables:
            name = rule.spec["table"]
            found.setdefault(name, set()).update(_selected(rule, tables[name]))
    for name, chosen in ((RUNS, _whole_runs), (CURVES, _checkpoints)):
        if name in tables:
            table = tables[name]
            found[name] = {*chosen(claim, table[table["seed"].isin(seeds)])}
    return {name: sorted(place + 2 for place in places) for name, places in found.items() if places}


def _whole_runs(claim: Claim, table: pd.DataFrame) -> Iterable[int]:
    keys = within.whole_runs(claim)
    columns = list(needs.Runs._fields)
    chosen = [tuple(row) in keys for row in table[columns].itertuples(index=False)]
    return table.index[chosen]


def _checkpoints(claim: Claim, table: pd.DataFrame) -> Iterable[int]:
    return within.checkpoints([claim], table).index


def _selected(rule: Rule, table: pd.DataFrame) -> Iterable[int]:
    try:
        return tabled.selected_by(rule.kind, rule.spec, table).index
    except NotRun:
        return ()


def ranges(lines: list[int]) -> str:
    """Write ascending numbers as ``2-5, 9``."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)
