"""A verdict in the folder of reference results: read its inputs, write its page in Markdown."""

from pathlib import Path

import pandas as pd

from horde import files
from horde.experiments import plan
from horde.verdict import reading
from horde.verdict.claims import TABLES, Claim, load
from horde.verdict.judge import Evidence, Outputs, read_evidence

# Paths of a verdict's files, the same in a run's folder and in the folder of reference results.
PLACES = Outputs(
    verdict="verdict.csv",
    timing="timing/verdict_timing.csv",
    alternative="timing/verdict_alternative.csv",
    runs="summary/verdict_runs.csv",
    curves="summary/verdict_curves.csv",
)
# The rules that it was judged by.
RULES = "claims.yaml"
# The verdict by version 1 of the rules.
VERSION_1 = "version-1/verdict.md"
_HEADINGS = (
    *("claim", "what the paper says", "what was found, and what the rule asks"),
    *("verdict", "alternative readings", "version 1"),
)


def read_folder(folder: str | Path) -> tuple[dict[str, Claim], Evidence]:
    """Read the rules and the inputs of the verdict in a folder, to judge again."""
    folder = Path(folder)
    named = {name: folder / place for name, place in TABLES.items() if (folder / place).exists()}
    config = files.read_json(folder / "config.json")
    if isinstance(first := config["seeds"]["fresh"], int):
        # Version 1 had the same first seed for all claims.
        config["seeds"]["fresh"] = {"verdict": first, "learning": first}
    fresh = {kind: plan.seeds(config, kind) for kind in ("verdict", "learning")}
    evidence = read_evidence((folder / PLACES.runs, folder / PLACES.curves), fresh, named)
    return load(folder / RULES), evidence


def markdown(folder: str | Path) -> str:
    """Write the verdict in a folder as a table in Markdown."""
    folder = Path(folder)
    verdict, timing, alternative = (pd.read_csv(folder / place) for place in PLACES[:3])
    verdict = pd.concat([verdict, timing])
    claims = load(folder / RULES)
    now, before = reading.counts(claims, verdict.set_index("claim")["verdict"])
    own = ", ".join(name for name, claim in claims.items() if not claim.before)
    lines = [
        "# The verdict on each claim",
        "",
        f"The rules are in [{RULES}]({RULES}); the evidence is in the CSV files of this folder.",
        f"Of {len(claims)} claims: {reading.counted(now)}."
        + (f" {own} are our own questions." if own else ""),
        f"By [version 1 of the rules]({VERSION_1}), on other seeds: {reading.counted(before)}.",
        "Version 2 was written knowing the verdicts of version 1.",
        "",
        f"| {' | '.join(_HEADINGS)} |",
        "|" + "---|" * len(_HEADINGS),
    ]
    for claim, row, others in reading.by_claim(claims, verdict, alternative):
        says = claim.statement + (f" “{claim.quote}”" if claim.quote else "")
        cells = (
            *(claim.name, says, reading.found(row), row["verdict"]),
            "; ".join(f"{other['reading']}: {other['verdict']}" for other in others),
            f"{claim.before.verdict}. {claim.before.change}" if claim.before else "new",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
