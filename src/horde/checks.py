"""Questions that settings, tables and datasets are asked before they are trusted."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

import numpy as np

from horde.errors import ConfigError


def outside(numbers: np.ndarray, bound: int) -> bool:
    """Tell whether any of `numbers` is not in [0, bound)."""
    return bool(((numbers < 0) | (numbers >= bound)).any())


def ascending(first: np.ndarray, second: np.ndarray) -> bool:
    """Tell whether the pairs (first, second), two arrays (m,), ascend strictly."""
    step, second_step = np.diff(first), np.diff(second)
    return bool(((step > 0) | ((step == 0) & (second_step > 0))).all())


def choice(setting: str, value: str, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`.

    Raises
    ------
    ConfigError
        If it is not; names the setting and the choices.
    """
    if value not in choices:
        raise ConfigError(f"{setting} is {value!r}; it must be one of {', '.join(choices)}")
    return value


def nearest(word: str, known: Iterable) -> str:
    """Return `` Did you mean ...?``, or nothing where no known word is near."""
    spelling = {str(name).lower(): str(name) for name in known}
    close = get_close_matches(word.strip('"').lower(), spelling, n=1, cutoff=0.5)
    return f" Did you mean {spelling[close[0]]!r}?" if close else ""
