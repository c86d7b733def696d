"""In how many specifications of the multiverse each claim holds, and which choices it hangs on."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from horde.experiments.specifications import ORACLE
from horde.results.runs import RUN
from horde.results.tables import RUN_COLUMNS, final_rounds
from horde.verdict import rules
from horde.verdict.claims import Claim
from horde.verdict.rules import REPRODUCED, NotRun

VERDICT_COLUMNS = ["specification", "claim", "value", "low", "high", "margin", "verdict"]
SHARE_COLUMNS = ["claim", "specifications", "holds", "share", "reproduced", "share_reproduced"]
EFFECT_COLUMNS = ["claim", "choice", "levels", "explained"]
# Names of the rows in which all claims of a letter hold together.
TOGETHER = "all {}"


def final_ratios(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the last round of each run.

    Parameters
    ----------
    curves : DataFrame
        Columns `horde.experiments.multiverse.CURVE_COLUMNS`.

    Returns
    -------
    DataFrame
        Columns ``specification, dataset, policy, variant, seed``, the hyper-parameters, ``ratio``.
    """
    parts = [final_rounds(part) for _, part in curves.groupby("specification", sort=False)]
    run = ["specification", *RUN]
    values = [name for name in curves if name not in {*run, *RUN_COLUMNS}]
    return pd.concat(parts, ignore_index=True)[[*run, *values, "ratio"]]


def judged(
    claims: Iterable[Claim], specifications: pd.DataFrame, curves: pd.DataFrame
) -> pd.DataFrame:
    """Judge each claim in each specification that has the runs for it.

    Parameters
    ----------
    claims : iterable of Claim
        Those are judged whose rules all are on regret.
    specifications : DataFrame of str
        As `horde.experiments.specifications.read` returns it.
    curves : DataFrame
        Columns `horde.experiments.multiverse.CURVE_COLUMNS`.

    Returns
    -------
    DataFrame
        Columns `VERDICT_COLUMNS`. ``value`` and its interval are those of the part that decides.
        ``margin`` is the smallest distance of a part's point estimate from its bound: the claim
        holds by point estimates if it is above 0.
    """
    claims = [claim for claim in claims if claim.on_regret]
    listed = specifications.set_index("specification")
    rows = []
    for name, runs in curves.groupby("specification", sort=False):
        by_run = rules.curves_by_run(runs)
        own = [int(seed) for seed in listed.loc[name, "seeds"].split()]
        for claim in (claim for claim in claims if claim.name[0] == listed.loc[name, "claims"]):
            try:
                parts = [rules.judge_regret(rule, by_run, own) for rule in claim.rules]
            except NotRun:
                continue
            decisive, margin = rules.deciding(parts), min(part.margin for part in parts)
            rows.append((name, claim.name, *decisive.interval, margin, decisive.outcome))
    return pd.DataFrame(rows, columns=VERDICT_COLUMNS)


def shares(
    claims: Iterable[Claim], specifications: pd.DataFrame, verdicts: pd.DataFrame
) -> pd.DataFrame:
    """Return the share of specifications in which each claim holds, and all claims of a letter.

    Parameters
    ----------
    claims : iterable of Claim
        As for `judged`. All claims of a letter hold together only where all of them were judged.
    specifications : DataFrame of str
        As `horde.experiments.specifications.read` returns it; those of `ORACLE` do not count.
    verdicts : DataFrame
        As `judged` returns it.

    Returns
    -------
    DataFrame
        Columns `SHARE_COLUMNS`: ``holds`` by the point estimate, ``reproduced`` by the interval.
    """
    counted = _counted(specifications, verdicts)
    counted = counted.assign(
        holds=counted["margin"] > 0, reproduced=counted["verdict"] == REPRODUCED
    )
    tables, asked = [counted], [claim.name[0] for claim in claims if claim.on_regret]
    for letter in sorted({*counted["claim"].str[0]}, key=asked.index):
        part = counted[counted["claim"].str[0] == letter]
        judged_claims = part.groupby("specification")["claim"].transform("size")
        whole = part[judged_claims == asked.count(letter)]
        both = whole.groupby("specification", sort=False)[["holds", "reproduced"]].all()
        tables.append(both.reset_index().assign(claim=TOGETHER.format(letter)))
    by_claim = pd.concat(tables).groupby("claim", sort=False)[["holds", "reproduced"]]
    table = by_claim.sum().assign(specifications=by_claim.size())
    table["share"] = table["holds"] / table["specifications"]
    table["share_reproduced"] = table["reproduced"] / table["specifications"]
    return table.reset_index()[SHARE_COLUMNS]


def effects(
    specifications: pd.DataFrame, verdicts: pd.DataFrame, choices: Iterable[str]
) -> pd.DataFrame:
    """Return how much of the variance of a claim's margin each choice explains (main effects).

    Returns
    -------
    DataFrame
        Columns `EFFECT_COLUMNS`. ``explained`` is the sum of squares between the levels' means over
        the total; NaN if the margin does not vary. ``levels`` has the mean margin of each level.
    """
    table = _counted(specifications, verdicts).merge(specifications, on="specification")
    rows = []
    for claim, part in table.groupby("claim", sort=False):
        margin = part["margin"]
        total = ((margin - margin.mean()) ** 2).sum()
        for choice in choices:
            if part[choice].nunique() < 2:
                continue
            means = margin.groupby(part[choice], sort=False)
            between = ((means.transform("mean") - margin.mean()) ** 2).sum()
            levels = "; ".join(f"{level}: {mean:.4f}" for level, mean in means.mean().items())
            rows.append((claim, choice, levels, between / total if total > 0 else np.nan))
    return pd.DataFrame(rows, columns=EFFECT_COLUMNS)


def _counted(specifications: pd.DataFrame, verdicts: pd.DataFrame) -> pd.DataFrame:
    oracle = specifications["specification"][specifications["hyper"] == ORACLE]
    return verdicts[~verdicts["specification"].isin(oracle)]
