"""What rules on parts of a run look at: the checkpoints around the rounds that they ask for."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from horde.results.tables import RUN_COLUMNS
from horde.verdict import regret
from horde.verdict.claims import Claim, Rule
from horde.verdict.needs import Runs, compared

WHOLE = [0, 1]


def whole_runs(claim: Claim) -> set[Runs]:
    """Return the runs of which a claim's rules look at the last round only."""
    return {runs for rule in claim.rules for runs, over, _ in _sides(rule) if over == WHOLE}


def checkpoints(claims: Iterable[Claim], curves: pd.DataFrame) -> pd.DataFrame:
    """Keep what rules on parts of runs look at, so that they can be judged by it.

    Parameters
    ----------
    claims : iterable of Claim
    curves : DataFrame
        Columns `horde.results.tables.RUN_COLUMNS`.

    Returns
    -------
    DataFrame
        The rows, with their index, of the runs that rules look into: the last round, and the
        checkpoints on either side of each round asked for.
    """
    asked: dict[Runs, set[float]] = {}
    for claim in claims:
        for rule in claim.rules:
            for runs, over, shares in _sides(rule):
                if over != WHOLE:
                    asked.setdefault(runs, set()).update(shares)
    by_run = regret.curves_by_run(curves)
    parts = [_around(by_run[key], asked[key[:3]]) for key in by_run if key[:3] in asked]
    return pd.concat(parts)[RUN_COLUMNS] if parts else pd.DataFrame(columns=RUN_COLUMNS)


def _sides(rule: Rule) -> list[tuple[Runs, list[float], list[float]]]:
    """Return the runs, the part of them and the shares of the rounds that a rule asks for."""
    return [
        (
            runs,
            # A slope takes rounds all over its part, even where that is the whole run.
            side["over"] if rule.kind != "growth" else [],
            regret.shares(rule.kind, side["over"]),
        )
        for runs, side in compared(rule)
    ]


def _around(curve: pd.DataFrame, shares: Iterable[float]) -> pd.DataFrame:
    rounds = curve["round"].to_numpy()
    asked = rounds[-1] * np.array(sorted(shares))
    after = np.minimum(np.searchsorted(rounds, asked), len(rounds) - 1)
    before = np.where(rounds[after] > asked, after - 1, after)
    places = {*after[asked > 0].tolist(), *before.tolist(), len(rounds) - 1}
    return curve.iloc[sorted(place for place in places if place >= 0)]
