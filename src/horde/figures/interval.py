"""A number and its interval against a rule's threshold, as a small picture in a page (SVG)."""

import math

from horde.results.statistics import Interval
from horde.verdict import words

_WIDTH, _HEIGHT, _MARGIN = 240.0, 46.0, 26.0
_LINE = 26.0


def picture(
    interval: Interval, at_least: float, at_most: float, outcome: str, factor: bool = False
) -> str:
    """Draw an interval against bounds.

    Parameters
    ----------
    interval : Interval
        Value and ends; the ends may be NaN.
    at_least, at_most : float
        What the rule asks; NaN for no bound.
    outcome : str
        The verdict; names the class of the picture's marks, with hyphens for blanks.
    factor : bool
        Whether the axis is logarithmic, as for ratios of times.

    Returns
    -------
    str
        An ``svg`` element; empty without a value or without a bound.
    """
    bounds = [bound for bound in (at_least, at_most) if math.isfinite(bound)]
    shown = [number for number in interval if math.isfinite(number)]
    if not shown or not bounds or (factor and min(*shown, *bounds) <= 0):
        return ""
    place = _axis([*shown, *bounds], factor)
    left = place(at_least) if math.isfinite(at_least) else 0.0
    right = place(at_most) if math.isfinite(at_most) else _WIDTH
    low, high = (place(end) for end in (min(shown), max(shown)))
    value = place(interval.value)
    marks = [
        f'<rect class="allowed" x="{left:.1f}" y="10" width="{max(right - left, 2):.1f}" '
        'height="22"/>',
        f'<path class="axis" d="M0 {_LINE}H{_WIDTH:g}"/>',
        *(f'<path class="bound" d="M{place(b):.1f} 8V34"/>' for b in bounds),
        *(_label(place(b), 44, words.bound(b), "soft") for b in dict.fromkeys(bounds)),
        f'<path class="range" d="M{low:.1f} {_LINE}H{high:.1f}"/>',
        f'<circle cx="{value:.1f}" cy="{_LINE}" r="4"/>',
        _label(value, 9, words.number(interval.value), ""),
    ]
    title = f"{words.number(interval.value)}; {words.bounds(at_least, at_most, '')}"
    kind = outcome.replace(" ", "-")
    return (
        f'<svg class="interval {kind}" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" '
        f'aria-label="{title}">{"".join(marks)}</svg>'
    )


def _axis(numbers: list[float], factor: bool):
    """Return the function from a number to its place in the picture."""
    scale = math.log if factor else float
    ends = [scale(number) for number in numbers]
    middle, reach = (min(ends) + max(ends)) / 2, max(ends) - min(ends)
    # All numbers are equal, or nearly: any scale will do.
    reach = max(reach, 1e-9 * max(map(abs, ends)), 1e-12)
    inner = _WIDTH - 2 * _MARGIN
    return lambda number: _WIDTH / 2 + inner * (scale(number) - middle) / reach


def _label(x: float, y: float, text: str, kind: str) -> str:
    # Labels near an end stay inside the picture.
    x = min(max(x, _MARGIN / 2), _WIDTH - _MARGIN / 2)
    return f'<text class="{kind}" x="{x:.1f}" y="{y:g}" text-anchor="middle">{text}</text>'
