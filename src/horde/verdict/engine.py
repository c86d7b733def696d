"""Which of the paper's claims hold, by the rules fixed in advance: pure functions of tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from horde.results.tables import RUN_COLUMNS
from horde.verdict import regret, tabled
from horde.verdict.claims import REGRET_RULES, Claim, Rule
from horde.verdict.outcomes import NOT_RUN, NotRun, Part, conjunction, deciding

COLUMNS = [
    "claim",
    "statement",
    "source",
    "statistic",
    "value",
    "low",
    "high",
    "rule",
    "verdict",
    "figure",
    "evidence",
]
BESIDE_COLUMNS = [COLUMNS[0], "reading", *COLUMNS[1:]]

_NO_RUNS = pd.DataFrame(columns=RUN_COLUMNS)
_LISTED_PARTS = 16


@dataclass(frozen=True)
class Evidence:
    """What the claims are judged by.

    Attributes
    ----------
    runs : DataFrame
        Curves, as `horde.results.tables.read_runs` returns them; seeds that no rule asks for
        may be there.
    seeds : mapping of str to sequence of int
        The fresh seeds: ``verdict`` and ``learning``.
    tables : mapping of str to DataFrame
        The tables that `workflow/claims.yaml` names, as far as they are there.
    """

    runs: pd.DataFrame = field(default_factory=_NO_RUNS.copy)
    seeds: Mapping[str, Sequence[int]] = field(default_factory=dict)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)


def judge(claims: Iterable[Claim], evidence: Evidence) -> pd.DataFrame:
    """Judge claims.

    Parameters
    ----------
    claims : iterable of Claim
        From `horde.verdict.claims.load`.
    evidence : Evidence
        The results at hand. A claim whose input is missing comes out as ``not run``.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, one row a claim. ``value``, ``low`` and ``high`` are those of the part
        that decides; ``evidence`` lists all parts.
    """
    curves = regret.curves_by_run(evidence.runs)
    rows = [
        _row(
            claim, [part for rule in claim.rules for part in _parts(rule, claim, curves, evidence)]
        )
        for claim in claims
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def judge_beside(claims: Iterable[Claim], evidence: Evidence) -> pd.DataFrame:
    """Judge claims in the reading that stands beside them.

    Returns
    -------
    DataFrame
        Columns `BESIDE_COLUMNS`, one row a claim that has such a reading.
    """
    read = [claim for claim in claims if claim.beside]
    table = judge([claim.read_beside() for claim in read], evidence)
    return table.assign(reading=[claim.beside.reading for claim in read])[BESIDE_COLUMNS]


def _parts(rule: Rule, claim: Claim, curves: regret.Curves, evidence: Evidence) -> list[Part]:
    """Judge one rule of a claim; at least one part."""
    try:
        if rule.kind not in REGRET_RULES:
            return tabled.judge(rule.kind, rule.spec, evidence.tables)
        seeds = evidence.seeds.get(claim.seeds, ())
        if not seeds:
            raise NotRun(f"no {claim.seeds} seeds")
        return [regret.judge(rule.kind, rule.spec, curves, seeds)]
    except NotRun as missing:
        return [Part(NOT_RUN, str(missing))]


def _row(claim: Claim, parts: list[Part]) -> list:
    decisive = deciding(parts)
    return [
        claim.name,
        claim.statement,
        claim.source,
        claim.statistic,
        *decisive.interval,
        _rules_text(claim),
        conjunction(parts),
        claim.figure or "",
        _evidence_text(parts, decisive),
    ]


def _rules_text(claim: Claim) -> str:
    return "; ".join(dict.fromkeys(_rule_text(rule) for rule in claim.rules))


def _rule_text(rule: Rule) -> str:
    spec = rule.spec
    bound = f">= {spec['at_least']:g}" if "at_least" in spec else f"<= {spec.get('at_most', 0):g}"
    return {
        "less": "less: paired 95 % interval below 0",
        "equivalent": f"equivalent: paired 90 % interval within +-{spec.get('margin')}",
        "similar_or_less": f"equivalent within +-{spec.get('margin')}, or less",
        "growth": f"growth: 95 % interval of the slope {bound}",
        "factor": f"factor ({spec.get('at')}): quartile range {bound}",
        "slope": f"slope: 95 % interval {bound}",
        "bound": f"bound: {spec.get('column')} {bound}",
        "minimiser": f"minimiser: {spec.get('column')} = {spec.get('expected')}",
    }[rule.kind]


def _evidence_text(parts: list[Part], decisive: Part) -> str:
    if len(parts) <= _LISTED_PARTS:
        return "; ".join(dict.fromkeys(part.describe() for part in parts))
    agreeing = sum(part.outcome == decisive.outcome for part in parts)
    return f"{decisive.describe()} (decides; so are {agreeing} of {len(parts)} parts)"
