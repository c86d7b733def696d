"""The multiverse: shares and main effects of all claims, and one specification curve per claim."""

import os
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from horde.experiments.specifications import CHOICES
from horde.figures import style
from horde.figures.style import GREY, NOTE_SIZE
from horde.verdict import context
from horde.verdict.claims import Claim
from horde.verdict.multiverse import ORACLE
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
    path_pdf: str | os.PathLike,
    path_png: str | os.PathLike,
    *,
    generated: bool = False,
) -> None:
    """Draw in which share of the specifications each claim holds, and which choices decide.

    Parameters
    ----------
    shares, effects : DataFrame
        As `horde.verdict.multiverse.shares` and `effects` return them.
    path_pdf, path_png : path
        Paths of the files; the caption's data go to ``NAME.json`` next to the PNG.
    generated : bool
        Whether the data are generated: the figure then says so.
    """
    caption = {
        "generated_data": generated,
        "shares": shares.to_dict("records"),
    }
    with style.styled():
        figure, (left, right) = style.panels(
            2,
            "Multiverse: in how many specifications does a claim hold?",
            [
                "each row counts the specifications that can judge the claim; "
                "empty cells: there the choice does not vary"
            ]
            + ([style.GENERATED] if generated else []),
            size=(4.2, _ROW * len(shares)),
            left=0.7,
            right=0.3,
            gap=1.5,
            bottom=1.3,
            top=1.0,
        )
        _bars(left, shares)
        _heat(right, list(shares["claim"]), effects)
        style.save(figure, path_pdf, path_png, caption)


def _bars(axes: Axes, shares: pd.DataFrame) -> None:
    places = np.arange(len(shares))
    axes.barh(places, shares["share"], height=0.75, color="#9CC5B5", label="by the point estimate")
    axes.barh(
        places,
        shares["share_reproduced"],
        height=0.35,
        color=_COLOURS[REPRODUCED],
        label="by the interval over three seeds",
    )
    for place, row in zip(places, shares.itertuples(), strict=True):
        text = f"{row.holds} of {row.specifications}"
        axes.text(1.02, place, text, ha="left", va="center", fontsize=8, color="black")
    axes.set_yticks(places, shares["claim"])
    axes.set_ylim(len(shares) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xlabel("Share of specifications in which the claim holds")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=2,
        frameon=False,
        fontsize=NOTE_SIZE,
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
            colour = "white" if value > 0.6 else "black"
            text = f"{100 * value:.0f}"
            axes.text(column, row, text, ha="center", va="center", fontsize=8, color=colour)
    words = [WORDS[name] for name in choices]
    axes.set_xticks(np.arange(len(choices)), words, rotation=40, ha="right", fontsize=8)
    axes.set_yticks(np.arange(len(claims)), claims)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.set_title("Variance of the claim's margin that a choice explains, %", fontsize=NOTE_SIZE)


def draw_curve(
    claim: Claim,
    verdicts: pd.DataFrame,
    specifications: pd.DataFrame,
    path_pdf: str | os.PathLike,
    path_png: str | os.PathLike,
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
    path_pdf, path_png : path
        Paths of the files; the caption's data go to ``NAME.json`` next to the PNG.
    generated : bool
        Whether the data are generated: the figure then says so.
    """
    table = verdicts[verdicts["claim"] == claim.name].merge(specifications, on="specification")
    table = table.sort_values(["margin", "specification"], ignore_index=True)
    counted = table[table["hyper"] != ORACLE]
    holds = int((counted["margin"] > 0).sum())
    caption: dict[str, Any] = {
        "claim": f"{claim.name}: {claim.statement}",
        "specifications": len(counted),
        "holds_in": holds,
        "generated_data": generated,
    }
    with style.styled():
        style.save(_curve(claim, table, holds, generated), path_pdf, path_png, caption)


def _curve(claim: Claim, table: pd.DataFrame, holds: int, generated: bool) -> Figure:
    rows = [
        (choice, level)
        for choice in WORDS
        if table[choice].nunique() > 1
        for level in CHOICES[choice]
        if level in set(table[choice])
    ]
    below = _LEVEL * (len(rows) + 2)
    lines = wrap(f"{claim.name}: {claim.statement}", 75)
    counted = (table["hyper"] != ORACLE).sum()
    notes = [f"holds by its point estimate in {holds} of {counted} specifications"]
    notes += [style.GENERATED] if generated else []
    figure, (axes,) = style.panels(
        1,
        "\n".join(lines),
        [],
        size=(7.0, 2.6),
        left=1.9,
        right=0.2,
        gap=0,
        bottom=below + 0.45,
        top=0.75 + 0.2 * (len(lines) - 1),
    )
    axes.set_title("; ".join(notes), loc="left", fontsize=NOTE_SIZE, color=GREY)
    places = np.arange(len(table))
    top = max(table["margin"].max(), 0.0) + 0.05 * np.ptp(table["margin"]) + 0.005
    axes.axhspan(0, top, color="#EAF3EF", zorder=0)
    axes.axhline(0, color=GREY, lw=0.8)
    oracle = table["hyper"] == ORACLE
    for verdict, colour in _COLOURS.items():
        of = (table["verdict"] == verdict) & ~oracle
        axes.plot(places[of], table["margin"][of], ".", ms=4, color=colour, label=verdict)
    if oracle.any():
        where, label = table["margin"][oracle], "oracle, in no share"
        axes.plot(places[oracle], where, "2", ms=5, mew=0.7, color="#777777", label=label)
    axes.set_ylim(top=top)
    axes.set_xlim(-1, len(table))
    axes.set_xticks([])
    axes.set_ylabel("Distance from the rule's\nbound; above 0 it holds")
    axes.legend(loc="upper left", fontsize=8, framealpha=0.9, edgecolor="none", handletextpad=0.2)
    width, height = figure.get_size_inches()
    dashboard = figure.add_axes(
        (1.9 / width, 0.3 / height, 7.0 / width, below / height), sharex=axes
    )
    for row, (choice, level) in enumerate(rows):
        of = table[choice] == level
        dashboard.plot(places[of], np.full(of.sum(), row), "|", ms=6, mew=0.6, color="#33557A")
        if row == 0 or rows[row - 1][0] != choice:
            dashboard.axhline(row - 0.5, color="#cccccc", lw=0.6)
    dashboard.set_yticks(range(len(rows)), [LEVELS.get(level, level) for _, level in rows])
    dashboard.tick_params(axis="y", labelsize=8, length=0)
    dashboard.tick_params(axis="x", bottom=False, labelbottom=False)
    dashboard.set_ylim(len(rows) - 0.5, -0.5)
    dashboard.grid(visible=False)
    for choice in dict.fromkeys(choice for choice, _ in rows):
        own = [row for row, (name, _) in enumerate(rows) if name == choice]
        dashboard.text(
            -1.85 * 72 / (7.0 * 72),
            np.mean(own),
            WORDS[choice],
            transform=dashboard.get_yaxis_transform(),
            fontsize=8,
            color=GREY,
            va="center",
        )
    dashboard.set_xlabel("Specifications, sorted by that distance", labelpad=4)
    return figure
