"""Figure of the learned graphs of Figure 3: given and new edges."""

import os
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from horde.errors import DataError
from horde.figures import style
from horde.figures.regret import SEEDS_FOR_BANDS, averaging, bands
from horde.figures.style import GREY, Look
from horde.results.statistics import t_interval

_GIVEN = style.looks(["G-EG"])["G-EG"].colour


def draw(
    table: pd.DataFrame,
    path: str | os.PathLike,
    *,
    labels: Mapping[str, str],
    generated: bool = False,
) -> None:
    """Draw the number of edges of the learned graphs, and the part that was given.

    Parameters
    ----------
    table : DataFrame
        As `horde.results.learned_graph.learned_table` returns it; averaged over seeds.
    path : path
        Path of the PNG; `horde.figures.style.save` writes the other files next to it.
    labels : mapping of str to str
        Datasets to draw, one panel each, with their labels.
    generated : bool
        Whether the data are generated: the figure then says so.

    Raises
    ------
    DataError
        If the table has no row of these datasets.
    """
    table = table[table["dataset"].isin(labels)]
    shown = [name for name in labels if (table["dataset"] == name).any()]
    if not shown:
        raise DataError("there is no learned graph to draw; run L-EG or U-EG first")
    looks = style.looks(table["policy"])
    # The smallest number if policies differ.
    seeds = int(table.groupby(["dataset", "policy"])["seed"].nunique().min())
    title = "Figure 3: the learned graphs"
    notes = [style.GENERATED if generated else "", averaging(seeds)]
    space = {"left": 0.65, "right": 3.0, "gap": 3.65, "bottom": 0.95}
    with style.styled():
        figure, grid = style.panels(len(shown), title, notes, size=(3.4, 1.65), **space)
        for axes, name in zip(grid, shown, strict=True):
            _panel(axes, table[table["dataset"] == name], looks)
            axes.set_title(labels[name])
        handles = [
            Patch(color=_GIVEN, label="edges of the given graph"),
            *(Patch(color=look.colour, label=f"added by {look.label}") for look in looks.values()),
        ]
        corner = (0.55 / figure.get_figwidth(), 0)
        look = {"loc": "lower left", "bbox_to_anchor": corner, "ncols": len(handles)}
        figure.legend(handles=handles, **look)
        style.save(figure, path, _caption(table, shown, seeds, generated))


def _caption(
    table: pd.DataFrame, datasets: list[str], seeds: int, generated: bool
) -> dict[str, Any]:
    runs = table.groupby(["dataset", "policy"], sort=False)
    estimates = runs[["estimates", "unconverged"]].sum()
    stated = {
        "datasets": datasets,
        "generated_data": generated,
        "seeds": seeds,
        "bars": "mean over seeds of the edges at the end of the run",
        "lines": bands(seeds),
        "unconverged_estimates": {
            f"{policy} on {dataset}": f"{row.unconverged} of {row.estimates}"
            for (dataset, policy), row in estimates.iterrows()
        },
    }
    if table["agreement"].notna().any():
        stated["overlap"] = "edges that two seeds share, over all edges of both (Jaccard), mean"
    return stated


def _panel(axes: Axes, rows: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    runs = rows.groupby("policy", sort=False)
    means = runs.mean(numeric_only=True)
    enough = runs["seed"].nunique() >= SEEDS_FOR_BANDS
    edges = {name: t_interval(found) for name, found in runs["edges"]}
    given = float(means["given"].iloc[0])
    axes.barh(0, given, color=_GIVEN, height=0.5)
    for place, (name, row) in enumerate(means.iterrows(), start=1):
        axes.barh(place, row["kept"], color=_GIVEN, height=0.5)
        axes.barh(place, row["added"], left=row["kept"], color=looks[name].colour, height=0.5)
        if enough[name]:
            axes.hlines(place, *edges[name][1:], color="black", linewidth=1)
        right = axes.get_yaxis_transform()
        axes.text(1.02, place, _notes(row), transform=right, va="center", fontsize=8, color=GREY)
    axes.set_yticks(range(len(means) + 1), ["given", *means.index])
    axes.set_ylim(len(means) + 0.5, -0.5)
    most = [interval.high if enough[name] else interval.value for name, interval in edges.items()]
    axes.set_xlim(0, 1.03 * max(*most, given))
    axes.set_xlabel("Edges")
    style.thousands(axes.xaxis)
    axes.grid(axis="y", visible=False)


def _notes(row: pd.Series) -> str:
    """Return the text to the right of a bar."""
    edges, estimates = max(row["edges"], 1), max(row["estimates"], 1)
    kept, repulsive = row["kept"] / max(row["given"], 1), row["repulsive"] / edges
    lines = [f"density {row['density']:.2g}; keeps {_percent(kept)} of the given edges"]
    if pd.notna(row["agreement"]):
        chance = f"{row['chance_agreement']:.2g}"
        lines.append(f"overlap of seeds {row['agreement']:.2g} (by chance {chance})")
    signs = f"{_percent(repulsive)} repel" if repulsive else "all attract"
    converged = _percent(1 - row["unconverged"] / estimates)
    signs = signs if row["edges"] else "no edges"
    return "\n".join([*lines, f"{signs}; {converged} of estimates converged"])


def _percent(share: float) -> str:
    """Format a share as per cent with two significant digits, so that small shares are not 0 %."""
    return f"{100 * share:.2g} %" if share < 0.095 else f"{share:.0%}".replace("%", " %")
