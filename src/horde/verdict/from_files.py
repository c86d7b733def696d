"""From the files of finished runs and tables to the files of the verdict."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from horde.results import tables
from horde.verdict import needs, within
from horde.verdict.claims import Claim
from horde.verdict.engine import Evidence, judge, judge_beside

RUNS_COLUMNS = ["dataset", "policy", "variant", "seed", "round", "regret", "random_regret", "ratio"]

Location = str | os.PathLike

NOT_ASKED = "not asked for: verdict.claims in the configuration"


class Outputs(NamedTuple):
    """Where the verdict goes: claims with the same digits on every machine, the others.

    What stands beside claims; and what all rests on: the ends of runs, and checkpoints within them.
    """

    verdict: Location
    timing: Location
    beside: Location
    runs: Location
    curves: Location


def judge_files(
    claims: Mapping[str, Claim],
    asked: Iterable[str],
    seeds: Mapping[str, Sequence[int]],
    runs: Iterable[Location],
    named_tables: Mapping[str, Location],
    outputs: Outputs,
) -> None:
    """Judge claims and write the verdict.

    Parameters
    ----------
    claims : mapping of str to Claim
        All claims; each gets a row.
    asked : iterable of str
        Names or letters of those to judge; the others are ``not run``.
    seeds : mapping of str to sequence of int
        The fresh seeds of each kind.
    runs : iterable of path
        Tables of curves, with the columns of `horde.results.tables.read_runs`.
    named_tables : mapping of str to path
        The tables that the claims name.
    outputs : Outputs
        Written: claims by table, columns `horde.verdict.engine.COLUMNS`, those judged by measured
        times apart; those in another reading, columns `horde.verdict.engine.BESIDE_COLUMNS`; the
        runs' final regret, a row a run, columns `RUNS_COLUMNS`; and the checkpoints that rules on
        parts of runs ask for, columns `horde.results.tables.RUN_COLUMNS`.
    """
    curves = _curves(runs)
    evidence = Evidence(
        curves, seeds, {name: tables.read_csv(path) for name, path in named_tables.items()}
    )
    chosen = needs.select(claims, asked)
    rows = _judged(judge, claims, chosen, evidence)
    timed = rows["claim"].map(lambda name: claims[name].timed)
    tables.write_csv(finals(curves), outputs.runs)
    tables.write_csv(within.checkpoints(chosen, curves), outputs.curves)
    tables.write_csv(rows[timed], outputs.timing)
    tables.write_csv(rows[~timed], outputs.verdict)
    tables.write_csv(_judged(judge_beside, claims, chosen, evidence), outputs.beside)


def _judged(
    by: Callable[[Iterable[Claim], Evidence], pd.DataFrame],
    claims: Mapping[str, Claim],
    chosen: Sequence[Claim],
    evidence: Evidence,
) -> pd.DataFrame:
    """Judge those chosen; the others' rows say that nobody asked. In the order of the claims."""
    others = [claim for claim in claims.values() if claim not in chosen]
    unjudged = by(others, Evidence()).assign(evidence=NOT_ASKED)
    rows = pd.concat([by(chosen, evidence), unjudged]).set_index("claim", drop=False)
    return rows.loc[[name for name in claims if name in rows.index]]


def _curves(paths: Iterable[Location]) -> pd.DataFrame:
    parts = [tables.read_csv(Path(path), tables.RUN_COLUMNS) for path in paths]
    return pd.concat(parts, ignore_index=True) if parts else Evidence().runs


def finals(curves: pd.DataFrame) -> pd.DataFrame:
    """Keep the last round of every run, with its ratio; columns `RUNS_COLUMNS`."""
    curves = curves.reset_index(drop=True)
    last = curves.groupby(RUNS_COLUMNS[:4], sort=False)["round"].idxmax()
    final = curves.loc[last].reset_index(drop=True)
    ratio = final["regret"] / final["random_regret"].where(final["random_regret"] > 0)
    return final.assign(ratio=ratio)[RUNS_COLUMNS]
