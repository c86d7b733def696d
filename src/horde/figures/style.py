"""The style of all figures: looks of policies, layout, labels, ticks, and saving.

Colour shows how a policy relates users (independent, all as one, around a common mean, clusters,
the given graph, a graph learned from none or from the given one). Dashes and markers show its
choice rule (confidence bound, epoch-greedy, Thompson). So curves differ in grey and for
colour-blind readers. Other policies get further looks, in the order of their names.
"""

import io
import os
import textwrap
import warnings
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.colors
import matplotlib.style
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import ConnectionPatch
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import ScaledTranslation, Transform
from scipy.optimize import isotonic_regression

from horde import files
from horde.figures.captions import field_list

GREY = "#555555"
LOWER = "lower is better"
GENERATED = "generated data, not the paper's"
NOTE_SIZE = 8.5
NOTE = {"fontsize": NOTE_SIZE, "color": GREY}

_ALONE, _AS_ONE, _CLUSTERS = "#2B6CB8", "#CC7A00", "#111111"
_GIVEN_GRAPH, _FROM_NONE, _FROM_GIVEN = "#00644A", "#C2478F", "#5B3A9E"
_AROUND_A_MEAN = "#750014"
_SOLID, DASHED = "-", (0, (4, 1.6))
_DOTTED, _DASH_DOTTED = (0, (1.2, 1.4)), (0, (6, 1.4, 1.4, 1.4))
_LOOKS = {
    "Random": (GREY, _DOTTED, ""),
    "Longest": (GREY, DASHED, "h"),
    "LINUCB-IND": (_ALONE, _SOLID, "o"),
    "EG-IND": (_ALONE, DASHED, "^"),
    "TS-IND": (_ALONE, _DOTTED, "s"),
    "LINUCB-SIN": (_AS_ONE, _SOLID, "o"),
    "EG-SIN": (_AS_ONE, DASHED, "^"),
    "TS-SIN": (_AS_ONE, _DOTTED, "s"),
    "M-UCB": (_AROUND_A_MEAN, _SOLID, "o"),
    "M-EG": (_AROUND_A_MEAN, DASHED, "^"),
    "M-TS": (_AROUND_A_MEAN, _DOTTED, "s"),
    "CLUB": (_CLUSTERS, _SOLID, "D"),
    "GOBLIN": (_GIVEN_GRAPH, _SOLID, "o"),
    "GOBLIN++": (_GIVEN_GRAPH, _DASH_DOTTED, "X"),
    "G-EG": (_GIVEN_GRAPH, DASHED, "^"),
    "G-TS": (_GIVEN_GRAPH, _DOTTED, "s"),
    "L-EG": (_FROM_NONE, DASHED, "v"),
    "U-EG": (_FROM_GIVEN, _DASH_DOTTED, "P"),
}
# Cycles for other policies. The lengths are coprime, so 60 policies look different.
_OTHER_COLOURS = ("#B3261E", "#0E8FA3", "#7A4A1E", "#6F7A00", "#D9489A")
_OTHER_DASHES = (_SOLID, DASHED, _DASH_DOTTED, _DOTTED)
_OTHER_MARKERS = ("*", "<", "p")

_EM = 0.62  # mean width of a letter, in font sizes
_LEADER = 16  # points from the axes to a curve's label
_LINE = 12  # points from one label to the next
_NEAR = 2.5  # points between two curves that are seen as one
_STRETCH = 24  # points along the x axis; shorter stretches are crossings
_STRIPE = 5  # line widths
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_WITHIN_A_DECADE = ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 4, 6, 8))


class Look(NamedTuple):
    """How one policy is drawn.

    Attributes
    ----------
    colour : str
        Colour of its line.
    dashes : str or tuple
        A matplotlib line style.
    marker : str
        A matplotlib marker; empty for none.
    label : str
        Its name in figures.
    """

    colour: str
    dashes: str | tuple
    marker: str
    label: str


class End(NamedTuple):
    """The end of a curve, in data coordinates, and how the curve looks."""

    x: float
    y: float
    look: Look


def looks(policies: Iterable[str]) -> dict[str, Look]:
    """Return how each of a figure's policies is drawn.

    Parameters
    ----------
    policies : iterable of str
        All policies of the figure, in any order. Policies without a fixed look take the next of a
        cycle, in the order of their names.

    Returns
    -------
    dict of Look
        By name, in the given order.
    """
    names = list(dict.fromkeys(policies))
    cycles = (_OTHER_COLOURS, _OTHER_DASHES, _OTHER_MARKERS)
    others = {
        name: tuple(cycle[place % len(cycle)] for cycle in cycles)
        for place, name in enumerate(sorted(set(names) - set(_LOOKS)))
    }
    return {name: Look(*(_LOOKS | others)[name], name) for name in names}


def styled() -> AbstractContextManager[None]:
    """Draw with the project's style sheet, without the user's settings."""
    return matplotlib.style.context("horde.figures.horde", after_reset=True)


def panels(
    count: int,
    title: str,
    notes: Iterable[str],
    *,
    size: tuple[float, float],
    left: float,
    right: float,
    gap: float,
    bottom: float,
    top: float = 0.8,
    **subplots: Any,
) -> tuple[Figure, np.ndarray]:
    """Return a figure with a row of panels; call it within `styled`. Lengths are in inches.

    Parameters
    ----------
    count : int
        Number of panels.
    title : str
        Title of the figure.
    notes : iterable of str
        Texts in one line below the title; empty ones are left out.
    size : tuple of float
        Width and height of a panel.
    left, right, gap, bottom, top : float
        Space around the panels, and between two of them.
    **subplots
        Arguments of `matplotlib.figure.Figure.subplots`.

    Returns
    -------
    figure : matplotlib.figure.Figure
    axes : ndarray of matplotlib.axes.Axes, shape (count,)
    """
    width = left + right + count * size[0] + (count - 1) * gap
    title = wrapped(title, 12, width - left)
    note = wrapped("; ".join(filter(None, notes)), NOTE_SIZE, width - left)
    below_title = 0.34 + 0.2 * title.count("\n")
    top += below_title - 0.34 + 0.15 * note.count("\n")
    height = top + size[1] + bottom
    figure = Figure(figsize=(width, height))
    axes = figure.subplots(1, count, squeeze=False, **subplots)[0]
    figure.subplots_adjust(
        left / width, bottom / height, 1 - right / width, 1 - top / height, wspace=gap / size[0]
    )
    place = {"x": left / width, "ha": "left", "va": "top"}
    figure.suptitle(title, y=1 - 0.09 / height, fontsize=12, weight="bold", **place)
    figure.text(y=1 - below_title / height, s=note, **NOTE, **place)
    return figure, axes


def wrapped(text: str, size: float, inches: float) -> str:
    """Break a text of font size `size`, in points, into lines of at most so many inches."""
    return textwrap.fill(text, max(int(inches / (_EM * size / 72)), 20))


def rows(axes: Axes, labels: Sequence[str]) -> None:
    """Make the y axis a list of rows from the top down, without ticks and lines."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)


# Labels at the ends of curves, which are easier to match than a legend, also in grey.


def spread(wanted: np.ndarray, gap: float, low: float, high: float) -> np.ndarray:
    """Move positions as little as possible until they are `gap` apart and within bounds.

    Parameters
    ----------
    wanted : ndarray of float, shape (m,)
        Preferred positions, ascending; at least one.
    gap : float
        Smallest distance; reduced if m positions do not fit.
    low, high : float
        Bounds.

    Returns
    -------
    ndarray of float, shape (m,)
        Ascending positions that minimise the squared movement.
    """
    gap = min(gap, (high - low) / max(len(wanted) - 1, 1))
    # After subtracting these offsets, positions only need to ascend.
    offsets = gap * np.arange(len(wanted))
    ascending = isotonic_regression(wanted - offsets).x
    return np.clip(ascending, low, high - offsets[-1]) + offsets


def label_ends(axes: Axes, ends: Sequence[End]) -> None:
    """Write each curve's name right of the axes, with a thin line to the curve's end.

    A single curve that ends before the right edge is labelled at its end, since its line would
    cross others. Call this when limits and scales are final.
    """
    inner = [end for end in ends if not _at_the_edge(axes, end)]
    if len(inner) == 1:
        _label(axes, inner[0], (6, 0), "offset points")
        ends = [end for end in ends if end is not inner[0]]
    if not ends:
        return
    box, points = axes.get_window_extent(), 72 / axes.figure.dpi
    ordered = sorted(ends, key=lambda end: end.y)
    heights = [axes.transData.transform((end.x, end.y))[1] for end in ordered]
    wanted = (np.array(heights) - box.y0) * points
    for end, height in zip(ordered, spread(wanted, _LINE, 0, box.height * points), strict=True):
        _label(axes, end, (1, 0), _right_of(axes, _LEADER, height))
        axes.add_artist(_leader(axes, end, height))


def _label(axes: Axes, end: End, place: tuple[float, float], coordinates: str | Transform) -> None:
    axes.annotate(
        end.look.label,
        (end.x, end.y),
        place,
        textcoords=coordinates,
        fontsize=NOTE_SIZE,
        color=end.look.colour,
        va="center",
        annotation_clip=False,
        parse_math=False,
    )


def _leader(axes: Axes, end: End, height: float) -> ConnectionPatch:
    """Return the line from a curve's end to its label.

    The line is not shortened: matplotlib finds the cut by bisection, which turns a difference in
    the last digit into a visible step.
    """
    return ConnectionPatch(
        (end.x, end.y),
        (1, 0),
        "data",
        _right_of(axes, _LEADER - 1, height),
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


def _right_of(axes: Axes, gap: float, height: float) -> Transform:
    """Return the coordinates in which (1, 0) is `gap` points right of the axes, `height` up."""
    shift = ScaledTranslation(gap / 72, height / 72, axes.figure.dpi_scale_trans)
    return axes.transAxes + shift


# Curves that coincide


def reveal(axes: Axes, lines: Sequence[Line2D]) -> list[Line2D]:
    """Make curves visible that lie below others: stripes in their colour where curves coincide.

    Call this when limits and scales are final.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    lines : sequence of matplotlib.lines.Line2D
        The curves in the order in which they were drawn; x ascends.

    Returns
    -------
    list of matplotlib.lines.Line2D
        The curves that others cover, at least in part.
    """
    scale = 72 / axes.figure.dpi
    places = [axes.transData.transform(line.get_xydata()) * scale for line in lines]
    covered = []
    # From the top down, since the stripes of a lower curve are drawn over those of a higher one.
    for position in reversed(range(len(lines))):
        line, (x, y) = lines[position], places[position].T
        near = [
            np.abs(y - np.interp(x, *place.T, left=np.nan, right=np.nan)) < _NEAR
            for place in places[position + 1 :]
        ]
        above = [
            other
            for other, close in zip(lines[position + 1 :], near, strict=True)
            if _stretches(close, x).any()
        ]
        if above:
            covered.append(line)
            hidden = _stretches(np.any(near, axis=0), x)
            same = all(other.get_color() == line.get_color() for other in above)
            axes.plot(
                line.get_xdata(),
                np.where(hidden, line.get_ydata(), np.nan),
                color=_lighter(line.get_color()) if same else line.get_color(),
                linewidth=line.get_linewidth(),
                linestyle=(0, (_STRIPE, _STRIPE * len(above))),
                zorder=line.get_zorder() + 0.1,
            )
    return covered


def _stretches(close: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return `close` without its short stretches; bool, shape (m,)."""
    starts = np.flatnonzero(np.diff(close, prepend=False) & close)
    ends = np.flatnonzero(np.diff(close, append=False) & close)
    kept = np.zeros_like(close)
    for start, end in zip(starts, ends, strict=True):
        kept[start : end + 1] = x[end] - x[start] >= _STRETCH
    return kept


def _lighter(colour: str) -> tuple[float, ...]:
    return tuple(0.35 * part + 0.65 for part in matplotlib.colors.to_rgb(colour))


# Ticks


def thousands(axis: Axis) -> None:
    """Put about five whole numbers on a linear axis, formatted as 10,000."""
    axis.set_major_locator(MaxNLocator(5, integer=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def log_ticks(axis: Axis) -> None:
    """Put plain numbers as ticks on a logarithmic axis; call this when limits are final."""
    axis.set_major_locator(FixedLocator(readable(*axis.get_view_interval())))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.9g}"))


def decades(axis: Axis, locator: LogLocator) -> None:
    """Put powers of ten, such as 10⁻³, on a logarithmic axis where the locator wants them."""

    def written(value: float, _: int) -> str:
        return "10" + f"{np.log10(value):.0f}".translate(_SUPERSCRIPTS)

    axis.set_major_locator(locator)
    axis.set_major_formatter(FuncFormatter(written))


def readable(low: float, high: float) -> list[float]:
    """Return round values from `low` to `high`, both positive: at least three if possible.

    These are powers of ten if enough lie in the range, otherwise steps within decades, otherwise
    evenly spaced values.
    """
    exponents = np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    for steps in _WITHIN_A_DECADE:
        values = np.outer(10.0**exponents, steps).ravel()
        inside = values[(values >= low) & (values <= high)]
        if len(inside) >= 3:
            return inside.tolist()
    even = MaxNLocator(4).tick_values(low, high)
    return even[(even >= low) & (even <= high)].tolist()


# Files


def save(figure: Figure, path: str | os.PathLike, caption: dict[str, Any]) -> None:
    """Write a figure as ``NAME.png`` and ``NAME.pdf``, and its caption as ``.json`` and ``.rst``.

    Equal figures give equal bytes: no dates and no random ids are stored. Files are written
    atomically.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        A figure made within `styled`; call `save` there too.
    path : path
        Path of the PNG; the other files are written next to it.
    caption : dict
        JSON-able: seeds, hyper-parameters, identity of the data, ...

    Warns
    -----
    UserWarning
        If no installed font has a character of a text; the warning names the text.
    """
    _use_fonts_for_all_letters(figure)
    path = Path(path)
    for kind, left_out in (("pdf", "CreationDate"), ("png", "Software")):
        content = io.BytesIO()
        with warnings.catch_warnings():
            # `save` has already warned in clearer words.
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
            figure.savefig(content, format=kind, metadata={left_out: None})
        files.write_bytes(path.with_suffix(f".{kind}"), content.getvalue())
    files.write_json(path.with_suffix(".json"), caption)
    files.write_text(path.with_suffix(".rst"), field_list(caption))


def _use_fonts_for_all_letters(figure: Figure) -> None:
    """Let texts in any script fall back to installed fonts with their letters."""
    texts = {text: set(map(ord, text.get_text())) for text in figure.findobj(Text)}
    family = matplotlib.rcParams["font.family"]
    known = font_manager.get_font(font_manager.findfont(family[0])).get_charmap()
    missing = set().union(*texts.values()) - {*known, ord("\n")}
    if not missing:
        return
    fallbacks, unknown = _fallbacks(missing)
    for text in texts:
        text.set_fontfamily([*family, *fallbacks])
    for text, letters in texts.items():
        if letters & unknown:
            boxes = "".join(letter for letter in text.get_text() if ord(letter) in unknown)
            warnings.warn(
                f"no installed font has the characters {boxes!r} of the text {text.get_text()!r}: "
                "the figure shows boxes; install a font that has them (Noto Sans, say), then "
                "draw the figure again",
                stacklevel=3,
            )


def _fallbacks(missing: set[int]) -> tuple[list[str], set[int]]:
    """Return families of installed fonts with these characters, and the characters of none."""
    installed = []
    # Search again, since matplotlib's list lacks fonts that were installed later.
    for path in sorted(font_manager.findSystemFonts()):
        try:
            font = font_manager.get_font(path)
            has = missing & font.get_charmap().keys()
        except (OSError, RuntimeError, UnicodeError):
            continue  # a font that matplotlib cannot use
        plain = "Regular" in font.style_name and "Serif" not in font.family_name
        installed.append((has, plain, font.family_name, path))
    families = []
    while installed and missing:
        has, _, chosen, _ = max(installed, key=lambda font: (len(font[0] & missing), font[1]))
        if not has & missing:
            break
        for _, _, family, path in installed:
            if family == chosen:  # in all its weights
                font_manager.fontManager.addfont(path)
        families.append(chosen)
        missing = missing - has
    return families, missing
