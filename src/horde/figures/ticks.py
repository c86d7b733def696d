"""Ticks of logarithmic axes whose values a reader can read, however short the axis is."""

import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

_FEWEST = 3
_WITHIN_A_DECADE = ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 4, 6, 8))


def readable(low: float, high: float) -> list[float]:
    """Return round values from `low` to `high`, both positive: at least three where possible.

    Powers of ten where enough of them lie between, else further steps within the decades, else
    evenly spaced values.
    """
    exponents = np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    for steps in _WITHIN_A_DECADE:
        values = np.outer(10.0**exponents, steps).ravel()
        inside = values[(values >= low) & (values <= high)]
        if len(inside) >= _FEWEST:
            return inside.tolist()
    even = MaxNLocator(4).tick_values(low, high)
    return even[(even >= low) & (even <= high)].tolist()


def mark(axis: Axis) -> None:
    """Put readable ticks on a logarithmic axis, as plain numbers; call it when limits are final."""
    axis.set_major_locator(FixedLocator(readable(*axis.get_view_interval())))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
