"""Noise for sampling by perturbation of the whole system (Section 4.2)."""

import math

import numpy as np

from horde.kernels.sampling import append_row, chebyshev, data_noise
from horde.posteriors.system import Prior, System, spectrum

# Relative error of the polynomial for the prior's square root.
ROOT_ERROR = 1e-6


class Perturbation:
    """Draw xi ~ N(0, P), xi = (Lambda^1/2 kron I) z + Phi^T y / sigma, z and y standard normal.

    Lambda^1/2 is applied as a Chebyshev polynomial on an interval that holds Lambda's spectrum;
    Phi^T y is drawn through triangular factors of the A_i, which rank-one updates keep.

    Parameters
    ----------
    system : System
        Gets an array ``factors`` by slot.
    """

    def __init__(self, system: System):
        self.system = system
        d = system.w.shape[1]
        system.slots.add("factors", (d, d))
        self.prior_changed()

    def noise(self, normal: np.random.Generator) -> np.ndarray:
        """Draw xi from N(0, P), shape (n, d).

        Takes n d numbers from `normal`, and d more for every user observed so far.
        """
        system, slots = self.system, self.system.slots
        n, d = system.w.shape
        z = normal.standard_normal((n, d))
        noise = chebyshev(self._coefficients, z, system.prior, *self._interval)
        y = normal.standard_normal((slots.used, d))
        data_noise(slots.rows("owners"), slots.rows("factors"), y, noise)
        return noise

    def observe(self, user: int, x: np.ndarray) -> None:
        """Add one observation to the user's factor, after the system has a slot for it."""
        row = self.system.slot[user]
        append_row(self.system.slots.factors[row], x, 1.0 / self.system.sigma2)

    def prior_changed(self) -> None:
        """Find the interval and the polynomial for the prior."""
        self._interval = spectrum_interval(self.system.prior)
        self._coefficients = root_coefficients(*self._interval)


def spectrum_interval(prior: Prior) -> tuple[float, float]:
    """Return an interval that holds the eigenvalues of Lambda, from Lanczos and with some margin.

    Rounded outwards to two digits, so that it does not depend on how sums are rounded.
    """
    low, high = spectrum(prior)
    return rounded(0.9 * low, -1), rounded(1.02 * high, 1)


def rounded(value: float, direction: int) -> float:
    """Round a positive value to two digits, up (direction 1) or down (-1)."""
    digit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return digit * (math.ceil(value / digit) if direction > 0 else math.floor(value / digit))


def root_coefficients(low: float, high: float) -> np.ndarray:
    """Return the Chebyshev coefficients of the square root on [low, high], to `ROOT_ERROR`.

    Rounded to 12 decimals of the largest, so that they do not depend on the library of cosines.
    """
    size = 64
    while True:
        angles = np.pi * (np.arange(size) + 0.5) / size
        values = np.sqrt((high + low) / 2 + (high - low) / 2 * np.cos(angles))
        cosines = np.cos(np.outer(np.arange(size), angles))
        coefficients = 2.0 / size * (cosines * values).sum(axis=1)
        coefficients[0] /= 2.0
        largest = abs(coefficients[0])
        if abs(coefficients[-2:]).max() <= ROOT_ERROR * largest:
            break
        size *= 2
    kept = np.flatnonzero(abs(coefficients) > ROOT_ERROR * largest)
    return np.round(coefficients[: max(kept[-1] + 1, 2)] / largest, 12) * largest
