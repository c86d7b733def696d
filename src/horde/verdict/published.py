"""A verdict in the folder of reference results: read its inputs, write its page in Markdown."""

from pathlib import Path

import pandas as pd

from horde import files
from horde.experiments import plan
from horde.verdict import reading
from horde.verdict.claims import TABLES
from horde.verdict.judge import Evidence, Outputs, read_evidence

# Paths of a verdict's files, the same in a run's folder and in the folder of reference results.
PLACES = Outputs(
    verdict="verdict.csv",
    timing="timing/verdict_timing.csv",
    alternative="timing/verdict_alternative.csv",
    runs="summary/verdict_runs.csv",
    curves="summary/verdict_curves.csv",
)
# Letters of claims, in the order of the paper's sections.
LETTERS = "SRLTB"
_HEADINGS = (
    *("claim", "what the paper says", "what was measured"),
    *("value, interval", "verdict", "alternative reading"),
)


def read_folder(folder: str | Path) -> Evidence:
    """Read the inputs of the verdict in a folder, to judge again with the same result."""
    folder = Path(folder)
    named = {name: folder / place for name, place in TABLES.items() if (folder / place).exists()}
    config = files.read_json(folder / "config.json")
    fresh = {kind: plan.seeds(config, kind) for kind in ("verdict", "learning")}
    return read_evidence((folder / PLACES.runs, folder / PLACES.curves), fresh, named)


def markdown(folder: str | Path) -> str:
    """Write the verdict in a folder as a table in Markdown."""
    verdict, timing, alternative = (pd.read_csv(Path(folder) / place) for place in PLACES[:3])
    rows = {row["claim"]: row for _, row in pd.concat([verdict, timing]).iterrows()}
    others = {row["claim"]: row for _, row in alternative.iterrows()}
    lines = [
        "# The verdict on each claim",
        "",
        "The rules are in `workflow/claims.yaml`; the evidence is in the CSV files of this folder.",
        "For a claim with several parts, the value is that of the part that decides.",
        "",
        f"| {' | '.join(_HEADINGS)} |",
        "|" + "---|" * len(_HEADINGS),
    ]
    for name in sorted(rows, key=lambda name: (LETTERS.index(name[0]), int(name[1:]))):
        row, other = rows[name], ""
        if name in others:
            read = others[name]
            other = ", ".join(
                filter(None, (f"{read['reading']}: {read['verdict']}", _number(read)))
            )
        cells = (name, row["statement"], row["statistic"], _number(row), row["verdict"], other)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _number(row: pd.Series) -> str:
    return f"{reading.number(row)} {reading.unit(row)}".strip()
