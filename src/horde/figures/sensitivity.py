"""Final ratios under each alternative, beside those of the configured choices."""

import os
import re
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from horde.figures.style import GREY, look, save, styled

_ROW = 0.3
_TOP, _BOTTOM, _LEFT, _RIGHT = 0.75, 0.95, 1.75, 1.9


def draw(
    table: pd.DataFrame,
    labels: dict[str, str],
    path_pdf: str | os.PathLike,
    path_png: str | os.PathLike,
    *,
    generated: bool = False,
    caption: dict[str, Any] | None = None,
) -> None:
    """Draw a panel a dataset: a line of points for each alternative, a point a policy it changes.

    Parameters
    ----------
    table : DataFrame
        As `horde.verdict.sensitivity.table` returns it; its first alternative is the baseline,
        drawn as lines from top to bottom.
    labels : dict of str
        The datasets' names.
    path_pdf, path_png : path
        Where to; ``NAME.json`` appears beside the PNG with the caption's data.
    generated : bool
        Whether the data were generated: the figure then says so.
    caption : dict, optional
        More data for the caption, JSON-able.
    """
    names = list(dict.fromkeys(table["alternative"]))
    told = {"alternatives": names, "seeds": int(table["seeds"].min()), "generated_data": generated}
    with styled():
        figure = _figure(table, names, labels, generated)
        save(figure, path_pdf, path_png, told | (caption or {}))


def _figure(
    table: pd.DataFrame, names: list[str], labels: dict[str, str], generated: bool
) -> Figure:
    datasets = list(dict.fromkeys(table["dataset"]))
    width = _LEFT + _RIGHT + 4.2 * len(datasets)
    height = _TOP + _BOTTOM + _ROW * len(names)
    figure = Figure(figsize=(width, height))
    grid = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
    figure.subplots_adjust(
        _LEFT / width, _BOTTOM / height, 1 - _RIGHT / width, 1 - _TOP / height, wspace=0.06
    )
    title = "What the open choices do" + (" (generated data, not the paper's)" if generated else "")
    figure.suptitle(title, x=0.1 / width, y=1 - 0.1 / height, ha="left", fontsize=12, weight="bold")
    for axes, dataset in zip(grid, datasets, strict=True):
        _panel(axes, table[table["dataset"] == dataset], names)
        axes.set_title(labels.get(dataset, dataset))
    grid[0].set_yticks(range(len(names)), names)
    grid[0].set_ylim(len(names) - 0.5, -0.5)
    _changes(grid[-1], table, names)
    handles = _handles(grid)
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="lower center",
        ncols=min(len(handles), 8),
        frameon=False,
        fontsize=8.5,
    )
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, names: list[str]) -> None:
    for policy, points in rows.groupby("policy", sort=False):
        appearance = look(policy)
        base = points.loc[points["alternative"] == names[0], "ratio_mean"]
        axes.vlines(base, -0.5, len(names) - 0.5, color=appearance.colour, lw=0.7, alpha=0.45)
        axes.plot(
            points["ratio_mean"],
            points["alternative"].map(names.index),
            linestyle="none",
            marker=appearance.marker or "|",
            color=appearance.colour,
            markeredgecolor="white",
            markersize=6.5,
            label=policy,
        )
    axes.set_xlabel("Final regret over Random's")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=True)


def _handles(grid: np.ndarray) -> dict[str, Any]:
    """Return policy -> its points, each once, whatever panel they are in."""
    found: dict[str, Any] = {}
    for axes in grid:
        handles, names = axes.get_legend_handles_labels()
        found |= dict(zip(names, handles, strict=True))
    return found


def _changes(axes: Axes, table: pd.DataFrame, names: list[str]) -> None:
    """Write beside each alternative which claims it gives another verdict."""
    x = 1.02
    axes.text(x, 1.02, "Other verdict on", transform=axes.transAxes, fontsize=8.5, color=GREY)
    changed = table.groupby("alternative")["claims_changed"].first()
    for position, name in enumerate(names):
        claims = re.findall(r"(?:^|; )(\w+):", str(changed[name] or ""))
        axes.text(
            x,
            position,
            ", ".join(claims) or "-",
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=8.5,
        )
