"""Where the rows stand that a claim is judged by: lines of CSV files."""

from collections.abc import Iterable, Mapping

import pandas as pd

from horde.verdict import needs, tabled
from horde.verdict.claims import REGRET_RULES, Claim, Rule
from horde.verdict.outcomes import NotRun

RUNS = "runs"


def lines_behind(claim: Claim, tables: Mapping[str, pd.DataFrame]) -> dict[str, list[int]]:
    """Return the lines of each table that a claim's rules select.

    Parameters
    ----------
    claim : Claim
    tables : mapping of str to DataFrame
        As read from their files, rows in the file's order; ``runs`` is the table of the runs'
        final regret.

    Returns
    -------
    dict of str to list of int
        By table, ascending; the header is line 1. Tables that are not there, or of which no row is
        selected, are left out.
    """
    found: dict[str, set[int]] = {}
    for rule in claim.rules:
        name = RUNS if rule.kind in REGRET_RULES else rule.spec["table"]
        if name in tables:
            found.setdefault(name, set()).update(_selected(rule, claim, tables[name]))
    return {name: sorted(lines) for name, lines in found.items() if lines}


def _selected(rule: Rule, claim: Claim, table: pd.DataFrame) -> Iterable[int]:
    table = table.reset_index(drop=True)
    if rule.kind in REGRET_RULES:
        columns = list(needs.Runs._fields)
        keys = set(needs.sides(claim))
        chosen = [tuple(row) in keys for row in table[columns].itertuples(index=False)]
        return (table.index[chosen] + 2).tolist()
    try:
        return (tabled.selected_by(rule.kind, rule.spec, table).index + 2).tolist()
    except NotRun:
        return []


def ranges(lines: list[int]) -> str:
    """Write ascending numbers as ``2-5, 9``."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)
