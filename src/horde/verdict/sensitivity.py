"""Effect of choices that the paper leaves open on final ratios and verdicts."""

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from horde.results.statistics import t_interval
from horde.results.tables import as_written, final_rounds
from horde.verdict.claims import Claim
from horde.verdict.judge import Evidence, judge
from horde.verdict.rules import NOT_RUN

BASELINE = "as configured"
COLUMNS = [
    *("alternative", "dataset", "policy", "ratio_mean", "ratio_low", "ratio_high", "seeds"),
    *("difference", "difference_low", "difference_high", "claims_changed", "claims_not_judged"),
]
_GROUP = ["dataset", "policy"]


def table(
    claims: Iterable[Claim],
    baseline: pd.DataFrame,
    alternatives: pd.DataFrame,
    seeds: Sequence[int],
) -> pd.DataFrame:
    """Compare alternatives with the configured choices, on the same seeds.

    Parameters
    ----------
    claims : iterable of Claim
        Claims on regret are judged if they compare tuned runs on the datasets themselves only.
    baseline : DataFrame
        Columns `horde.results.tables.RUN_COLUMNS`, variant ``tuned``.
    alternatives : DataFrame
        The same columns. The variant names the alternative. For an alternative that changes the
        data, the dataset's name does: ``lastfm@pca``. Its runs are compared only with each other.
    seeds : sequence of int
        Seeds that all runs have; the runs may have further seeds.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`: one row for each alternative (the first is `BASELINE`), dataset and
        policy that it changes. Differences are paired over seeds, with 95 % t-intervals.
        ``claims_changed`` and ``claims_not_judged`` (because runs are missing) are the same in all
        rows of an alternative.
    """
    baseline, alternatives = (
        as_written(runs[runs["seed"].isin(seeds)]) for runs in (baseline, alternatives)
    )
    named = alternatives["dataset"].str.partition("@")
    changes_data = named[1] == "@"
    names = named[2].where(changes_data, alternatives["variant"])
    alternatives = alternatives.assign(dataset=named[0], variant="tuned")
    judged = [claim for claim in claims if _compares_tuned_runs(claim)]
    before, ratios = _verdicts(judged, baseline, seeds), _final_ratios(baseline)
    rows = _rows(BASELINE, ratios, ratios, "", _not_judged(before))
    for name, other in alternatives.groupby(names, sort=False):
        columns = _GROUP[:1] if changes_data[other.index].all() else _GROUP
        after = _verdicts(judged, _replaced(baseline, other, columns), seeds)
        changed = _changed(before, after), _not_judged(after)
        rows += _rows(name, _final_ratios(other), ratios, *changed)
    return pd.DataFrame(rows, columns=COLUMNS)


def changes(table: pd.DataFrame) -> dict[str, dict[str, tuple[str, str]]]:
    """Return what alternatives change: alternative -> claim -> verdict before and after.

    Parameters
    ----------
    table : DataFrame
        Columns `COLUMNS`.
    """
    texts = table.groupby("alternative", sort=False)["claims_changed"].first().dropna()
    found = {name: re.findall(r"(\w+): ([\w ]+) to ([\w ]+)", text) for name, text in texts.items()}
    return {
        name: {claim: (before, after) for claim, before, after in changed}
        for name, changed in found.items()
    }


def _compares_tuned_runs(claim: Claim) -> bool:
    runs = [side.runs for side in claim.sides]
    return bool(runs) and all(each.variant == "tuned" and "@" not in each.dataset for each in runs)


def _verdicts(claims: Sequence[Claim], runs: pd.DataFrame, seeds: Sequence[int]) -> pd.Series:
    evidence = Evidence(runs, {"verdict": seeds, "learning": seeds})
    return judge(claims, evidence).set_index("claim")["verdict"]


def _changed(before: pd.Series, after: pd.Series) -> str:
    return "; ".join(
        f"{name}: {before[name]} to {after[name]}"
        for name in after.index
        if before[name] != after[name] and NOT_RUN not in (before[name], after[name])
    )


def _not_judged(verdicts: pd.Series) -> str:
    return "; ".join(verdicts.index[verdicts == NOT_RUN])


def _replaced(baseline: pd.DataFrame, other: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Replace the baseline's runs by an alternative's runs with the same `columns`."""
    taken = set(other[columns].itertuples(index=False, name=None))
    stays = [row not in taken for row in baseline[columns].itertuples(index=False, name=None)]
    return pd.concat([baseline[stays], other])


def _final_ratios(runs: pd.DataFrame) -> Mapping[tuple[str, str], pd.Series]:
    """Return the final ratios by seed of each (dataset, policy)."""
    final = final_rounds(runs).set_index("seed")
    return {key: part["ratio"] for key, part in final.groupby(_GROUP, sort=False)}


def _rows(
    name: str,
    found: Mapping[tuple[str, str], pd.Series],
    before: Mapping[tuple[str, str], pd.Series],
    *claims: str,
) -> list[tuple]:
    """Return one row for each (dataset, policy); `claims` are its last two columns."""
    rows = []
    for key, ratios in found.items():
        paired = ratios - before[key] if key in before else pd.Series(np.nan, ratios.index)
        difference = t_interval(paired.reindex(ratios.index))
        rows.append((name, *key, *t_interval(ratios), len(ratios), *difference, *claims))
    return rows
