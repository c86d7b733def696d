"""The multiverse: shares and main effects of all claims, and one specification curve per claim."""

import os
from collections.abc import Mapping
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from horde.experiments.specifications import CHOICES, ORACLE
from horde.figures import style
from horde.figures.style import GREY, NOTE, NOTE_SIZE
from horde.verdict import context
from horde.verdict.claims import Claim
from horde.verdict.rules import INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED

# Colours that differ in grey, too; the darkest says that the claim holds.
_COLOURS = {REPRODUCED: "#00644A", INCONCLUSIVE: "#C9A227", NOT_REPRODUCED: "#E3B5A4"}
_ROW, _LEVEL = 0.24, 0.15  # inches of a claim's row, and of a level's row in the dashboard
# Words for the columns of the list of specifications, and for their levels.
WORDS = {name: words[:1].upper() + words[1:] for name, words in context.CHOICES.items()}
LEVELS = {
    "lam-0.01": "λ = 0.01",
    "hindsight": "λ in hindsight (oracle)",
    "log": "log counts",
    "svd": "SVD",
    "pca": "PCA",
    "paper": "the paper's",
    "true": "yes",
    "false": "no",
    "none": "as it is",
    "unit": "1",
}


def draw(
    shares: pd.DataFrame,
    effects: pd.DataFrame,
    path: str | os.PathLike,
    *,
    generated: bool = False,
) -> None:
    """Draw in which share of the specifications each claim holds, and which choices decide.

    Parameters
    ----------
    shares, effects : DataFrame
        As `horde.verdict.multiverse.shares` and `effects` return them.
    path : path
        Path of the PNG; `horde.figures.style.save` writes the other files next to it.
    generated : bool
        Whether the data are generated: the figure then says so.
    """
    caption = {"generated_data": generated, "shares": shares.to_dict("records")}
    notes = [
        "each row counts the specifications that can judge the claim",
        "empty cells: there the choice does not vary",
        style.GENERATED if generated else "",
    ]
    title = "Multiverse: in how many specifications does a claim hold?"
    size = (4.2, _ROW * len(shares))
    space = {"left": 0.7, "right": 0.3, "gap": 1.5, "bottom": 1.3, "top": 1.0}
    with style.styled():
        figure, (left, right) = style.panels(2, title, notes, size=size, **space)
        _bars(left, shares)
        _heat(right, list(shares["claim"]), effects)
        style.save(figure, path, caption)


def _bars(axes: Axes, shares: pd.DataFrame) -> None:
    for column, height, colour, label in (
        ("share", 0.75, "#9CC5B5", "by the point estimate"),
        ("share_reproduced", 0.35, _COLOURS[REPRODUCED], "by the interval over three seeds"),
    ):
        axes.barh(range(len(shares)), shares[column], height=height, color=colour, label=label)
    for place, row in enumerate(shares.itertuples()):
        axes.text(1.02, place, f"{row.holds} of {row.specifications}", va="center", fontsize=8)
    style.rows(axes, shares["claim"])
    axes.set(xlim=(0, 1), xlabel="Share of specifications in which the claim holds")
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=2,
        borderaxespad=0.2,
        handlelength=1.2,
        columnspacing=1,
    )


def _heat(axes: Axes, claims: list[str], effects: pd.DataFrame) -> None:
    choices = [name for name in WORDS if name in set(effects["choice"])]
    grid = effects.pivot(index="claim", columns="choice", values="explained")
    grid = grid.reindex(index=claims, columns=choices).to_numpy(dtype=float)
    axes.imshow(grid, cmap="Greens", vmin=0, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(grid):
        if not np.isnan(value):
            look = {"ha": "center", "va": "center", "fontsize": 8}
            colour = "white" if value > 0.6 else "black"
            axes.text(column, row, f"{100 * value:.0f}", color=colour, **look)
    words = [WORDS[name] for name in choices]
    axes.set_xticks(range(len(choices)), words, rotation=40, ha="right", fontsize=8)
    axes.set_yticks(range(len(claims)), claims)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.set_title("Variance of the claim's margin that a choice explains, %", fontsize=NOTE_SIZE)


def draw_curve(
    claim: Claim,
    verdicts: pd.DataFrame,
    specifications: pd.DataFrame,
    path: str | os.PathLike,
    *,
    generated: bool = False,
) -> None:
    """Draw the specification curve of a claim: margins in ascending order, the choices below.

    Parameters
    ----------
    claim : Claim
    verdicts : DataFrame
        As `horde.verdict.multiverse.judged` returns it.
    specifications : DataFrame of str
        As `horde.experiments.specifications.read` returns it.
    path : path
        Path of the PNG; `horde.figures.style.save` writes the other files next to it.
    generated : bool
        Whether the data are generated: the figure then says so.
    """
    table = verdicts[verdicts["claim"] == claim.name].merge(specifications, on="specification")
    table = table.sort_values(["margin", "specification"], ignore_index=True)
    counted = table[table["hyper"] != ORACLE]
    caption = {
        "claim": f"{claim.name}: {claim.statement}",
        "specifications": len(counted),
        "holds_in": int((counted["margin"] > 0).sum()),
        "generated_data": generated,
    }
    with style.styled():
        style.save(_curve(table, caption), path, caption)


def _curve(table: pd.DataFrame, caption: Mapping[str, Any]) -> Figure:
    """Return the figure of the margins, and below them the level of each choice that varies."""
    rows = [
        (choice, level)
        for choice in WORDS
        if table[choice].nunique() > 1
        for level in CHOICES[choice]
        if level in set(table[choice])
    ]
    below = _LEVEL * (len(rows) + 2)
    lines = wrap(caption["claim"], 75)
    note = "holds by its point estimate in {holds_in} of {specifications} specifications"
    note += f"; {style.GENERATED}" if caption["generated_data"] else ""
    space = {"left": 1.9, "right": 0.2, "gap": 0, "bottom": below + 0.45}
    space["top"] = 0.75 + 0.2 * (len(lines) - 1)
    figure, (axes,) = style.panels(1, "\n".join(lines), [], size=(7.0, 2.6), **space)
    axes.set_title(note.format(**caption), **NOTE)
    margins = table["margin"]
    top = max(margins.max(), 0.0) + 0.05 * np.ptp(margins) + 0.005
    axes.axhspan(0, top, color="#EAF3EF", zorder=0)
    axes.axhline(0, color=GREY, lw=0.8)
    oracle = table["hyper"] == ORACLE
    for verdict, colour in _COLOURS.items():
        own = margins[(table["verdict"] == verdict) & ~oracle]
        axes.plot(own.index, own, ".", ms=4, color=colour, label=verdict)
    if oracle.any():
        own, label = margins[oracle], "oracle, in no share"
        axes.plot(own.index, own, "2", ms=5, mew=0.7, color="#777777", label=label)
    axes.set(xlim=(-1, len(table)), xticks=[])
    axes.set_ylim(top=top)
    axes.set_ylabel("Distance from the rule's\nbound; above 0 it holds")
    box = {"frameon": True, "framealpha": 0.9, "edgecolor": "none"}
    axes.legend(loc="upper left", fontsize=8, handletextpad=0.2, **box)
    if rows:
        width, height = figure.get_size_inches()
        place = (1.9 / width, 0.3 / height, 7.0 / width, below / height)
        _dashboard(figure.add_axes(place, sharex=axes), table, rows)
    return figure


def _dashboard(axes: Axes, table: pd.DataFrame, rows: list[tuple[str, str]]) -> None:
    for row, (choice, level) in enumerate(rows):
        places = table.index[table[choice] == level]
        axes.plot(places, [row] * len(places), "|", ms=6, mew=0.6, color="#33557A")
        if row == 0 or rows[row - 1][0] != choice:
            axes.axhline(row - 0.5, color="#cccccc", lw=0.6)
    style.rows(axes, [LEVELS.get(level, level) for _, level in rows])
    axes.tick_params(axis="y", labelsize=8)
    axes.tick_params(axis="x", bottom=False, labelbottom=False)
    axes.grid(visible=False)
    look = {"transform": axes.get_yaxis_transform(), "fontsize": 8, "color": GREY}
    for choice in dict.fromkeys(choice for choice, _ in rows):
        own = [row for row, (name, _) in enumerate(rows) if name == choice]
        axes.text(-1.85 / 7.0, np.mean(own), WORDS[choice], va="center", **look)
    axes.set_xlabel("Specifications, sorted by that distance", labelpad=4)
