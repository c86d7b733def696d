"""The picture of a dataset: friends, components, likes, explained variance, and homophily."""

import os
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, LogLocator, NullLocator

from horde.figures import style
from horde.figures.style import GREY, NOTE, NOTE_SIZE
from horde.results.description import (
    DISTRIBUTIONS,
    EXPLAINED,
    FRIENDS,
    SIZES,
    STRANGERS,
    numbers,
)

_FRIENDS, _USERS, _ITEMS = "#00644A", "#2B6CB8", "#CC7A00"
_MANY_DECADES = 3000
_BY_FRIENDS, _BY_LIKES, _ITEMS_BY_LIKES = DISTRIBUTIONS
_COUNTS = ("users", "items", "likes", "friendships")
_AT_LEAST = "Share with at least as many"


def draw(
    table: pd.DataFrame,
    title: str,
    path: str | os.PathLike,
    *,
    generated: bool = False,
    caption: dict[str, Any] | None = None,
) -> None:
    """Draw the picture of one dataset and write the figure's files.

    Parameters
    ----------
    table : DataFrame
        As `horde.results.description.describe` returns it.
    title : str
        Name of the dataset.
    path : path
        Path of the PNG; `horde.figures.style.save` writes the other files next to it.
    generated : bool
        Whether the data are generated: the figure then says so.
    caption : dict, optional
        More data for the caption, JSON-able.
    """
    found = numbers(table)
    counts = [f"{found[name]:,.0f} {name}" for name in _COUNTS]
    notes = [style.GENERATED if generated else "", *counts]
    space = {"left": 0.65, "right": 0.25, "gap": 0.8, "bottom": 0.6, "top": 0.95}
    with style.styled():
        figure, axes = style.panels(5, f"The data: {title}", notes, size=(2.15, 2.15), **space)
        _distribution(axes[0], table, {_BY_FRIENDS: ("", _FRIENDS)})
        title = f"Friends: {found['friends, median']:g} (median)"
        axes[0].set(xlabel="Friends", ylabel=_AT_LEAST, title=title)
        _components(axes[1], table, found)
        series = {_BY_LIKES: ("of a user", _USERS), _ITEMS_BY_LIKES: ("of an item", _ITEMS)}
        _distribution(axes[2], table, series)
        medians = f"{found['likes of a user, median']:g}, {found['likes of an item, median']:g}"
        axes[2].set(xlabel="Likes", ylabel=_AT_LEAST, title=f"Likes: medians {medians}")
        _explained(axes[3], table)
        _homophily(axes[4], found)
        style.save(figure, path, _stated(found, generated) | (caption or {}))


def times(found: dict[str, float]) -> str:
    """Return how many times as many likes friends have in common as strangers, in words."""
    friends, strangers = found[FRIENDS], found[STRANGERS]
    if np.isnan(friends) or np.isnan(strangers):
        return "unknown"
    if strangers == 0:
        return "equal" if friends == 0 else "strangers have none"
    return f"{friends / strangers:.3g} times"


def _stated(found: dict[str, float], generated: bool) -> dict[str, Any]:
    return {
        "generated_data": generated,
        **{name: int(found[name]) for name in (*_COUNTS, "components")},
        **{name: int(value) for name, value in found.items() if name.startswith("users ")},
        **{name: "" if np.isnan(found[name]) else found[name] for name in (FRIENDS, STRANGERS)},
        "friends against strangers": times(found),
        "likes in common": "mean Jaccard index: likes of both users over likes of either",
        "strangers": "the ends of friendships, paired at random",
    }


def _distribution(axes: Axes, table: pd.DataFrame, series: dict[str, tuple[str, str]]) -> None:
    """Draw shares of at least as many; a value of a single point is a marker."""
    for quantity, (label, colour) in series.items():
        rows = table[table["quantity"] == quantity]
        marker = "o" if len(rows) < 2 else ""
        look = {"drawstyle": "steps-pre", "color": colour, "marker": marker}
        axes.plot(rows["at"], rows["value"], label=label, **look)
    if not table["quantity"].isin(series).any():
        axes.set(xticks=[], yticks=[])
        return
    _log_log(axes, axes.xaxis)
    if len(series) > 1:
        axes.legend(handlelength=1.2, loc="lower left")


def _log_log(axes: Axes, *counts: Axis) -> None:
    """Make both axes logarithmic, with ticks that can be read; whole numbers on `counts`."""
    axes.set(xscale="log", yscale="log")
    axes.autoscale_view()
    for axis in (axes.xaxis, axes.yaxis):
        low, high = axis.get_view_interval()
        if high / low < _MANY_DECADES:
            style.log_ticks(axis)
            if axis in counts:
                whole = [tick for tick in axis.get_majorticklocs() if tick == int(tick)]
                axis.set_major_locator(
                    FixedLocator(whole or np.arange(np.ceil(low), np.floor(high) + 1))
                )
        else:
            style.decades(axis, LogLocator(10, numticks=6))
            axis.set_minor_locator(NullLocator())


def _components(axes: Axes, table: pd.DataFrame, found: dict[str, float]) -> None:
    rows = table[table["quantity"] == SIZES]
    axes.plot(rows["at"], rows["value"], color=_FRIENDS, marker="o", markersize=3)
    _log_log(axes, axes.xaxis, axes.yaxis)
    title = f"Components: {found['components']:,.0f}"
    axes.set(xlabel="Component, largest first", ylabel="Users", title=title)
    largest = _percent(found["users of the largest component"] / found["users"])
    alone = found["users without friends"]
    text = f"largest: {largest} of users\nalone: {alone:,.0f} users"
    corner = {"xycoords": "axes fraction", "ha": "right", "va": "top"}
    axes.annotate(text, (0.97, 0.95), **corner, **NOTE)


def _explained(axes: Axes, table: pd.DataFrame) -> None:
    rows = table[table["quantity"] == EXPLAINED]
    axes.plot(rows["at"], rows["value"], color=_ITEMS, marker="o", markersize=3)
    title = f"Explained variance: {_percent(rows['value'].iloc[-1])}"
    axes.set(xlabel="Features", ylabel="Share of variance", ylim=(0, None), title=title)
    style.thousands(axes.xaxis)


def _homophily(axes: Axes, found: dict[str, float]) -> None:
    shares = np.array([found[FRIENDS], found[STRANGERS]])
    axes.set(title=f"Homophily: {times(found)}", ylabel="Likes in common (Jaccard), %")
    pairs = [f"{name}\n{found[f'pairs of {name}']:,.0f} pairs" for name in ("friends", "strangers")]
    axes.set_xticks([0, 1], pairs)
    axes.set_xlim(-0.6, 1.6)
    axes.grid(axis="x", visible=False)
    if np.isnan(shares).all():
        axes.set_yticks([])
        return
    bars = axes.bar([0, 1], np.nan_to_num(100 * shares), width=0.6, color=[_FRIENDS, GREY])
    axes.bar_label(bars, [_percent(share) for share in shares], fontsize=NOTE_SIZE, padding=2)
    axes.margins(y=0.15)


def _percent(share: float) -> str:
    return "none" if np.isnan(share) else f"{100 * share:.3g} %"
