"""The verdict as a page: one row a claim, with the figure and the rows of data behind it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd

from horde.figures import page
from horde.verdict import reading, rules
from horde.verdict.claims import Claim
from horde.verdict.history import Change

_OUTCOMES = (
    rules.REPRODUCED,
    rules.NOT_REPRODUCED,
    rules.INCONCLUSIVE,
    rules.NOT_RUN,
)


@dataclass(frozen=True)
class Told:
    """What the page says beside the verdict.

    Attributes
    ----------
    run : str
        Name of the run.
    generated : bool
        Whether the data were generated.
    data : sequence of str
        What is known of each dataset.
    seeds : mapping of str to sequence of int
        The fresh seeds of each kind.
    changes : sequence of Change or None
        Of the rules since they were committed; None if unknown.
    """

    run: str
    generated: bool
    data: Sequence[str]
    seeds: Mapping[str, Sequence[int]]
    changes: Sequence[Change] | None


def write(
    path: str | os.PathLike,
    claims: Mapping[str, Claim],
    verdict: pd.DataFrame,
    alternative: pd.DataFrame,
    tables: Mapping[str, str | os.PathLike],
    figures: str | os.PathLike,
    told: Told,
) -> None:
    """Write the page.

    Parameters
    ----------
    path : path
        Where to.
    claims : mapping of str to Claim
        All claims; the page has their order.
    verdict : DataFrame
        Columns `horde.verdict.judge.COLUMNS`, one row a claim, in any order.
    alternative : DataFrame
        Columns `horde.verdict.judge.ALTERNATIVE_COLUMNS`, a row for each claim with such a reading.
    tables : mapping of str to path
        The files that claims were judged by, by name; ``runs`` is the table of the runs,
        ``curves`` that of checkpoints within them.
    figures : path
        The folder of the figures.
    told : Told
    """
    folder = Path(path).parent
    contents = {name: pd.read_csv(file) for name, file in tables.items()}
    addresses = {name: _relative(file, folder) for name, file in tables.items()}
    judged, alternatives = verdict.set_index("claim"), alternative.set_index("claim")
    behind = partial(_behind, contents=contents, addresses=addresses, seeds=told.seeds)
    table = "\n".join(
        _row(
            judged.loc[name],
            claim,
            _figure(claim, Path(figures), folder),
            behind(claim),
            _alternative(alternatives.loc[name], behind(claim.alternative))
            if claim.alternative
            else "",
        )
        for name, claim in claims.items()
    )
    head = "<th>Claim<th>The paper says<th>Verdict<th>Value [interval]<th>Alternative reading"
    body = (
        f"{_introduction(told, judged['verdict'])}\n<table>\n<thead><tr>{head}</thead>\n"
        f"<tbody>\n{table}\n</tbody>\n</table>\n{_history(told.changes)}"
    )
    page.write(path, f"Verdict on the paper's claims: run {told.run}", body, style="verdict.css")


def _introduction(told: Told, verdicts: pd.Series) -> str:
    counts = " ".join(
        f"<span>{_badge(outcome)} {(verdicts == outcome).sum()}</span>" for outcome in _OUTCOMES
    )
    seeds = "; ".join(f"{kind}: {values[0]} to {values[-1]}" for kind, values in told.seeds.items())
    banner = (
        '<p class="banner"><strong>Generated data, not the paper\'s.</strong> This page shows that '
        "the rules work; it says nothing about the paper's claims.</p>"
        if told.generated
        else ""
    )
    data = "".join(f"<li>{page.text(statement)}" for statement in told.data)
    return (
        f'{banner}\n<p class="counts">{counts}</p>\n'
        "<p>Each claim is judged by a rule that was fixed before any run on real data "
        "(<code>workflow/claims.yaml</code>): claims on regret on seeds that no figure and no "
        f"choice was made on ({page.text(seeds)}), the others by this run's tables, which figures "
        "show too. Claims marked <em>measured</em> rest on times, which differ from machine to "
        f"machine.</p>\n<details><summary>Data</summary><ul>{data}</ul></details>"
    )


def _badge(outcome: str) -> str:
    return f'<span class="outcome {outcome.replace(" ", "-")}">{outcome}</span>'


def _row(row: pd.Series, claim: Claim, figure: str, behind: str, alternative: str) -> str:
    measured = ' <span class="soft">measured</span>' if claim.timed else ""
    details = (
        f"<p><b>Statistic:</b> {page.text(row['statistic'])}"
        f"<p><b>Rule:</b> {page.text(row['rule'])}"
        f"<p><b>Found:</b> {page.text(row['evidence'])}"
        f"<p><b>Figure:</b> {figure}<p><b>Rows:</b> {behind}"
    )
    return (
        f'<tr id="{claim.name}"><td class="name">{claim.name}'
        f'<td class="says">{page.text(claim.statement)} '
        f'<span class="soft">{page.text(claim.source)}</span>'
        f"<details><summary>Evidence</summary>{details}</details>"
        f"<td>{_badge(row['verdict'])}{measured}"
        f'<td class="number">{_number(row)}</td><td class="alternative">{alternative}</td>'
    )


def _alternative(row: pd.Series, behind: str) -> str:
    """Write the verdict in the alternative reading."""
    return (
        f"{page.text(row['reading'])}: {_badge(row['verdict'])} {_number(row)}"
        f"<details><summary>Evidence</summary><p><b>Found:</b> {page.text(row['evidence'])}"
        f"<p><b>Rows:</b> {behind}</details>"
    )


def _number(row: pd.Series) -> str:
    told = reading.number(row)
    return f'{told} <span class="soft">{page.text(reading.unit(row))}</span>' if told else ""


def _figure(claim: Claim, figures: Path, folder: Path) -> str:
    if claim.figure is None:
        return "none"
    target = figures / f"{claim.figure}.png"
    return page.link(_relative(target, folder), claim.figure)


def _behind(
    claim: Claim,
    contents: Mapping[str, pd.DataFrame],
    addresses: Mapping[str, str],
    seeds: Mapping[str, Sequence[int]],
) -> str:
    found = reading.lines_behind(claim, contents, seeds.get(claim.seeds, ()))
    return (
        "; ".join(
            f"{page.link(addresses[name], addresses[name])}, lines {reading.ranges(lines)}"
            for name, lines in found.items()
        )
        or "none yet"
    )


def _relative(target: str | os.PathLike, folder: Path) -> str:
    return Path(os.path.relpath(target, folder)).as_posix()


def _history(changes: Sequence[Change] | None) -> str:
    if changes is None:
        told = "<p>Here git has no history of the rules; the project's repository has.</p>"
    elif not changes:
        told = "<p>Nothing has changed since the rules were first committed.</p>"
    else:
        items = "".join(
            f"<li>{page.text(claim)}, its {page.text(what)} ({page.text(when)})"
            for claim, what, when in changes
        )
        told = f"<p>Changed since they were first committed:</p><ul>{items}</ul>"
    return f"<h2>Changes of the rules</h2>\n{told}"
