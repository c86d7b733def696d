"""The dense oracle against the model written out with numpy."""

import numpy as np
from gmrf_problems import Oracle, make_problem, play

from horde.posteriors.dense import Dense


def test_oracle_is_the_model():
    problem = make_problem("components", n=12, d=3)
    oracle, seen = play(Oracle(0.2, 0.5), problem, rounds=80)
    Phi = np.zeros((80, 36))
    for t, (user, x, _) in enumerate(seen):
        Phi[t, 3 * user : 3 * user + 3] = x
    ratings = np.array([r for *_, r in seen])
    L = problem.precision.to_scipy().toarray()
    P = Phi.T @ Phi / 0.25 + 0.2 * np.kron(L, np.eye(3))
    np.testing.assert_allclose(oracle.covariance_, np.linalg.inv(P), atol=1e-11)
    w = np.linalg.solve(P, Phi.T @ ratings / 0.25)
    np.testing.assert_allclose(oracle.means().ravel(), w, atol=1e-11)


def test_dense_inverse_equals_the_oracle():
    problem = make_problem("communities", n=20, d=4)
    oracle, _ = play(Oracle(0.05, 0.7), problem, rounds=300)
    dense, _ = play(Dense(0.05, 0.7), problem, rounds=300)
    np.testing.assert_allclose(dense.covariance_, oracle.covariance_, atol=1e-9)
    np.testing.assert_allclose(dense.w_, oracle.means(), atol=1e-9)
    draws = [p.sample(3, np.random.default_rng(0), 0.1) for p in (dense, oracle)]
    np.testing.assert_allclose(*draws, atol=1e-8)
