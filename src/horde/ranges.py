"""Ranges of hyper-parameters: a wrong one is refused by name, before anything is computed."""

import math
from collections.abc import Collection
from numbers import Real

from horde.errors import ConfigError


def require_positive(**settings: float) -> None:
    """Raise ConfigError unless every keyword's value is a finite number above 0."""
    for name, value in settings.items():
        if not (_is_finite_number(value) and value > 0):
            _refuse(name, value, "a number above 0")


def require_not_negative(**settings: float) -> None:
    """Raise ConfigError unless every keyword's value is a finite number, at least 0."""
    for name, value in settings.items():
        if not (_is_finite_number(value) and value >= 0):
            _refuse(name, value, "a number, at least 0")


def require_one_of(options: Collection[object], **settings: object) -> None:
    """Raise ConfigError unless every keyword's value is among `options`."""
    for name, value in settings.items():
        if value not in options:
            _refuse(name, value, "one of " + ", ".join(map(repr, options)))


def _is_finite_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _refuse(name: str, value: object, wanted: str) -> None:
    raise ConfigError(f"{name} is {value!r}, but must be {wanted}: correct this setting.")
