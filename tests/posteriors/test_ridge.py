"""Ridge posteriors against the dense model without edges."""

import numpy as np
import pytest
from gmrf_problems import RATINGS, Oracle, assert_learns_alike
from hypothesis import given, settings
from hypothesis import strategies as st

from horde.graph.precision import identity
from horde.posteriors.ridge import Ridge
from horde.problem import Problem
from horde.random import draws


@settings(max_examples=50)
@given(RATINGS, st.sampled_from([1e-3, 0.1, 10.0]), st.sampled_from([0.3, 1.0]), st.booleans())
def test_mean_variances_and_samples_are_the_dense_ones(ratings, lam, sigma, shared):
    problem = Problem(4, 3, 50, draws("ridge", 0), identity(4))
    ridge, oracle = Ridge(lam, sigma, shared).start(problem), Oracle(lam, sigma).start(problem)
    assert_learns_alike(ratings, ridge, oracle, 1e-6, shared)


def test_it_stays_exact_over_a_long_run():
    """Fifty thousand rank-one updates of one inverse leave it right to eight digits."""
    ridge = Ridge(1e-3, 1.0, shared=True).start(Problem(1, 5, 50_000, draws("ridge", 0)))
    rows = np.random.default_rng(0).normal(size=(50_000, 5))
    for x in rows:
        ridge.observe(0, x, 1.0)
    P = 1e-3 * np.eye(5) + rows.T @ rows
    inverse, w = np.linalg.inv(P), np.linalg.solve(P, rows.sum(0))
    assert np.abs(ridge.blocks_.inverse[1] - inverse).max() < 1e-8 * inverse.max()
    assert np.abs(ridge.mean(0) - w).max() < 1e-8 * np.abs(w).max()


def test_users_without_data_take_no_memory():
    ridge = Ridge().start(Problem(1_000_000, 25, 10, draws("ridge", 0)))
    ridge.observe(999_999, np.ones(25), 1.0)
    assert sum(array.nbytes for array in ridge.state().values()) < 5_000_000
    assert (ridge.mean(0) == 0).all()
    assert ridge.variances(0, np.eye(25)) == pytest.approx(100.0)
