"""Figures 2 and 3: cumulative regret over the expected regret of a random choice, by round."""

import os
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from horde.errors import DataError
from horde.figures import style
from horde.figures.captions import EDGE, FLAT, ZERO, Chosen
from horde.figures.style import GREY, NOTE, End, Look

TITLES = {"tuned": "Tuned hyper-parameters", "paper": "The paper's hyper-parameters"}
Y_TITLE = "Cumulative regret relative to Random"
# With two seeds the t-interval is 25 standard errors wide and would hide the curves.
SEEDS_FOR_BANDS = 3
_LOCAL_LABELS = {"GOBLIN": "GOBLIN (local solver)"}
_MARKERS = 6
# Below the panels: signs of hyper-parameters, of marks, and what marks mean.
_SYMBOLS = {"lam": "λ", "alpha": "α", "alpha2": "α₂"}
_SIGNS = {ZERO: "*", EDGE: "†", FLAT: "≈"}
_MARKS = {
    ZERO: "zero: with α or scale 0 a policy picks greedily",
    EDGE: "the grid's smallest or largest value: a wider grid may be better",
    FLAT: "the paper's, not told apart from the best",
}
_LINE = 0.165  # inches
_WIDTH = {False: 88, True: 165}  # letters in a line below one panel, below two


def draw(
    table: pd.DataFrame,
    dataset: str,
    path: str | os.PathLike,
    *,
    title: str | None = None,
    chosen: Mapping[str, Mapping[str, Chosen]] | None = None,
    variants: Sequence[str] = ("tuned", "paper"),
    generated: bool = False,
    caption: dict[str, Any] | None = None,
) -> None:
    """Draw the regret curves of a dataset, one panel per variant, and write the files.

    A policy without hyper-parameters, such as Random, runs once and is drawn in the first panel
    only.

    Parameters
    ----------
    table : DataFrame
        As `horde.results.tables.regret_table` returns it; rows of other datasets are ignored.
    dataset : str
        Name of the dataset to draw.
    path : path
        Path of the PNG; `horde.figures.style.save` writes the other files next to it.
    title : str, optional
        Title of the figure, to which "lower is better" is added; by default the dataset's name.
    chosen : mapping of str to mapping of str to Chosen, optional
        Policy -> the hyper-parameters that tuning chose, written below the panels.
    variants : sequence of str
        Panels from left to right; a variant without rows has none.
    generated : bool
        Whether the data are generated: the figure then says so.
    caption : dict, optional
        More data for the caption (identity of the data, hyper-parameters), JSON-able.

    Raises
    ------
    DataError
        If the table has no row of this dataset and these variants.
    """
    rows = table[(table["dataset"] == dataset) & table["variant"].isin(variants)]
    shown = [variant for variant in variants if (rows["variant"] == variant).any()]
    if not shown:
        raise DataError(f"there is no curve of {dataset} to draw; run its policies first")
    seeds = least_seeds(rows)
    stated = {
        "dataset": dataset,
        "generated_data": generated,
        "variants": shown,
        "policies": rows["policy"].unique().tolist(),
        "rounds": int(rows["round"].max()),
        "seeds": seeds,
        "bands": bands(seeds),
    }
    notes = style.GENERATED if generated else "", averaging(seeds)
    lines = _chosen_lines(chosen or {}, _WIDTH[len(shown) > 1])
    with style.styled():
        figure = _figure(rows, shown, f"{title or dataset} ({style.LOWER})", notes, lines)
        style.save(figure, path, stated | (caption or {}))


def least_seeds(rows: pd.DataFrame) -> int:
    """Return the number of averaged seeds, the smallest if curves differ."""
    return int(rows["seeds"].min())


def bands(seeds: int) -> str:
    """Return the caption's entry on bands; empty if there are too few seeds for bands."""
    return "95 % Student's t-interval over seeds" if seeds >= SEEDS_FOR_BANDS else ""


def averaging(seeds: int) -> str:
    """Return a description of curves and bands for this number of runs."""
    if seeds < SEEDS_FOR_BANDS:
        return "one run" if seeds == 1 else f"mean of {seeds} runs"
    return f"mean and 95 % interval of {seeds} runs"


def curve_looks(policies: Iterable[str]) -> dict[str, Look]:
    """Return the looks of policies; GOBLIN's label has its solver, which is not the paper's."""
    return {
        policy: look._replace(label=_LOCAL_LABELS.get(policy, policy))
        for policy, look in style.looks(policies).items()
    }


def limits(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the range of the mean ratios to show, without the noise of the first rounds."""
    settled = rows.loc[rows["round"] >= 0.02 * rows["round"].max(), "ratio_mean"]
    low, high = settled.min(), settled.max()
    margin = 0.05 * max(high - low, 0.02)
    return max(low - margin, 0), high + margin


def _figure(
    rows: pd.DataFrame,
    variants: Sequence[str],
    title: str,
    notes: Iterable[str],
    below: Sequence[str],
) -> Figure:
    space = {"left": 0.65, "right": 1.65, "gap": 1.85, "bottom": 0.55 + _LINE * len(below)}
    shared = {"sharex": True, "sharey": True}
    figure, grid = style.panels(len(variants), title, notes, size=(3.2, 3.15), **space, **shared)
    looks = curve_looks(rows["policy"])
    parts = [rows[rows["variant"] == variant] for variant in variants]
    drawn = []
    for axes, variant, part in zip(grid, variants, parts, strict=True):
        drawn.append(_curves(axes, part, looks))
        axes.set(title=TITLES.get(variant, variant), xlabel="Round", ylabel="")
    grid[0].set(ylabel=Y_TITLE, xlim=(0, rows["round"].max()), ylim=limits(rows))
    style.thousands(grid[0].xaxis)
    for axes, part, lines in zip(grid, parts, drawn, strict=True):
        style.reveal(axes, lines)
        last = part.loc[part.groupby("policy", sort=False)["round"].idxmax()]
        last = last[np.isfinite(last["ratio_mean"])]
        ends = [End(row.round, row.ratio_mean, looks[row.policy]) for row in last.itertuples()]
        style.label_ends(axes, ends)
    place = {"x": 0.1 / figure.get_figwidth(), "y": 0.08 / figure.get_figheight(), "va": "bottom"}
    figure.text(s="\n".join(below), linespacing=1.35, **NOTE, **place)
    return figure


def _chosen_lines(chosen: Mapping[str, Mapping[str, Chosen]], letters: int) -> list[str]:
    """Return the lines below the panels: what tuning chose, with marks, and what the marks mean."""
    texts = [
        f"{policy} " + ", ".join(_written(name, value) for name, value in params.items())
        for policy, params in chosen.items()
        if params
    ]
    if not texts:
        return []
    marks = {value.mark for params in chosen.values() for value in params.values()}
    meanings = [f"{sign} {_MARKS[mark]}" for mark, sign in _SIGNS.items() if mark in marks]
    # Spaces within an entry must not break.
    entries = "; ".join(text.replace(" ", "\N{NO-BREAK SPACE}") for text in texts)
    lines = wrap(f"Chosen by tuning: {entries}.", letters, break_on_hyphens=False)
    return lines + wrap("; ".join(meanings), letters)


def _written(name: str, chosen: Chosen) -> str:
    return f"{_SYMBOLS.get(name, name)} {chosen.value:g}{_SIGNS.get(chosen.mark, '')}"


def _curves(axes: Axes, rows: pd.DataFrame, looks: Mapping[str, Look]) -> list[Line2D]:
    """Draw the curves of a panel; return their lines."""
    axes.axhline(1.0, color=GREY, linewidth=0.7, zorder=0)
    policies, lines = rows["policy"].unique(), []
    for position, policy in enumerate(policies):
        curve, look = rows[rows["policy"] == policy], looks[policy]
        step = max(len(curve) // _MARKERS, 1)
        sns.lineplot(
            x=curve["round"],
            y=curve["ratio_mean"],
            ax=axes,
            errorbar=None,
            legend=False,
            color=look.colour,
            linestyle=look.dashes,
            marker=look.marker or "None",
            markeredgecolor="white",
            markevery=(step * (position + 1) // (len(policies) + 1), step),
        )
        lines.append(axes.lines[-1])
        if least_seeds(curve) >= SEEDS_FOR_BANDS:
            low, high = curve["ratio_low"], curve["ratio_high"]
            axes.fill_between(curve["round"], low, high, color=look.colour, alpha=0.13, linewidth=0)
    return lines
