"""Whether a published verdict belongs to the tables that lie beside it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from horde import files
from horde.experiments import plan
from horde.results import tables
from horde.verdict import needs, units
from horde.verdict.claims import Claim
from horde.verdict.engine import BESIDE_COLUMNS, Evidence, judge, judge_beside
from horde.verdict.from_files import NOT_ASKED

VERDICTS = ("verdict.csv", "timing/verdict_timing.csv")
RUNS = "summary/verdict_runs.csv"
BESIDE = "timing/verdict_beside.csv"
CURVES = "summary/verdict_curves.csv"
# Of claims, in the order of the paper's sections.
LETTERS = "SRLTB"
_HEADINGS = (
    *("claim", "what the paper says", "what was measured"),
    *("value, interval", "verdict", "beside it"),
)
_NUMBERS = ["value", "low", "high"]


def disagreements(folder: str | Path, claims: Mapping[str, Claim]) -> list[str]:
    """Judge again by the tables of a folder, and name what comes out otherwise.

    Parameters
    ----------
    folder : path
        Holds `VERDICTS` and what they rest on, or nothing.
    claims : mapping of str to Claim
        All claims.

    Returns
    -------
    list of str
        One line for each claim without a verdict, each verdict without a claim, and each claim
        whose verdict or numbers differ.
    """
    folder = Path(folder)
    verdicts = _verdicts(folder)
    if verdicts.empty:
        return []
    evidence = _evidence(folder)
    twofold = {name: claim for name, claim in claims.items() if claim.beside}
    return _against(verdicts, claims, judge, evidence) + [
        f"beside {line}" for line in _against(_beside(folder), twofold, judge_beside, evidence)
    ]


def _against(
    published: pd.DataFrame,
    claims: Mapping[str, Claim],
    by: Callable[[Iterable[Claim], Evidence], pd.DataFrame],
    evidence: Evidence,
) -> list[str]:
    strangers = [
        f"{name}: has {number} verdicts instead of {int(name in claims)}"
        for name, number in Counter([*published.index]).items()
        if number != int(name in claims)
    ] + [f"{name}: has no verdict" for name in claims if name not in published.index]
    if strangers:
        return strangers
    unasked = published["evidence"] == NOT_ASKED
    judged = [
        by([claims[name] for name in published.index[chosen]], known)
        for chosen, known in ((~unasked, evidence), (unasked, Evidence()))
    ]
    rows = pd.concat(judged).set_index("claim")
    return [
        f"{name}: {_told(published.loc[name])} is published, but its tables say {_told(row)}"
        for name, row in rows.iterrows()
        if not _same(published.loc[name], row)
    ]


def markdown(folder: str | Path) -> str:
    """Write the verdicts of a folder that holds `VERDICTS` as a table in Markdown."""
    lines = [
        "# The verdict on each claim",
        "",
        "The rules stand in `workflow/claims.yaml`, the evidence in the CSV files beside this one.",
        "Of a claim with several parts the value is of the one that decides.",
        "",
        f"| {' | '.join(_HEADINGS)} |",
        "|" + "---|" * len(_HEADINGS),
    ]
    verdicts, beside = _verdicts(Path(folder)), _beside(Path(folder))
    for name in sorted(verdicts.index, key=lambda name: (LETTERS.index(name[0]), int(name[1:]))):
        row = verdicts.loc[name]
        other = _told_beside(beside.loc[name]) if name in beside.index else ""
        cells = (name, row["statement"], row["statistic"], _number(row), row["verdict"], other)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _told_beside(row: pd.Series) -> str:
    number = _number(row)
    return f"{row['reading']}: {row['verdict']}" + (f", {number}" if number else "")


def _number(row: pd.Series) -> str:
    return f"{units.number(row)} {units.unit(row)}".strip()


def _verdicts(folder: Path) -> pd.DataFrame:
    found = [folder / name for name in VERDICTS if (folder / name).exists()]
    table = pd.concat([pd.DataFrame({"claim": []}), *(pd.read_csv(path) for path in found)])
    return table.set_index("claim")


def _beside(folder: Path) -> pd.DataFrame:
    path = folder / BESIDE
    table = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=BESIDE_COLUMNS)
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
    fresh = {kind: plan.seeds(config, kind) for kind in ("verdict", "learning")}
    found = [tables.read_csv(folder / place, tables.RUN_COLUMNS) for place in (RUNS, CURVES)]
    # A run's last round is in both; numbers stay numbers where one of the two is empty.
    runs = pd.concat(found)[tables.RUN_COLUMNS].drop_duplicates().infer_objects()
    return Evidence(runs, fresh, known)


def _same(one: pd.Series, other: pd.Series) -> bool:
    numbers = ([float(row[name]) for name in _NUMBERS] for row in (one, other))
    return one["verdict"] == other["verdict"] and np.allclose(
        *numbers, rtol=1e-4, atol=1e-9, equal_nan=True
    )


def _told(row: pd.Series) -> str:
    return f"{row['verdict']} ({row['value']:.6g} [{row['low']:.6g}, {row['high']:.6g}])"
