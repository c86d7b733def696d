"""Whether a published verdict belongs to the tables that lie beside it."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from horde import files, tables
from horde.experiments import plan
from horde.stats import Interval
from horde.verdict import needs
from horde.verdict.claims import REGRET_RULES, Claim, Rule, side_of
from horde.verdict.engine import Evidence, judge
from horde.verdict.from_files import NOT_ASKED
from horde.verdict.outcomes import shown

VERDICTS = ("verdict.csv", "timing/verdict_timing.csv")
RUNS = "summary/verdict_runs.csv"
# Of claims, in the order of the paper's sections.
LETTERS = "SRLTB"
_NUMBERS = ["value", "low", "high"]


def disagreements(folder: str | Path, claims: Mapping[str, Claim]) -> list[str]:
    """Judge again what can be judged by the tables of a folder, and name what comes out otherwise.

    Parameters
    ----------
    folder : path
        Holds `VERDICTS` and what they rest on, or a part of this, or nothing.
    claims : mapping of str to Claim
        All claims.

    Returns
    -------
    list of str
        One line for each claim whose verdict or numbers differ. Claims on parts of a run need its
        whole curve, and are not judged again.
    """
    folder = Path(folder)
    published = _verdicts(folder)
    evidence = _evidence(folder)
    again = [
        claims[name]
        for name, row in published.iterrows()
        if row["evidence"] != NOT_ASKED and _can_be_judged(claims[name], evidence)
    ]
    judged = judge(again, evidence).set_index("claim")
    return [
        f"{name}: {_told(row)} is published, but its tables say {_told(judged.loc[name])}"
        for name, row in published.loc[judged.index].iterrows()
        if not _same(row, judged.loc[name])
    ]


def markdown(folder: str | Path) -> str:
    """Write the verdicts of a folder that holds `VERDICTS` as a table in Markdown."""
    lines = [
        "# The verdict on each claim",
        "",
        "The rules stand in `workflow/claims.yaml`, the evidence in the CSV files beside this one.",
        "Of a claim with several parts the value is of the one that decides.",
        "",
        "| claim | what the paper says | what was measured | value, interval | verdict |",
        "|---|---|---|---|---|",
    ]
    verdicts = _verdicts(Path(folder))
    for name in sorted(verdicts.index, key=lambda name: (LETTERS.index(name[0]), int(name[1:]))):
        row = verdicts.loc[name]
        value = shown(Interval(*(float(row[column]) for column in _NUMBERS)))
        cells = (name, row["statement"], row["statistic"], value, row["verdict"])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _verdicts(folder: Path) -> pd.DataFrame:
    found = [folder / name for name in VERDICTS if (folder / name).exists()]
    table = pd.concat([pd.DataFrame({"claim": []}), *(pd.read_csv(path) for path in found)])
    return table.set_index("claim")


def _evidence(folder: Path) -> Evidence:
    known = {
        name: tables.read_csv(folder / place)
        for name, place in needs.TABLES.items()
        if (folder / place).exists()
    }
    if not (folder / RUNS).exists():
        return Evidence(tables=known)
    config = files.read_json(folder / "config.json")
    fresh = {kind: plan.fresh_seeds(config, kind) for kind in ("verdict", "learning")}
    return Evidence(tables.read_csv(folder / RUNS, tables.RUN_COLUMNS), fresh, known)


def _can_be_judged(claim: Claim, evidence: Evidence) -> bool:
    """Whether all its rules are on whole runs, or on tables that are there."""
    if needs.sides(claim) and evidence.runs.empty:
        return False
    return all(
        _on_whole_runs(rule) if rule.kind in REGRET_RULES else rule.spec["table"] in evidence.tables
        for rule in claim.rules
    )


def _on_whole_runs(rule: Rule) -> bool:
    sides = [side_of(rule.spec, key) for key in ("a", "b") if key in rule.spec]
    return rule.kind != "growth" and all(side["over"] == [0, 1] for side in sides)


def _same(one: pd.Series, other: pd.Series) -> bool:
    numbers = ([float(row[name]) for name in _NUMBERS] for row in (one, other))
    return one["verdict"] == other["verdict"] and np.allclose(
        *numbers, rtol=1e-4, atol=1e-9, equal_nan=True
    )


def _told(row: pd.Series) -> str:
    return f"{row['verdict']} ({row['value']:.6g} [{row['low']:.6g}, {row['high']:.6g}])"
