"""Partial pooling against the dense posterior of the star whose centre is never served."""

import numpy as np
import pytest
from gmrf_problems import RATINGS, assert_learns_alike
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from horde.graph.precision import Precision
from horde.posteriors.dense import Dense
from horde.posteriors.pooled import Pooled
from horde.problem import Problem
from horde.random import draws


def star(n, d, weight):
    """The problem of n users around a centre whose own precision is `weight` times lambda."""
    matrix = sparse.lil_matrix(np.eye(n + 1))
    matrix[n, :n] = matrix[:n, n] = -1.0
    matrix[n, n] = n + weight
    return Problem(n + 1, d, 500, draws("star", 0), Precision.from_scipy(matrix))


@settings(max_examples=50)
@given(
    RATINGS,
    st.sampled_from([1e-3, 0.1, 10.0]),
    st.sampled_from([0.3, 1.0]),
    st.sampled_from([None, 1e-3, 5.0]),
)
def test_it_is_the_star_whose_centre_is_never_served(ratings, lam, sigma, lam0):
    pooled = Pooled(lam, sigma, lam0).start(Problem(4, 3, 50, draws("pooled", 0)))
    dense = Dense(lam, sigma).start(star(4, 3, (lam0 or lam) / lam))
    assert_learns_alike(ratings, pooled, dense, 1e-5)


def test_it_stays_exact_over_a_long_run():
    """S^-1, kept by fifty thousand rank-one updates, and mu are right to eight digits."""
    n, d, lam = 50, 5, 1e-3
    pooled = Pooled(lam, 0.5).start(Problem(n, d, 50_000, draws("pooled", 0)))
    rng = np.random.default_rng(0)
    rows, users = rng.normal(size=(50_000, d)), rng.integers(n, size=50_000)
    rewards = rng.normal(size=50_000)
    for user, x, reward in zip(users.tolist(), rows, rewards.tolist(), strict=True):
        pooled.observe(user, x, reward)
    S, total = lam * np.eye(d), np.zeros(d)
    for i in range(n):
        X, r = rows[users == i] / 0.5, rewards[users == i] / 0.5
        M = lam * np.eye(d) + X.T @ X
        S += lam * (np.eye(d) - lam * np.linalg.inv(M))
        total += lam * np.linalg.solve(M, X.T @ r)
    assert pooled.covariance_ == pytest.approx(np.linalg.inv(S), rel=1e-8, abs=1e-8)
    assert pooled.common_ == pytest.approx(np.linalg.solve(S, total), rel=1e-8, abs=1e-8)
