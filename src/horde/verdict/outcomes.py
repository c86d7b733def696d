"""What a rule can come to, and how an interval is held against a bound."""

from dataclasses import dataclass

import numpy as np

from horde.results.statistics import UNKNOWN, Interval

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
INCONCLUSIVE = "inconclusive"
NOT_RUN = "not run"

# The outcome of a conjunction is the first of these that one of its parts has: a single failure
# decides, whatever else is missing.
_ORDER = (NOT_REPRODUCED, NOT_RUN, INCONCLUSIVE, REPRODUCED)


class NotRun(Exception):  # noqa: N818
    """An input of a rule is missing; the message names it."""


@dataclass(frozen=True)
class Part:
    """The outcome of one rule.

    Attributes
    ----------
    outcome : str
        `REPRODUCED`, `NOT_REPRODUCED`, `INCONCLUSIVE` or `NOT_RUN`.
    text : str
        What was compared, for the reader.
    interval : Interval
        The statistic; NaN where it is not known.
    room : float
        Distance of the interval from the bound, negative where it is beyond: the part with the
        least room decides a claim.
    """

    outcome: str
    text: str
    interval: Interval = UNKNOWN
    room: float = -np.inf

    def describe(self) -> str:
        """Return one line: what was compared, its number and interval, the outcome."""
        number = shown(self.interval)
        return f"{self.text}{' = ' if number else ''}{number}: {self.outcome}"


def shown(interval: Interval) -> str:
    """Return ``value [low, high]`` to four digits, without what is not known (NaN)."""
    value, low, high = interval
    if np.isnan(value):
        return ""
    return f"{value:.4g}" if np.isnan(low) else f"{value:.4g} [{low:.4g}, {high:.4g}]"


def hold_against(
    text: str,
    interval: Interval,
    at_least: float = -np.inf,
    at_most: float = np.inf,
    strict: bool = False,
) -> Part:
    """Judge an interval by bounds.

    Parameters
    ----------
    text : str
        What the interval is about.
    interval : Interval
        Where its ends are NaN nothing can be concluded.
    at_least, at_most : float
        Reproduced if the whole interval lies between them, not reproduced if no part of it does,
        else inconclusive.
    strict : bool
        Whether an interval that touches a bound fails to lie within.
    """
    _, low, high = interval
    room = min(low - at_least, at_most - high)
    if np.isnan(room):
        return Part(INCONCLUSIVE, text, interval)
    if room > 0 or (room == 0 and not strict):
        return Part(REPRODUCED, text, interval, room)
    if high < at_least or low > at_most:
        return Part(NOT_REPRODUCED, text, interval, room)
    return Part(INCONCLUSIVE, text, interval, room)


def conjunction(parts: list[Part]) -> str:
    """Return the outcome of "all of these"."""
    found = {part.outcome for part in parts}
    return next(outcome for outcome in _ORDER if outcome in found)


def deciding(parts: list[Part]) -> Part:
    """Return, of the parts that have the conjunction's outcome, the one with the least room."""
    outcome = conjunction(parts)
    return min((part for part in parts if part.outcome == outcome), key=lambda part: part.room)
