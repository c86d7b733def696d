"""Intervals and slopes against known values and in repeated sampling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horde.errors import DataError
from horde.results.statistics import log_log_slope, t_interval


def test_t_interval_of_a_textbook_sample():
    # Mean 3, s = sqrt(2.5), t(0.975, 4) = 2.7764451.
    value, low, high = t_interval([1, 2, 3, 4, 5])
    half = 2.7764451 * np.sqrt(2.5 / 5)
    assert (value, low, high) == pytest.approx((3, 3 - half, 3 + half))


def test_one_seed_has_a_value_but_no_interval():
    value, low, high = t_interval([0.7])
    assert value == 0.7
    assert np.isnan([low, high]).all()


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_interval_covers_the_truth_as_often_as_it_says(level):
    samples = np.random.default_rng(0).normal(2.0, 3.0, size=(2000, 5))
    intervals = [t_interval(sample, level) for sample in samples]
    assert np.mean([i.low < 2.0 < i.high for i in intervals]) == pytest.approx(level, abs=0.02)


@given(
    exponent=st.floats(-3, 3),
    factor=st.floats(0.01, 100),
    sizes=st.lists(st.integers(1, 10**6), min_size=3, max_size=8, unique=True),
)
def test_slope_of_a_power_law_is_its_exponent(exponent, factor, sizes):
    x = np.array(sizes, dtype=float)
    value, low, high = log_log_slope(x, factor * x**exponent)
    assert value == pytest.approx(exponent, abs=1e-6)
    assert low - 1e-9 <= value <= high + 1e-9


def test_slope_interval_covers_a_noisy_exponent():
    rng = np.random.default_rng(1)
    x = 2.0 ** np.arange(8)
    fits = [log_log_slope(x, x**1.5 * np.exp(rng.normal(0, 0.2, 8))) for _ in range(1000)]
    assert np.mean([f.low < 1.5 < f.high for f in fits]) == pytest.approx(0.95, abs=0.025)


def test_two_points_give_a_slope_without_interval():
    value, low, high = log_log_slope([1, 10], [1, 100])
    assert value == pytest.approx(2)
    assert np.isnan([low, high]).all()


@pytest.mark.parametrize(("x", "y"), [([1, 0], [1, 1]), ([1, 2], [1, -1]), ([2, 2], [1, 3])])
def test_slope_refuses_what_has_none(x, y):
    with pytest.raises(DataError):
        log_log_slope(x, y)
