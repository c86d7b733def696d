"""Text for readers of the verdict: results in words, counts, and the lines of files behind them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from horde.verdict.claims import TABLE_RULES, Claim
from horde.verdict.judge import checkpoints
from horde.verdict.rules import INCONCLUSIVE, NOT_REPRODUCED, NOT_RUN, REPRODUCED, NotRun, rows_of

# Letter of the claims that are ours, not the paper's.
OURS = "C"
OUTCOMES = (REPRODUCED, NOT_REPRODUCED, INCONCLUSIVE, NOT_RUN)


def found(row: pd.Series) -> str:
    """Return what was found for a claim, in words; without a number, why there is none.

    Parameters
    ----------
    row : Series
        With the columns of `horde.verdict.judge.COLUMNS`.
    """
    if isinstance(row["says"], str) and row["says"]:
        return row["says"]
    parts = str(row["evidence"]).split("; ")
    missing = next((part for part in parts if part.endswith(NOT_RUN)), parts[0])
    missing = missing.removesuffix(f": {NOT_RUN}")
    return f"{missing[:1].upper()}{missing[1:]}."


def by_claim(
    claims: Mapping[str, Claim], verdict: pd.DataFrame, alternative: pd.DataFrame
) -> Iterator[tuple[Claim, pd.Series, list[pd.Series]]]:
    """Yield each claim with its row of the verdict, and the rows of its alternative readings.

    Parameters
    ----------
    claims : mapping of str to Claim
    verdict, alternative : DataFrame
        As `horde.verdict.judge.judge` and `judge_alternatives` return them; claims in any order.
    """
    rows = verdict.set_index("claim")
    for name, claim in claims.items():
        others = alternative[alternative["claim"] == name]
        yield claim, rows.loc[name], [other for _, other in others.iterrows()]


def counts(
    claims: Mapping[str, Claim], verdicts: Mapping[str, str]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return how many claims have each outcome: by these verdicts, and by the rules before."""
    now = Counter(verdicts[name] for name in claims)
    before = Counter(claim.before.verdict for claim in claims.values() if claim.before)
    return tuple({outcome: each[outcome] for outcome in OUTCOMES} for each in (now, before))


def counted(numbers: Mapping[str, int]) -> str:
    """Return ``17 reproduced, 13 not reproduced, ...``, without outcomes that no claim has."""
    return ", ".join(f"{number} {outcome}" for outcome, number in numbers.items() if number)


def papers(by_claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of the paper's claims, without those of our own questions."""
    return {name: entry for name, entry in by_claim.items() if name[0] != OURS}


def in_one_sentence(verdicts: Mapping[str, str]) -> str:
    """Return ``17 of the paper's 33 claims reproduce, 13 do not, 3 are inconclusive.``.

    Parameters
    ----------
    verdicts : mapping of str to str
        By claim; those on our own questions are not counted.
    """
    number = Counter(papers(verdicts).values())
    verb = "reproduces" if number[REPRODUCED] == 1 else "reproduce"
    parts = [f"{number[REPRODUCED]} of the paper's {number.total()} claims {verb}"]
    for outcome, one, many in (
        (NOT_REPRODUCED, "does not", "do not"),
        (INCONCLUSIVE, "is inconclusive", "are inconclusive"),
        (NOT_RUN, "was not run", "were not run"),
    ):
        if number[outcome]:
            parts.append(f"{number[outcome]} {one if number[outcome] == 1 else many}")
    return f"{', '.join(parts)}."


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
    for name in tables.keys() & {"runs", "curves"}:
        tables[name] = tables[name][tables[name]["seed"].isin(seeds)]
    if "runs" in tables:
        whole = {side.runs for side in claim.sides if side.is_whole}
        runs = tables["runs"][["dataset", "policy", "variant"]].itertuples(name=None)
        found["runs"] = {place for place, *run in runs if tuple(run) in whole}
    if "curves" in tables:
        found["curves"] = {*checkpoints([claim], tables["curves"]).index}
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
