"""Intervals and slopes against known values, in repeated sampling, and without BLAS."""

import ast
import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horde.errors import DataError
from horde.results import statistics
from horde.results.statistics import Interval, log_log_slope, t_interval
from horde.verdict import rules


def test_t_interval_of_a_textbook_sample():
    # Mean 3, s = sqrt(2.5), t(0.975, 4) = 2.7764451.
    value, low, high = t_interval([1, 2, 3, 4, 5])
    half = 2.7764451 * np.sqrt(2.5 / 5)
    assert (value, low, high) == pytest.approx((3, 3 - half, 3 + half))


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


@pytest.mark.parametrize(
    ("found", "expected"), [(t_interval([0.7]), 0.7), (log_log_slope([1, 10], [1, 100]), 2.0)]
)
def test_one_seed_or_two_points_give_a_value_without_interval(found, expected):
    assert found == pytest.approx((expected, np.nan, np.nan), nan_ok=True)


@pytest.mark.parametrize(("x", "y"), [([1, 0], [1, 1]), ([1, 2], [1, -1]), ([2, 2], [1, 3])])
def test_slope_refuses_what_has_none(x, y):
    with pytest.raises(DataError):
        log_log_slope(x, y)


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(0.123456, -1.5, 2), "0.1235 [-1.5, 2]"),
        (Interval(3.0, np.nan, np.nan), "3"),
        (statistics.UNKNOWN, ""),
    ],
)
def test_an_interval_is_shown_to_four_digits_without_what_is_not_known(interval, text):
    assert str(interval) == text


BLAS = {
    *("dot", "vdot", "inner", "outer", "matmul", "tensordot", "einsum", "linalg", "convolve"),
    *("polyfit", "lstsq", "linregress", "cov", "corrcoef", "correlate"),
}


@pytest.mark.parametrize("module", [statistics, rules])
def test_no_number_of_a_verdict_passes_through_blas(module):
    """BLAS sums in an order that depends on the processor."""
    nodes = [*ast.walk(ast.parse(inspect.getsource(module)))]
    assert not [node.lineno for node in nodes if isinstance(node, ast.MatMult)]
    assert not [
        node.lineno
        for node in nodes
        if getattr(node, "attr", getattr(node, "id", getattr(node, "name", None))) in BLAS
    ]
