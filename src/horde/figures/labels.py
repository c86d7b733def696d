"""Names at the ends of curves: nearer to the eye than a legend, and legible in grey."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import ConnectionPatch
from matplotlib.transforms import ScaledTranslation, Transform

from horde.figures.style import Look

_TEXT_SIZE = 8.5
_LEADER = 16  # points from the axes to the text
_LINE = 12  # points from one text to the next


class End(NamedTuple):
    """The end of a curve, in data coordinates, and how the curve looks."""

    x: float
    y: float
    look: Look


def spread(wanted: np.ndarray, gap: float, low: float, high: float) -> np.ndarray:
    """Move positions as little as possible until they are `gap` apart and within bounds.

    Parameters
    ----------
    wanted : ndarray of float, shape (m,)
        Where each would like to be, ascending.
    gap : float
        Least distance; less is used when m do not fit.
    low, high : float
        Bounds.

    Returns
    -------
    ndarray of float, shape (m,)
        Ascending. Least squares: runs that would overlap are centred on their mean wish.
    """
    count = len(wanted)
    if count == 0:
        return np.empty(0)
    gap = min(gap, (high - low) / max(count - 1, 1))
    offsets = gap * np.arange(count)
    # Without the offsets the positions only need to ascend: pool adjacent violators.
    pools: list[list[float]] = []
    for wish in wanted - offsets:
        pools.append([wish, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, size = pools.pop()
            total = pools[-1][0] * pools[-1][1] + mean * size
            pools[-1] = [total / (pools[-1][1] + size), pools[-1][1] + size]
    ascending = np.repeat([mean for mean, _ in pools], [int(size) for _, size in pools])
    return np.clip(ascending, low, high - offsets[-1]) + offsets


def label_ends(axes: Axes, ends: Sequence[End]) -> None:
    """Write each curve's name right of the axes, with a thin line to the curve's end.

    A single curve that ends before the right edge is named there: its line would cross others.
    Call it when limits and scales are final.
    """
    inner = [end for end in ends if not _at_the_edge(axes, end)]
    if len(inner) == 1:
        _name_at(axes, inner[0])
        ends = [end for end in ends if end is not inner[0]]
    height = axes.get_window_extent().height
    points = 72.0 / axes.figure.dpi
    ordered = sorted(ends, key=lambda end: end.y)
    heights = [axes.transData.transform((end.x, end.y))[1] for end in ordered]
    bottom = axes.get_window_extent().y0
    wanted = (np.array(heights) - bottom) * points
    places = spread(wanted, _LINE, 0.0, height * points)
    for end, place in zip(ordered, places, strict=True):
        axes.annotate(
            end.look.label,
            xy=(end.x, end.y),
            xytext=(1, 0),
            textcoords=_beside(axes, _LEADER, place),
            fontsize=_TEXT_SIZE,
            color=end.look.colour,
            va="center",
            annotation_clip=False,
        )
        axes.add_artist(_leader(axes, end, place))


def _name_at(axes: Axes, end: End) -> None:
    """Write a curve's name where it ends."""
    axes.annotate(
        end.look.label,
        (end.x, end.y),
        (6, 0),
        textcoords="offset points",
        fontsize=_TEXT_SIZE,
        color=end.look.colour,
        va="center",
    )


def _leader(axes: Axes, end: End, place: float) -> ConnectionPatch:
    """Return the line from a curve's end to its name.

    Not shortened: matplotlib looks for where to cut by halving, which makes a visible step of a
    difference in the last digit.
    """
    return ConnectionPatch(
        (end.x, end.y),
        (1, 0),
        "data",
        _beside(axes, _LEADER - 1, place),
        arrowstyle="-",
        color=end.look.colour,
        linewidth=0.7,
        linestyle="-" if _at_the_edge(axes, end) else ":",
        shrinkA=0,
        shrinkB=0,
        annotation_clip=False,
        clip_on=False,
    )


def _at_the_edge(axes: Axes, end: End) -> bool:
    """Return whether a curve reaches the right edge, so that its leader crosses no other curve."""
    box = axes.get_window_extent()
    return axes.transData.transform((end.x, end.y))[0] > box.x0 + 0.9 * box.width


def _beside(axes: Axes, gap: float, height: float) -> Transform:
    """Return the coordinates in which (1, 0) is `gap` points right of the axes, `height` up."""
    shift = ScaledTranslation(gap / 72, height / 72, axes.figure.dpi_scale_trans)
    return axes.transAxes + shift
