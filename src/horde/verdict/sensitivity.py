"""What the open choices do to final ratios and to verdicts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from horde.results.statistics import t_interval
from horde.verdict import needs
from horde.verdict.claims import Claim
from horde.verdict.engine import Evidence, judge
from horde.verdict.from_files import finals
from horde.verdict.outcomes import NOT_RUN

BASELINE = "as configured"
COLUMNS = [
    *("alternative", "dataset", "policy", "ratio_mean", "ratio_low", "ratio_high", "seeds"),
    *("difference", "difference_low", "difference_high", "claims_changed", "claims_not_judged"),
]
_RUN = ["dataset", "policy"]


@dataclass(frozen=True)
class Alternative:
    """One way to decide otherwise.

    Attributes
    ----------
    name : str
    runs : DataFrame
        Columns `horde.results.tables.RUN_COLUMNS`; settings do not matter, more seeds may be there.
    data : bool
        Whether the data differ, so that nothing else on its datasets can be compared with it.
    """

    name: str
    runs: pd.DataFrame
    data: bool


def table(
    claims: Iterable[Claim],
    baseline: pd.DataFrame,
    alternatives: Sequence[Alternative],
    seeds: Sequence[int],
) -> pd.DataFrame:
    """Compare alternatives with the configured choices, on the same seeds.

    Parameters
    ----------
    claims : iterable of Claim
        Those on regret are judged, where all they compare is tuned.
    baseline : DataFrame
        Columns `horde.results.tables.RUN_COLUMNS`, setting ``tuned``; seeds not asked for may
        be there.
    alternatives : sequence of Alternative
    seeds : sequence of int
        Seeds that all runs have.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`: a row for each alternative (the first is `BASELINE`), dataset and policy
        that it changes; differences are paired over seeds, with 95 % t-intervals;
        ``claims_changed``, and ``claims_not_judged`` for want of runs, are the same for all rows
        of an alternative.
    """
    baseline = baseline[baseline["seed"].isin(seeds)]
    judged = [claim for claim in claims if _on_tuned_regret(claim)]
    before = _verdicts(judged, baseline, seeds)
    rows = _rows(Alternative(BASELINE, baseline, False), baseline, "", _not_judged(before))
    for given in alternatives:
        alternative = replace(given, runs=given.runs[given.runs["seed"].isin(seeds)])
        after = _verdicts(judged, _replaced(baseline, alternative), seeds)
        rows += _rows(alternative, baseline, _changed(before, after), _not_judged(after))
    return pd.DataFrame(rows, columns=COLUMNS)


def _changed(before: pd.Series, after: pd.Series) -> str:
    return "; ".join(
        f"{name}: {before[name]} to {after[name]}"
        for name in after.index
        if before[name] != after[name] and NOT_RUN not in (before[name], after[name])
    )


def _not_judged(verdicts: pd.Series) -> str:
    return "; ".join(verdicts.index[verdicts == NOT_RUN])


def _on_tuned_regret(claim: Claim) -> bool:
    sides = needs.sides(claim)
    return bool(sides) and all(side.variant == "tuned" for side in sides)


def _verdicts(claims: Sequence[Claim], runs: pd.DataFrame, seeds: Sequence[int]) -> pd.Series:
    kinds = dict.fromkeys(("verdict", "learning"), seeds)
    return judge(claims, Evidence(runs, kinds)).set_index("claim")["verdict"]


def _replaced(baseline: pd.DataFrame, alternative: Alternative) -> pd.DataFrame:
    """Put the alternative's runs in the place of the baseline's."""
    columns = _RUN[:1] if alternative.data else _RUN
    taken = set(alternative.runs[columns].itertuples(index=False, name=None))
    stays = [row not in taken for row in baseline[columns].itertuples(index=False, name=None)]
    return pd.concat([baseline[stays], alternative.runs.assign(variant="tuned")])


def _rows(alternative: Alternative, baseline: pd.DataFrame, *claims: str) -> list[tuple]:
    before = _ratios(baseline)
    rows = []
    for key, ratios in _ratios(alternative.runs).items():
        paired = ratios - before[key] if key in before else pd.Series(np.nan, ratios.index)
        difference = t_interval(paired.reindex(ratios.index))
        numbers = *t_interval(ratios), len(ratios), *difference
        rows.append((alternative.name, *key, *numbers, *claims))
    return rows


def _ratios(runs: pd.DataFrame) -> Mapping[tuple[str, str], pd.Series]:
    """Return the final ratios by seed of each (dataset, policy)."""
    final = finals(runs).set_index("seed")
    return {key: part["ratio"] for key, part in final.groupby(_RUN, sort=False)}
