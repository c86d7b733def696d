"""Confidence bounds that hold a logarithm, rounded so that every mathematical library agrees."""

import math

DIGITS = 9


def width_factor(alpha: float, ucb_log: bool, round_number: int) -> float:
    """Return what a confidence width is multiplied by in a round.

    Parameters
    ----------
    alpha : float
        Discount alpha of the width.
    ucb_log : bool
        Whether alpha is multiplied by sqrt(log(t + 1)), to nine decimals.
    round_number : int
        Number t of the round, counted from 1.
    """
    if not ucb_log:
        return float(alpha)
    return alpha * round(math.sqrt(math.log(round_number + 1)), DIGITS)


def club_bound(count: int) -> float:
    """Return CB(T) = sqrt((1 + log(1 + T)) / (1 + T)), to nine decimals, for T observations."""
    return round(math.sqrt((1 + math.log(1 + count)) / (1 + count)), DIGITS)
