"""The picture beside Figure 3: edges of the learned graphs, given and new ones."""

import os
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from horde.errors import DataError
from horde.figures.style import GREY, Look, looks, save, styled

_GIVEN = looks(["G-EG"])["G-EG"].colour
_LEFT, _PANEL, _NOTES = 0.65, 3.4, 2.7


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
        As `horde.results.learned_graph.learned_table` returns it; averaged over seeds.
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
    width = (_LEFT + _PANEL + _NOTES) * len(panels)
    with styled():
        figure = Figure(figsize=(width, 3.4))
        grid = figure.subplots(1, len(panels), squeeze=False)[0]
        figure.subplots_adjust(
            _LEFT / width, 0.3, 1 - _NOTES / width, 0.78, wspace=(_LEFT + _NOTES) / _PANEL
        )
        title = "Learned graphs" + (" (generated data, not the paper's)" if generated else "")
        figure.suptitle(title, x=0.1 / width, y=0.97, ha="left", fontsize=12, weight="bold")
        drawn = looks(table["policy"])
        for axes, name in zip(grid, panels, strict=True):
            _panel(axes, table[table["dataset"] == name], drawn)
            axes.set_title(labels[name])
        _key(figure, drawn)
        save(figure, path_pdf, path_png, _caption(table, panels, generated))


def _caption(table: pd.DataFrame, panels: list[str], generated: bool) -> dict[str, Any]:
    told = {
        "datasets": panels,
        "generated_data": generated,
        "seeds": int(table.groupby(["dataset", "policy"])["seed"].nunique().min()),
        "bars": "mean over seeds of the edges that V ended with; lines from the fewest to the most",
    }
    ended = table[table["dataset"].isin(panels)].groupby(["dataset", "policy"], sort=False)
    told["unconverged_estimates"] = {
        f"{policy} on {dataset}": f"{row.unconverged} of {row.estimates}"
        for (dataset, policy), row in ended[["estimates", "unconverged"]].sum().iterrows()
    }
    if table["agreement"].notna().any():
        told["agreement"] = "mean over pairs of seeds of shared over all edges (Jaccard)"
    return told


def _panel(axes: Axes, rows: pd.DataFrame, drawn: Mapping[str, Look]) -> None:
    runs = rows.groupby("policy", sort=False)
    means, edges = runs.mean(numeric_only=True), runs["edges"].agg(["min", "max"])
    given = float(means["given"].iloc[0])
    axes.barh(0, given, color=_GIVEN, height=0.5)
    for place, (name, row) in enumerate(means.iterrows(), start=1):
        axes.barh(place, row["kept"], color=_GIVEN, height=0.5)
        axes.barh(place, row["added"], left=row["kept"], color=drawn[name].colour, height=0.5)
        axes.hlines(place, *edges.loc[name], color="black", linewidth=1)
        _beside(axes, place, _told(row))
    axes.set_yticks(range(len(means) + 1), ["given", *means.index])
    axes.set_ylim(len(means) + 0.5, -0.5)
    axes.set_xlim(0, 1.03 * max(edges["max"].max(), given))
    axes.set_xlabel("Edges")
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(axis="y", visible=False)


def _beside(axes: Axes, place: int, text: str) -> None:
    """Write right of a bar's row."""
    axes.text(
        1.02, place, text, transform=axes.get_yaxis_transform(), va="center", fontsize=8, color=GREY
    )


def _told(row: pd.Series) -> str:
    kept = row["kept"] / max(row["given"], 1)
    lines = [f"density {row['density']:.3f}; keeps {100 * kept:.0f} % of the given"]
    if pd.notna(row["agreement"]):
        lines.append(f"seeds agree {row['agreement']:.3f} (chance {row['chance_agreement']:.3f})")
    repel = row["repulsive"] / max(row["edges"], 1)
    signs = f"{100 * repel:.0f} % repel" if repel else "all attract" if row["edges"] else "no edges"
    met = 1 - row["unconverged"] / max(row["estimates"], 1)
    return "\n".join([*lines, f"{signs}; {100 * met:.0f} % of estimates converged"])


def _key(figure: Figure, drawn: Mapping[str, Look]) -> None:
    """Say what each colour is."""
    handles = [Patch(color=_GIVEN, label="edges of the given graph")]
    handles += [Patch(color=own.colour, label=f"added by {own.label}") for own in drawn.values()]
    figure.legend(
        handles=handles, loc="lower left", ncols=len(handles), frameon=False, fontsize=8.5
    )
