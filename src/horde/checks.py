"""Checks of hyper-parameters and arrays; a wrong value raises ConfigError with its name."""

import math
from collections.abc import Callable, Collection, Iterable
from difflib import get_close_matches
from numbers import Integral, Real

import numpy as np

from horde.errors import ConfigError


def outside(numbers: np.ndarray, bound: int) -> bool:
    """Return whether any of `numbers` is outside [0, bound)."""
    return numbers.size > 0 and bool(numbers.min() < 0 or numbers.max() >= bound)


def ascending(first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether the pairs (first, second), two arrays (m,), ascend strictly."""
    step, second_step = np.diff(first), np.diff(second)
    return bool(((step > 0) | ((step == 0) & (second_step > 0))).all())


def are_weights(array: np.ndarray, count: int) -> bool:
    """Return whether an array holds `count` positive finite numbers, float64."""
    return (
        array.shape == (count,)
        and array.dtype == np.float64
        and bool((np.isfinite(array) & (array > 0)).all())
    )


def choice(name: str, value: object, options: Collection[object]) -> object:
    """Return `value` if it is one of `options`.

    Raises
    ------
    ConfigError
        If it is not; names the hyper-parameter, the options and the nearest of them.
    """
    if value not in options:
        texts = [option for option in options if isinstance(option, str)]
        hint = nearest(value, texts) if isinstance(value, str) else ""
        known = ", ".join(map(str, options))
        raise ConfigError(f"{name} is {value!r}; it must be one of {known}.{hint}")
    return value


def nearest(word: str, known: Iterable) -> str:
    """Return `` Did you mean ...?``, or an empty text if no known word is similar."""
    spelling = {str(name).lower(): str(name) for name in known}
    close = get_close_matches(word.strip('"').lower(), spelling, n=1, cutoff=0.5)
    return f" Did you mean {spelling[close[0]]!r}?" if close else ""


def require_positive(**params: float) -> None:
    """Raise ConfigError unless each keyword's value is a finite number above 0."""
    _require(lambda value: value > 0, "a number above 0", params)


def require_whole(least: int = 1, **params: int) -> None:
    """Raise ConfigError unless each keyword's value is a whole number, at least `least`."""

    def fits(value: float) -> bool:
        return isinstance(value, Integral) and value >= least

    _require(fits, f"a whole number, at least {least}", params)


def require_not_negative(**params: float) -> None:
    """Raise ConfigError unless every keyword's value is a finite number, at least 0."""
    _require(lambda value: value >= 0, "a number, at least 0", params)


def require_one_of(options: Collection[object], **params: object) -> None:
    """Raise ConfigError unless every keyword's value is among `options`."""
    for name, value in params.items():
        choice(name, value, options)


def _require(fits: Callable[[float], bool], wanted: str, params: dict[str, object]) -> None:
    """Refuse the first value that is no finite number, or does not fit."""
    for name, value in params.items():
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not (is_number and math.isfinite(value) and fits(value)):
            raise ConfigError(f"{name} is {value!r}, but must be {wanted}: correct this setting.")
