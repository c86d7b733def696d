"""Figures 2 and 3: cumulative regret over the random policy's, against the round."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from horde.errors import DataError
from horde.figures.labels import End, label_ends
from horde.figures.style import GREY, Look, looks, save, styled

TITLES = {"tuned": "Tuned hyper-parameters", "paper": "The paper's hyper-parameters"}
_LOCAL_LABELS = {"GOBLIN": "GOBLIN (local solver)"}
_MARKERS = 6
# With two seeds the t-interval is 25 standard errors wide: it would only hide the curves.
SEEDS_FOR_BANDS = 3


def draw(
    table: pd.DataFrame,
    dataset: str,
    path_pdf: str | os.PathLike,
    path_png: str | os.PathLike,
    *,
    label: str | None = None,
    variants: Sequence[str] = ("tuned", "paper"),
    generated: bool = False,
    caption: dict[str, Any] | None = None,
) -> None:
    """Draw the regret curves of one dataset, a panel a setting, and write the figure's files.

    A policy without hyper-parameters is run once and drawn in the first panel only: Random, which
    in every panel lies about the line at 1, its expectation.

    Parameters
    ----------
    table : DataFrame
        As `horde.results.tables.regret_table` returns it; rows of other datasets are ignored.
    dataset : str
        Which dataset to draw.
    path_pdf, path_png : path
        Where to; ``NAME.json`` appears beside the PNG with the caption's data.
    label : str, optional
        The dataset's name in the title; else `dataset`.
    variants : sequence of str
        Panels from left to right; a setting without rows gets none.
    generated : bool
        Whether the data were generated: the figure then says so.
    caption : dict, optional
        More data for the caption (data identity, deviations), JSON-able.

    Raises
    ------
    DataError
        If the table has no row of this dataset and these settings.
    """
    rows = table[(table["dataset"] == dataset) & table["variant"].isin(variants)]
    panels = [variant for variant in variants if (rows["variant"] == variant).any()]
    if not panels:
        raise DataError(f"there is no curve of {dataset} to draw; run its policies first")
    with styled():
        figure = _figure(rows, panels, label or dataset, generated)
        save(figure, path_pdf, path_png, {**_caption(rows, dataset, generated), **(caption or {})})


def _caption(rows: pd.DataFrame, dataset: str, generated: bool) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "generated_data": generated,
        "variants": rows["variant"].unique().tolist(),
        "policies": rows["policy"].unique().tolist(),
        "rounds": int(rows["round"].max()),
        "seeds": _seeds(rows),
        "bands": bands(_seeds(rows)),
    }


def _seeds(rows: pd.DataFrame) -> int:
    """Return over how many seeds the curves are averaged, the least if that differs."""
    return int(rows["seeds"].min())


def bands(seeds: int) -> str:
    """Return what a caption says of the bands: nothing where so few seeds have none."""
    return "95 % Student's t-interval over seeds" if seeds >= SEEDS_FOR_BANDS else ""


def _averaging(seeds: int) -> str:
    if seeds < SEEDS_FOR_BANDS:
        return "one run" if seeds == 1 else f"mean of {seeds} runs"
    return f"mean and 95 % interval of {seeds} runs"


def _figure(rows: pd.DataFrame, panels: Sequence[str], title: str, generated: bool) -> Figure:
    width, left, right, gap = 5.1 * len(panels) + 0.3, 0.65, 1.65, 1.85
    figure = Figure(figsize=(width, 4.4))
    grid = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    panel = (width - left - right - gap * (len(panels) - 1)) / len(panels)
    top = 0.82 if generated else 0.85
    figure.subplots_adjust(left / width, 0.12, 1 - right / width, top, wspace=gap / panel)
    figure.suptitle(title, x=left / width, y=0.985, ha="left", fontsize=12, weight="bold")
    if generated:
        figure.text(left / width, 0.91, "generated data, not the paper's", fontsize=8.5, color=GREY)
    figure.text(
        1 - 0.1 / width, 0.025, _averaging(_seeds(rows)), ha="right", fontsize=8.5, color=GREY
    )
    appearances = curve_looks(rows["policy"])
    for axes, variant in zip(grid, panels, strict=True):
        _curves(axes, rows[rows["variant"] == variant], appearances)
        axes.set_title(TITLES.get(variant, variant))
        axes.set_xlabel("Round")
        axes.set_ylabel("")
    _scales(grid[0], rows)
    grid[0].set_ylabel("Cumulative regret over Random's")
    for axes, variant in zip(grid, panels, strict=True):
        label_ends(axes, _ends(rows[rows["variant"] == variant], appearances))
    return figure


def curve_looks(policies: Iterable[str]) -> dict[str, Look]:
    """Return what `looks` does; GOBLIN is named by its solver, which is not the paper's."""
    return {
        policy: replace(own, label=_LOCAL_LABELS.get(policy, policy))
        for policy, own in looks(policies).items()
    }


def _curves(axes: Axes, rows: pd.DataFrame, appearances: Mapping[str, Look]) -> None:
    axes.axhline(1.0, color=GREY, linewidth=0.7, zorder=0)
    policies = rows["policy"].unique()
    for position, policy in enumerate(policies):
        curve, appearance = rows[rows["policy"] == policy], appearances[policy]
        step = max(len(curve) // _MARKERS, 1)
        sns.lineplot(
            x=curve["round"],
            y=curve["ratio_mean"],
            ax=axes,
            errorbar=None,
            legend=False,
            color=appearance.colour,
            linestyle=appearance.dashes,
            marker=appearance.marker or "None",
            markeredgecolor="white",
            markevery=(step * (position + 1) // (len(policies) + 1), step),
        )
        if _seeds(curve) < SEEDS_FOR_BANDS:
            continue
        axes.fill_between(
            curve["round"],
            curve["ratio_low"],
            curve["ratio_high"],
            color=appearance.colour,
            alpha=0.13,
            linewidth=0,
        )


def _scales(axes: Axes, rows: pd.DataFrame) -> None:
    """Fit the shared axes to the curves; bands may be cut, the noise of the first rounds too."""
    axes.set_xlim(0, rows["round"].max())
    settled = rows[rows["round"] >= 0.02 * rows["round"].max()]
    low, high = settled["ratio_mean"].min(), settled["ratio_mean"].max()
    margin = 0.05 * max(high - low, 0.02)
    axes.set_ylim(max(low - margin, 0), high + margin)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _ends(rows: pd.DataFrame, appearances: Mapping[str, Look]) -> list[End]:
    last = rows.loc[rows.groupby("policy", sort=False)["round"].idxmax()]
    return [
        End(row.round, row.ratio_mean, appearances[row.policy])
        for row in last.itertuples()
        if np.isfinite(row.ratio_mean)
    ]
