"""Questions that prepared tables and datasets are asked before they are trusted."""

import numpy as np


def outside(numbers: np.ndarray, bound: int) -> bool:
    """Tell whether any of `numbers` is not in [0, bound)."""
    return bool(((numbers < 0) | (numbers >= bound)).any())


def ascending(first: np.ndarray, second: np.ndarray) -> bool:
    """Tell whether the pairs (first, second), two arrays (m,), ascend strictly."""
    step, second_step = np.diff(first), np.diff(second)
    return bool(((step > 0) | ((step == 0) & (second_step > 0))).all())
