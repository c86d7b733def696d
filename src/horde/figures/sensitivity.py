"""Final ratios under each alternative, beside those of the configured choices."""

import os
import re
from collections.abc import Mapping
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from horde.figures.style import GREY, Look, looks, save, styled

# Inches: of a policy's lane within the row of an alternative, between rows, of a line of text.
_LANE, _BETWEEN, _LINE = 0.065, 0.1, 0.16
_TOP, _BOTTOM, _LEFT, _RIGHT = 0.75, 1.05, 1.75, 1.9
_LETTERS = 17  # of a line of text, an inch
# What stands before a claim that is given such a verdict.
_SIGNS = {"reproduced": "+", "not reproduced": "\N{MINUS SIGN}", "inconclusive": "?"}


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
        The datasets' names.
    statements : mapping of str to str
        What each claim says; written below for those that get another verdict.
    path_pdf, path_png : path
        Where to; ``NAME.json`` appears beside the PNG with the caption's data.
    generated : bool
        Whether the data were generated: the figure then says so.
    caption : dict, optional
        More data for the caption, JSON-able.
    """
    names = list(dict.fromkeys(table["alternative"]))
    changed = {name: _claims(table, name) for name in names}
    named = {claim for claims in changed.values() for claim in claims}
    key = {claim: text for claim, text in statements.items() if claim in named}
    told = {
        "alternatives": names,
        "seeds": int(table["seeds"].min()),
        "generated_data": generated,
        "claims with another verdict": [f"{claim} ({text})" for claim, text in key.items()],
    }
    with styled():
        figure = _figure(table, changed, labels, key, generated)
        save(figure, path_pdf, path_png, told | (caption or {}))


def _claims(table: pd.DataFrame, alternative: str) -> dict[str, str]:
    """Return claim -> its verdict under an alternative, where that is another one."""
    changed = table.loc[table["alternative"] == alternative, "claims_changed"].iloc[0]
    return dict(re.findall(r"(?:^|; )(\w+): [\w ]+ to ([\w ]+)", str(changed or "")))


def _figure(
    table: pd.DataFrame,
    changed: Mapping[str, dict[str, str]],
    labels: Mapping[str, str],
    key: Mapping[str, str],
    generated: bool,
) -> Figure:
    names, drawn = list(changed), looks(table["policy"])
    datasets = list(dict.fromkeys(table["dataset"]))
    width = _LEFT + _RIGHT + 4.2 * len(datasets)
    lines = [
        line
        for claim, text in key.items()
        for line in wrap(f"{claim}: {text}", int(_LETTERS * width), subsequent_indent="      ")
    ]
    bottom = _BOTTOM + _LINE * len(lines)
    height = _TOP + bottom + (_BETWEEN + _LANE * len(drawn)) * len(names)
    figure = Figure(figsize=(width, height))
    grid = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
    figure.subplots_adjust(
        _LEFT / width, bottom / height, 1 - _RIGHT / width, 1 - _TOP / height, wspace=0.1
    )
    title = "What the open choices do" + (" (generated data, not the paper's)" if generated else "")
    figure.suptitle(title, x=0.1 / width, y=1 - 0.1 / height, ha="left", fontsize=12, weight="bold")
    for axes, dataset in zip(grid, datasets, strict=True):
        _panel(axes, table[table["dataset"] == dataset], names, drawn)
        axes.set_title(labels.get(dataset, dataset))
    grid[0].set_yticks(range(len(names)), names)
    grid[0].set_ylim(len(names) - 0.5, -0.5)
    _changes(grid[-1], changed)
    figure.text(0.1 / width, 0.1 / height, "\n".join(lines), fontsize=8.5, color=GREY, va="bottom")
    handles = _handles(grid)
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="lower center",
        bbox_to_anchor=(0.5, (bottom - _BOTTOM + 0.1) / height),
        ncols=min(len(handles), 8),
        frameon=False,
        fontsize=8.5,
    )
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, names: list[str], drawn: Mapping[str, Look]) -> None:
    for place in range(1, len(names), 2):
        axes.axhspan(place - 0.5, place + 0.5, color="#f3f3f3", zorder=0)
    lane = _LANE / (_BETWEEN + _LANE * len(drawn))
    for place, (policy, appearance) in enumerate(drawn.items()):
        points = rows[rows["policy"] == policy]
        base = points.loc[points["alternative"] == names[0], "ratio_mean"]
        axes.vlines(base, -0.5, len(names) - 0.5, color=appearance.colour, lw=0.7, alpha=0.45)
        axes.plot(
            points["ratio_mean"],
            points["alternative"].map(names.index) + lane * (place - (len(drawn) - 1) / 2),
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


def _handles(grid: np.ndarray) -> dict[str, Any]:
    """Return policy -> its points, each once, whatever panel they are in."""
    found: dict[str, Any] = {}
    for axes in grid:
        handles, names = axes.get_legend_handles_labels()
        found |= dict(zip(names, handles, strict=True))
    return found


def _changes(axes: Axes, changed: Mapping[str, dict[str, str]]) -> None:
    """Write beside each alternative which claims it gives another verdict, and which."""
    x = 1.02
    signs = "\n".join(f"{sign} {verdict}" for verdict, sign in _SIGNS.items())
    axes.annotate(
        f"Claims with another verdict:\n{signs}",
        (x, 1),
        (0, 3),
        xycoords=axes.transAxes,
        textcoords="offset points",
        fontsize=8,
        color=GREY,
    )
    for position, claims in enumerate(changed.values()):
        axes.text(
            x,
            position,
            ", ".join(f"{_SIGNS[verdict]}{claim}" for claim, verdict in claims.items()) or "none",
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=8.5,
        )
