"""Statistics shared by tables, figures and verdicts.

None calls BLAS, whose sums depend on the processor: these numbers are compared digit for digit.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from horde.errors import DataError


class Interval(NamedTuple):
    """An estimate with its confidence interval; without an interval the ends are NaN."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return ``value [low, high]`` to four digits; unknown parts (NaN) are left out."""
        value, low, high = self
        if np.isnan(value):
            return ""
        return f"{value:.4g}" if np.isnan(low) else f"{value:.4g} [{low:.4g}, {high:.4g}]"


UNKNOWN = Interval(np.nan, np.nan, np.nan)
_BESIDE_A_KINK = 3  # the fewest points on either side


def t_interval(values: np.ndarray, level: float = 0.95) -> Interval:
    """Return the mean of `values` with Student's t-interval.

    Parameters
    ----------
    values : array_like of float, shape (m,)
        Independent observations, one per seed; at least one.
    level : float
        Confidence level, in (0, 1).

    Returns
    -------
    Interval
        With NaN ends if there are fewer than two observations.
    """
    values = np.asarray(values, dtype=float)
    mean = float(np.mean(values))
    if len(values) < 2:
        return Interval(mean, np.nan, np.nan)
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    half = float(stdtrit(len(values) - 1, (1 + level) / 2) * error)
    return Interval(mean, mean - half, mean + half)


def log_log_slope(x: np.ndarray, y: np.ndarray) -> Interval:
    """Return the least-squares slope of log y on log x with its 95 % t-interval.

    Parameters
    ----------
    x, y : array_like of float, shape (m,)
        Positive, with at least two different x.

    Returns
    -------
    Interval
        With NaN ends if there are fewer than three points, which leave no residual.

    Raises
    ------
    DataError
        If x or y is not positive or all x are equal.
    """
    slope, squares, spread = _log_log_fit(x, y)
    if len(x) < 3:
        return Interval(slope, np.nan, np.nan)
    error = math.sqrt(squares / (len(x) - 2) / spread)
    half = float(stdtrit(len(x) - 2, 0.975) * error)
    return Interval(slope, slope - half, slope + half)


def log_log_kink(x: np.ndarray, y: np.ndarray) -> int:
    """Return how many of the smallest x lie before the kink of log y on log x.

    Two lines, one before it and one after it, then have the least sum of squared residuals. Each
    has at least three points.

    Parameters
    ----------
    x, y : array_like of float, shape (m,)
        Positive, x ascending.

    Raises
    ------
    DataError
        If there are fewer than six points, or as for `log_log_slope`.
    """
    if len(x) < 2 * _BESIDE_A_KINK:
        raise DataError(f"a kink needs {2 * _BESIDE_A_KINK} sizes; measure at more sizes")
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    splits = range(_BESIDE_A_KINK, len(x) - _BESIDE_A_KINK + 1)
    squares = [_log_log_fit(x[:k], y[:k])[1] + _log_log_fit(x[k:], y[k:])[1] for k in splits]
    return splits[int(np.argmin(squares))]


def _log_log_fit(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Return slope, sum of squared residuals, and sum of squared deviations of log x."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if not ((x > 0).all() and (y > 0).all()):
        raise DataError("a log-log slope needs positive numbers; remove the points at or below 0")
    if len(np.unique(x)) < 2:
        raise DataError("a log-log slope needs two different sizes; measure at more sizes")
    log_y = np.log(y)
    centred = np.log(x) - np.mean(np.log(x))
    spread = math.fsum(centred * centred)
    slope = math.fsum(centred * log_y) / spread
    residuals = log_y - np.mean(log_y) - slope * centred
    return slope, math.fsum(residuals * residuals), spread
