"""The picture beside Figure 3: edges of the learned graphs, given and new ones."""

import os
from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from horde.errors import DataError
from horde.figures.style import GREY, look, save, styled


def draw(
    table: pd.DataFrame,
    path_pdf: str | os.PathLike,
    path_png: str | os.PathLike,
    *,
    labels: Mapping[str, str],
    generated: bool = False,
) -> None:
    """Draw how many edges the learned graphs have, of which how many were given.

    Parameters
    ----------
    table : DataFrame
        As `horde.learned.learned_table` returns it; averaged over seeds.
    path_pdf, path_png : path
        Where to; ``NAME.json`` appears beside the PNG with the caption's data.
    labels : mapping of str to str
        Datasets to draw, a panel each, and their names.
    generated : bool
        Whether the data were generated: the figure then says so.

    Raises
    ------
    DataError
        If the table has no row of these datasets.
    """
    panels = [name for name in labels if (table["dataset"] == name).any()]
    if not panels:
        raise DataError("there is no learned graph to draw; run L-EG or U-EG first")
    with styled():
        figure = Figure(figsize=(4.6 * len(panels) + 0.9, 2.9))
        grid = figure.subplots(1, len(panels), squeeze=False)[0]
        figure.subplots_adjust(0.9 / figure.get_figwidth(), 0.2, 0.98, 0.76, wspace=0.35)
        title = "Learned graphs" + (" (generated data, not the paper's)" if generated else "")
        figure.suptitle(title, x=0.02, y=0.97, ha="left", fontsize=12, weight="bold")
        for axes, name in zip(grid, panels, strict=True):
            _panel(axes, table[table["dataset"] == name])
            axes.set_title(labels[name])
        caption = {
            "datasets": panels,
            "generated_data": generated,
            "seeds": int(table.groupby(["dataset", "policy"])["seed"].nunique().min()),
            "bars": "mean over seeds of the edges that V ended with",
            "agreement": "mean over pairs of seeds of shared over all edges (Jaccard)",
        }
        save(figure, path_pdf, path_png, caption)


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    means = rows.groupby("policy", sort=False).mean(numeric_only=True)
    given = look("G-EG").colour
    top = max(means["edges"].max(), means["given"].max())
    bars = [("given", 0.0, float(means["given"].iloc[0]), "")]
    bars += [(name, row["added"], row["kept"], _told(row)) for name, row in means.iterrows()]
    for place, (name, added, kept, told) in enumerate(bars):
        colour = given if place == 0 else look(name).colour
        axes.barh(place, kept, color=given, height=0.5)
        axes.barh(place, added, left=kept, color=colour, alpha=0.75, height=0.5)
        axes.text(0, place - 0.31, told, va="bottom", fontsize=8, color=GREY)
    axes.set_yticks(range(len(bars)), [name for name, *_ in bars])
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_xlim(0, 1.03 * top)
    axes.set_xlabel("Edges (green: of the given graph)")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(axis="y", visible=False)


def _told(row: pd.Series) -> str:
    parts = [f"density {row['density']:.3f}", f"{row['kept'] / max(row['given'], 1):.0%} of given"]
    if pd.notna(row["agreement"]):
        parts.append(f"seeds agree {row['agreement']:.2f} (chance {row['chance_agreement']:.2f})")
    return ", ".join(parts)
