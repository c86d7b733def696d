"""A preview of the claims on regret: point estimates of one seed against the rules' thresholds.

It is no verdict: one seed has no interval, and it may be one on which choices were made.
"""

from collections.abc import Iterable

import pandas as pd

from horde.verdict import rules
from horde.verdict.claims import Claim
from horde.verdict.judge import joined, rules_text
from horde.verdict.rules import NOT_RUN, REPRODUCED, NotRun, Part

STATUS = "preview, no verdict"
MEETS, MISSES = "meets the threshold", "misses the threshold"
COLUMNS = ["claim", "status", "statement", "statistic", "estimate", "outcome", "rule", "evidence"]


def preview(claims: Iterable[Claim], runs: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Compare the point estimates of one seed with the thresholds of the claims' rules.

    Parameters
    ----------
    claims : iterable of Claim
        Claims with rules on tables are left out.
    runs : DataFrame
        Columns `horde.results.tables.RUN_COLUMNS`; may have other seeds.
    seed : int
        The seed to read.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, one row per claim. ``status`` is `STATUS` in every row; ``outcome`` is
        `MEETS`, `MISSES` or ``not run``. ``estimate`` belongs to the part that decides; it is NaN
        if that part was not run.
    """
    curves = rules.curves_by_run(runs)
    rows = []
    for claim in (claim for claim in claims if claim.on_regret):
        parts = [_part(rule, curves, seed) for rule in claim.rules]
        decisive = rules.deciding(parts)
        said = claim.name, STATUS, claim.statement, claim.statistic
        result = decisive.interval.value, _outcome(decisive)
        rows.append((*said, *result, rules_text(claim), joined(map(_described, parts))))
    return pd.DataFrame(rows, columns=COLUMNS)


def _part(rule: rules.Rule, curves: rules.Curves, seed: int) -> Part:
    try:
        # Counted twice, a seed has an interval of width zero, which the rules hold to their bounds.
        return rules.judge_regret(rule, curves, (seed, seed))
    except NotRun as missing:
        return Part(NOT_RUN, str(missing))


def _outcome(part: Part) -> str:
    if part.outcome == NOT_RUN:
        return NOT_RUN
    return MEETS if part.outcome == REPRODUCED else MISSES


def _described(part: Part) -> str:
    text = part.text.removesuffix(", 2 seeds")
    number = "" if part.outcome == NOT_RUN else f" = {part.interval.value:.4g}"
    return f"{text}{number}: {_outcome(part)}"
