"""From claims and results to the verdict, as tables and as the files of a run."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from horde.results import tables
from horde.results.tables import RUN_COLUMNS
from horde.verdict import rules
from horde.verdict.claims import REGRET_RULES, Claim, Rule, Runs, select
from horde.verdict.rules import NOT_RUN, NotRun, Part

COLUMNS = [
    *("claim", "statement", "source", "statistic", "value", "low", "high"),
    *("rule", "verdict", "figure", "evidence", "says", "at_least", "at_most", "factor"),
]
NUMBERS = ["value", "low", "high"]
BOUNDS = ["at_least", "at_most"]
ALTERNATIVE_COLUMNS = [COLUMNS[0], "reading", *COLUMNS[1:]]
FINAL_COLUMNS = [*RUN_COLUMNS, "ratio"]

NOT_ASKED = "not asked for: verdict.claims in the configuration"

_LISTED_PARTS = 16

Location = str | os.PathLike


@dataclass(frozen=True)
class Evidence:
    """The inputs of judging.

    Attributes
    ----------
    runs : DataFrame
        Curves, columns `horde.results.tables.RUN_COLUMNS`; may have seeds that no rule needs.
    seeds : mapping of str to sequence of int
        The fresh seeds: ``verdict`` and ``learning``.
    tables : mapping of str to DataFrame
        The existing tables of `horde.verdict.claims.TABLES`.
    """

    runs: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=RUN_COLUMNS))
    seeds: Mapping[str, Sequence[int]] = field(default_factory=dict)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)


class Outputs(NamedTuple):
    """The files of a verdict.

    ``verdict`` has the deterministic claims and ``timing`` those on measured time, columns
    `COLUMNS`; ``alternative`` the alternative readings, columns `ALTERNATIVE_COLUMNS`; ``runs`` the
    last round of each run, columns `FINAL_COLUMNS`; ``curves`` the checkpoints that rules on parts
    of runs read, columns `horde.results.tables.RUN_COLUMNS`.
    """

    verdict: Location
    timing: Location
    alternative: Location
    runs: Location
    curves: Location


def judge(
    claims: Iterable[Claim], evidence: Evidence, asked: Collection[str] | None = None
) -> pd.DataFrame:
    """Judge claims.

    Parameters
    ----------
    claims : iterable of Claim
        From `horde.verdict.claims.load`.
    evidence : Evidence
        A claim with a missing input is ``not run``.
    asked : collection of str, optional
        Names of the claims to judge, by default all; the others are ``not run``.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, one row per claim. ``value``, ``low`` and ``high`` belong to the
        decisive part, and so do ``says`` (the result in words) and the bounds ``at_least`` and
        ``at_most`` (NaN for none); ``factor`` marks a ratio of times. ``evidence`` lists all parts.
    """
    curves = rules.curves_by_run(evidence.runs)
    rows = []
    for claim in claims:
        if asked is None or claim.name in asked:
            parts = [part for rule in claim.rules for part in _parts(rule, claim, curves, evidence)]
            decisive = rules.deciding(parts)
            text = _evidence_text(parts, decisive)
        else:
            parts = [decisive := Part(NOT_RUN, NOT_ASKED)]
            text = NOT_ASKED
        said = claim.name, claim.statement, claim.source, claim.statistic
        outcome = decisive.outcome, claim.figure or "", text, _says(parts, decisive)
        bounds = [bound if np.isfinite(bound) else np.nan for bound in decisive.bounds]
        judged_by = rules_text(claim)
        rows.append((*said, *decisive.interval, judged_by, *outcome, *bounds, decisive.factor))
    return pd.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys([*NUMBERS, *BOUNDS], float))


def _says(parts: Sequence[Part], decisive: Part) -> str:
    """Return the result of the part that decides, and how many parts there are."""
    if len(parts) == 1 or not decisive.says:
        return decisive.says
    if decisive.outcome == rules.REPRODUCED:
        whole = "Both" if len(parts) == 2 else f"All {len(parts)}"
        return f"{whole} parts hold. The narrowest: {decisive.says}"
    agreeing = sum(part.outcome == decisive.outcome for part in parts)
    return f"{agreeing} of {len(parts)} parts: {decisive.outcome}. The clearest: {decisive.says}"


def judge_alternatives(
    claims: Iterable[Claim], evidence: Evidence, asked: Collection[str] | None = None
) -> pd.DataFrame:
    """Judge claims in their alternative readings.

    Returns
    -------
    DataFrame
        Columns `ALTERNATIVE_COLUMNS`, one row for each alternative reading of a claim.
    """
    read = [other for claim in claims for other in claim.alternatives]
    table = judge(read, evidence, asked)
    return table.assign(reading=[claim.reading for claim in read])[ALTERNATIVE_COLUMNS]


def _parts(rule: Rule, claim: Claim, curves: rules.Curves, evidence: Evidence) -> list[Part]:
    """Judge one rule of a claim; return at least one part."""
    try:
        if rule.kind not in REGRET_RULES:
            return rules.judge_table(rule, evidence.tables)
        seeds = evidence.seeds.get(claim.seeds, ())[: claim.number]
        if not seeds:
            raise NotRun(f"no {claim.seeds} seeds")
        return [rules.judge_regret(rule, curves, seeds)]
    except NotRun as missing:
        return [Part(NOT_RUN, str(missing))]


def joined(texts: Iterable[str]) -> str:
    """Join the distinct texts, in order, in one line."""
    return "; ".join(dict.fromkeys(texts))


def rules_text(claim: Claim) -> str:
    """Return a claim's rules in one line: their kind, their interval, and their bound."""
    return joined(map(_rule_text, claim.rules))


def _rule_text(rule: Rule) -> str:
    spec = rule.spec
    bound = f">= {spec['at_least']:g}" if "at_least" in spec else f"<= {spec.get('at_most', 0):g}"
    return {
        "less": "less: paired 95 % interval below 0",
        "equivalent": f"equivalent: paired 90 % interval within +-{spec.get('margin')}",
        "similar_or_less": f"equivalent within +-{spec.get('margin')}, or less",
        "no_worse": f"no worse: upper end of the paired 90 % interval below {spec.get('margin')}",
        "growth": f"growth: 95 % interval of the slope {bound}",
        "factor": f"factor ({spec.get('at')}): quartile range {bound}",
        "slope": f"slope: 95 % interval {bound}",
        "bound": f"bound: {spec.get('column')} {bound}",
        "minimiser": f"minimiser: {spec.get('column')} = {spec.get('expected')}",
    }[rule.kind]


def _evidence_text(parts: list[Part], decisive: Part) -> str:
    if len(parts) <= _LISTED_PARTS:
        return joined(part.describe() for part in parts)
    agreeing = sum(part.outcome == decisive.outcome for part in parts)
    return f"{decisive.describe()} (decides; {agreeing} of {len(parts)} parts have this outcome)"


# The files of a run


def judge_files(
    claims: Mapping[str, Claim],
    asked: Iterable[str],
    seeds: Mapping[str, Sequence[int]],
    curves: pd.DataFrame,
    named_tables: Mapping[str, Location],
    outputs: Outputs,
) -> None:
    """Write the regret that claims need, judge all claims by the files, and write the verdict.

    The claims are judged by the written values, to six digits. So anybody with the files can judge
    again and gets the same numbers.

    Parameters
    ----------
    claims : mapping of str to Claim
        All claims; each has a row in the verdict.
    asked : iterable of str
        Names or letters of the claims to judge; the others are ``not run``.
    seeds : mapping of str to sequence of int
        The fresh seeds of each kind.
    curves : DataFrame
        The runs, columns `horde.results.tables.RUN_COLUMNS`.
    named_tables : mapping of str to path
        The tables that claims read, by name.
    outputs : Outputs
        Files to write.
    """
    tables.write_csv(tables.final_rounds(curves)[FINAL_COLUMNS], outputs.runs)
    read = [each for claim in select(claims, asked) for each in (claim, *claim.alternatives)]
    tables.write_csv(checkpoints(read, curves), outputs.curves)
    evidence = read_evidence((outputs.runs, outputs.curves), seeds, named_tables)
    for name, table in judged_tables(claims, asked, evidence).items():
        tables.write_csv(table, getattr(outputs, name))


def judged_tables(
    claims: Mapping[str, Claim], asked: Iterable[str], evidence: Evidence
) -> dict[str, pd.DataFrame]:
    """Return the first three tables of `Outputs`, by name."""
    names = {claim.name for claim in select(claims, asked)}
    verdict = judge(claims.values(), evidence, names)
    timed = verdict["claim"].map(lambda name: claims[name].timed)
    alternative = judge_alternatives(claims.values(), evidence, names)
    return {"verdict": verdict[~timed], "timing": verdict[timed], "alternative": alternative}


def read_evidence(
    runs: Iterable[Location],
    seeds: Mapping[str, Sequence[int]],
    named_tables: Mapping[str, Location],
) -> Evidence:
    """Read the inputs of `judge_files`: tables, and the files of runs, which may be empty.

    Raises
    ------
    DataError
        If a file is missing or damaged.
    """
    found = pd.concat([tables.read_csv(path, RUN_COLUMNS)[RUN_COLUMNS] for path in runs])
    # Several files may have the last round of a run. Columns of empty files have no type.
    curves = found.drop_duplicates().infer_objects()
    read = {name: tables.read_csv(path) for name, path in named_tables.items()}
    return Evidence(curves, seeds, read)


def checkpoints(claims: Iterable[Claim], curves: pd.DataFrame) -> pd.DataFrame:
    """Return the checkpoints that rules on parts of runs need.

    Parameters
    ----------
    claims : iterable of Claim
    curves : DataFrame
        Columns `horde.results.tables.RUN_COLUMNS`.

    Returns
    -------
    DataFrame
        Rows, with their index, of the runs that these rules read: the last round, and the
        checkpoints before and after each round that a rule reads.
    """
    asked: dict[Runs, set[float]] = {}
    for side in (side for claim in claims for side in claim.sides if not side.is_whole):
        asked.setdefault(side.runs, set()).update(side.shares)
    by_run = rules.curves_by_run(curves)
    parts = [_around(by_run[key], asked[key[:3]]) for key in by_run if key[:3] in asked]
    return pd.concat(parts)[RUN_COLUMNS] if parts else pd.DataFrame(columns=RUN_COLUMNS)


def _around(curve: pd.DataFrame, shares: Iterable[float]) -> pd.DataFrame:
    """Return the checkpoints before and after these shares of the rounds, and the last one."""
    rounds = curve["round"].to_numpy()
    asked = rounds[-1] * np.array(sorted(shares))
    after = np.minimum(np.searchsorted(rounds, asked), len(rounds) - 1)
    before = np.where(rounds[after] > asked, after - 1, after)
    places = {*after[asked > 0].tolist(), *before.tolist(), len(rounds) - 1}
    return curve.iloc[sorted(place for place in places if place >= 0)]
