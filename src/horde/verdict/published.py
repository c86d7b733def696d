"""Whether a published verdict follows from the tables published with it; the verdict as a page."""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from horde import files
from horde.experiments import plan
from horde.verdict import reading
from horde.verdict.claims import TABLES, Claim
from horde.verdict.judge import (
    ALTERNATIVE_COLUMNS,
    NOT_ASKED,
    NUMBERS,
    Evidence,
    judge,
    judge_alternatives,
    read_evidence,
)

VERDICTS = ("verdict.csv", "timing/verdict_timing.csv")
ALTERNATIVE = "timing/verdict_alternative.csv"
RUNS = "summary/verdict_runs.csv"
CURVES = "summary/verdict_curves.csv"
# Of claims, in the order of the paper's sections.
LETTERS = "SRLTB"
_HEADINGS = (
    *("claim", "what the paper says", "what was measured"),
    *("value, interval", "verdict", "alternative reading"),
)


def disagreements(folder: str | Path, claims: Mapping[str, Claim]) -> list[str]:
    """Judge again by the tables of a folder, and name each difference from its verdict.

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
    evidence = read_folder(folder)
    read = {name: claim for name, claim in claims.items() if claim.alternative}
    others = _differences(_alternatives(folder), read, judge_alternatives, evidence)
    return _differences(verdicts, claims, judge, evidence) + [
        f"alternative reading of {line}" for line in others
    ]


def _differences(
    published: pd.DataFrame,
    claims: Mapping[str, Claim],
    judge_by: Callable[..., pd.DataFrame],
    evidence: Evidence,
) -> list[str]:
    expected = dict.fromkeys(published.index, 0) | dict.fromkeys(claims, 1)
    found = Counter(published.index)
    strangers = [
        f"{name}: has {found[name]} verdicts instead of {number}"
        for name, number in expected.items()
        if found[name] != number
    ]
    if strangers:
        return strangers
    asked = published.index[published["evidence"] != NOT_ASKED]
    judged = judge_by(claims.values(), evidence, {*asked}).set_index("claim")
    return [
        f"{name}: {_summary(published.loc[name])} is published, but its tables give {_summary(row)}"
        for name, row in judged.iterrows()
        if not _same(published.loc[name], row)
    ]


def markdown(folder: str | Path) -> str:
    """Write the verdicts of a folder that holds `VERDICTS` as a table in Markdown."""
    lines = [
        "# The verdict on each claim",
        "",
        "The rules are in `workflow/claims.yaml`; the evidence is in the CSV files of this folder.",
        "For a claim with several parts, the value is that of the part that decides.",
        "",
        f"| {' | '.join(_HEADINGS)} |",
        "|" + "---|" * len(_HEADINGS),
    ]
    verdicts, alternatives = _verdicts(Path(folder)), _alternatives(Path(folder))
    for name in sorted(verdicts.index, key=lambda name: (LETTERS.index(name[0]), int(name[1:]))):
        row, other = verdicts.loc[name], ""
        if name in alternatives.index:
            read = alternatives.loc[name]
            other = ", ".join(
                filter(None, (f"{read['reading']}: {read['verdict']}", _number(read)))
            )
        cells = (name, row["statement"], row["statistic"], _number(row), row["verdict"], other)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _number(row: pd.Series) -> str:
    return f"{reading.number(row)} {reading.unit(row)}".strip()


def _verdicts(folder: Path) -> pd.DataFrame:
    found = [folder / name for name in VERDICTS if (folder / name).exists()]
    table = pd.concat([pd.DataFrame({"claim": []}), *(pd.read_csv(path) for path in found)])
    return table.set_index("claim")


def _alternatives(folder: Path) -> pd.DataFrame:
    path = folder / ALTERNATIVE
    table = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=ALTERNATIVE_COLUMNS)
    return table.set_index("claim")


def read_folder(folder: str | Path) -> Evidence:
    """Read what the verdict in a folder of reference results rests on."""
    folder = Path(folder)
    named = {name: folder / place for name, place in TABLES.items() if (folder / place).exists()}
    config = files.read_json(folder / "config.json")
    fresh = {kind: plan.seeds(config, kind) for kind in ("verdict", "learning")}
    return read_evidence((folder / RUNS, folder / CURVES), fresh, named)


def _same(one: pd.Series, other: pd.Series) -> bool:
    numbers = (row[NUMBERS].astype(float) for row in (one, other))
    return one["verdict"] == other["verdict"] and np.allclose(
        *numbers, rtol=1e-5, atol=1e-9, equal_nan=True
    )


def _summary(row: pd.Series) -> str:
    return f"{row['verdict']} ({row['value']:.6g} [{row['low']:.6g}, {row['high']:.6g}])"
