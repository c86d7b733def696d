"""Final ratios under each alternative, beside those of the configured choices."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from horde.figures.style import GREY, Look, looks, save, styled
from horde.verdict.reading import ranges

# Inches: of a policy's lane within the row of an alternative, around them, of a row at least, and
# of a line of text.
_LANE, _AROUND, _LEAST, _LINE = 0.085, 0.12, 0.4, 0.16
_TOP, _BOTTOM, _LEFT, _RIGHT = 1.0, 0.65, 2.15, 2.05
_LETTERS = 14  # of a line of text, an inch
# What stands before a claim that is given such a verdict.
_SIGNS = {"reproduced": "+", "not reproduced": "\N{MINUS SIGN}", "inconclusive": "?"}


@dataclass(frozen=True)
class _Row:
    """What an alternative's row shows.

    `changed` has claim -> another verdict, `unjudged` the claims that could not be judged; the
    policies of all panels have lanes; `centre` and `height` are in inches from the top.
    """

    label: str
    policies: tuple[str, ...]
    changed: Mapping[str, str]
    unjudged: str
    centre: float
    height: float


def draw(
    table: pd.DataFrame,
    labels: Mapping[str, str],
    statements: Mapping[str, str],
    path_pdf: str | os.PathLike,
    path_png: str | os.PathLike,
    *,
    generated: bool = False,
    caption: dict[str, Any] | None = None,
) -> None:
    """Draw a panel a dataset: a row of points for each alternative, a point a policy it changes.

    Each policy has a lane of its own within the rows, so that equal ratios hide nothing.

    Parameters
    ----------
    table : DataFrame
        As `horde.verdict.sensitivity.table` returns it; its first alternative is the baseline,
        drawn as lines from top to bottom.
    labels : mapping of str to str
        The datasets' names, and the alternatives' in words, as far as they have any.
    statements : mapping of str to str
        What each claim says; written below for those that get another verdict.
    path_pdf, path_png : path
        Where to; ``NAME.json`` appears beside the PNG with the caption's data.
    generated : bool
        Whether the data were generated: the figure then says so.
    caption : dict, optional
        More data for the caption, JSON-able.
    """
    rows = _rows(table, labels)
    named = {claim for row in rows.values() for claim in row.changed}
    key = {claim: text for claim, text in statements.items() if claim in named}
    told = {
        "alternatives": list(rows),
        "seeds": int(table["seeds"].min()),
        "generated_data": generated,
        "claims with another verdict": [f"{claim} ({text})" for claim, text in key.items()],
        "claims that could not be judged": _by_claims(rows),
    }
    with styled():
        figure = _figure(table, rows, labels, key, generated)
        save(figure, path_pdf, path_png, told | (caption or {}))


def _rows(table: pd.DataFrame, labels: Mapping[str, str]) -> dict[str, _Row]:
    order, rows, top = list(looks(table["policy"])), {}, 0.0
    for name, part in table.groupby("alternative", sort=False):
        policies = tuple(policy for policy in order if policy in set(part["policy"]))
        height = max(_LEAST, _AROUND + _LANE * len(policies))
        found = re.findall(r"(?:^|; )(\w+): [\w ]+ to ([\w ]+)", _text(part, "claims_changed"))
        unjudged = _condensed(re.findall(r"\w+", _text(part, "claims_not_judged")))
        label = f"{labels[name]}\n({name})" if name in labels else name
        rows[name] = _Row(label, policies, dict(found), unjudged, top + height / 2, height)
        top += height
    return rows


def _text(part: pd.DataFrame, column: str) -> str:
    """Return what stands in all rows of an alternative; an empty field was read as NaN."""
    return part[column].fillna("").iloc[0]


def _condensed(claims: Sequence[str]) -> str:
    """Write L1, L2, L3, R5 as L1-L3, R5."""
    numbers: dict[str, list[int]] = {}
    for claim in claims:
        numbers.setdefault(claim[0], []).append(int(claim[1:]))
    return ", ".join(
        re.sub(r"(\d+)", rf"{letter}\1", ranges(found)) for letter, found in numbers.items()
    )


def _by_claims(rows: Mapping[str, _Row]) -> list[str]:
    names: dict[str, list[str]] = {}
    for name, row in rows.items():
        names.setdefault(row.unjudged, []).append(name)
    return [f"{claims} ({', '.join(under)})" for claims, under in names.items() if claims]


def _figure(
    table: pd.DataFrame,
    rows: Mapping[str, _Row],
    labels: Mapping[str, str],
    key: Mapping[str, str],
    generated: bool,
) -> Figure:
    drawn = looks(table["policy"])
    datasets = list(dict.fromkeys(table["dataset"]))
    columns = 4 * len(datasets)  # of the legend
    width = _LEFT + _RIGHT + 4.2 * len(datasets)
    lines = [
        line
        for claim, text in key.items()
        for line in wrap(f"{claim}: {text}", int(_LETTERS * width), subsequent_indent="      ")
    ]
    top, bottom = _TOP + _LINE * -(-len(drawn) // columns), _BOTTOM + _LINE * len(lines)
    height = top + bottom + sum(row.height for row in rows.values())
    figure = Figure(figsize=(width, height))
    grid = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
    figure.subplots_adjust(
        _LEFT / width, bottom / height, 1 - _RIGHT / width, 1 - top / height, wspace=0.1
    )
    title = "What the open choices do" + (" (generated data, not the paper's)" if generated else "")
    figure.suptitle(title, x=0.1 / width, y=1 - 0.1 / height, ha="left", fontsize=12, weight="bold")
    for axes, dataset in zip(grid, datasets, strict=True):
        _panel(axes, table[table["dataset"] == dataset], rows, drawn)
        axes.set_title(labels.get(dataset, dataset))
    grid[0].set_yticks([row.centre for row in rows.values()], [row.label for row in rows.values()])
    grid[0].set_ylim(sum(row.height for row in rows.values()), 0)
    _changes(grid[-1], list(rows.values()))
    figure.text(0.1 / width, 0.1 / height, "\n".join(lines), fontsize=8.5, color=GREY, va="bottom")
    handles = _handles(grid)
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="upper left",
        bbox_to_anchor=((_LEFT - 0.1) / width, 1 - 0.35 / height),
        ncols=columns,
        frameon=False,
        fontsize=8.5,
        borderaxespad=0,
    )
    return figure


def _panel(
    axes: Axes, points: pd.DataFrame, rows: Mapping[str, _Row], drawn: Mapping[str, Look]
) -> None:
    baseline, *others = rows
    for name in others[::2]:
        row = rows[name]
        axes.axhspan(
            row.centre - row.height / 2, row.centre + row.height / 2, color="#f3f3f3", zorder=0
        )
    for policy, appearance in drawn.items():
        found = points[points["policy"] == policy]
        base = found.loc[found["alternative"] == baseline, "ratio_mean"]
        bottom = rows[[*rows][-1]]
        axes.vlines(
            base, 0, bottom.centre + bottom.height / 2, color=appearance.colour, lw=0.7, alpha=0.45
        )
        axes.plot(
            found["ratio_mean"],
            [_lane(rows[name], policy) for name in found["alternative"]],
            linestyle="none",
            marker=appearance.marker or "|",
            color=appearance.colour,
            markeredgecolor="white",
            markersize=5.5,
            label=policy,
        )
    axes.set_xlabel("Final regret over Random's")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)


def _lane(row: _Row, policy: str) -> float:
    return row.centre + _LANE * (row.policies.index(policy) - (len(row.policies) - 1) / 2)


def _handles(grid: np.ndarray) -> dict[str, Any]:
    """Return policy -> its points, each once, whatever panel they are in."""
    found: dict[str, Any] = {}
    for axes in grid:
        handles, names = axes.get_legend_handles_labels()
        found |= dict(zip(names, handles, strict=True))
    return found


def _changes(axes: Axes, rows: Sequence[_Row]) -> None:
    """Write beside each alternative which claims it gives another verdict, and which."""
    x = 1.02
    signs = "\n".join(f"{sign} {verdict}" for verdict, sign in _SIGNS.items())
    axes.annotate(
        f"Claims with another verdict:\n{signs}\nnot judged: a policy was not run",
        (x, 1),
        (0, 3),
        xycoords=axes.transAxes,
        textcoords="offset points",
        fontsize=8,
        color=GREY,
    )
    for place, row in enumerate(rows):
        claims = ", ".join(f"{_SIGNS[verdict]}{claim}" for claim, verdict in row.changed.items())
        told = [claims or "none"] if place else []
        told += [f"not judged: {row.unjudged}"] if row.unjudged else []
        axes.text(
            x,
            row.centre,
            "\n".join(line for text in told for line in wrap(text, int(_LETTERS * _RIGHT))),
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=8.5,
        )
