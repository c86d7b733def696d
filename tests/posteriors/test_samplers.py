"""Both Thompson samplers have the law of the dense posterior."""

import numpy as np
import pytest
from gmrf_problems import Oracle, learned_problem, make_problem, play

from horde.kernels.sampling import append_row, chebyshev
from horde.posteriors.gmrf import gmrf
from horde.posteriors.samplers import root_coefficients, spectrum_interval
from horde.posteriors.system import scaled_prior

DRAWS = 20_000
SCALE = 0.3


@pytest.mark.parametrize("sampler", ["marginal", "perturbation"])
def test_samples_have_the_exact_mean_and_covariance(sampler):
    problem = make_problem("communities", n=16, d=3, rounds=60)
    oracle, _ = play(Oracle(0.2, 0.8), problem)
    posterior, _ = play(gmrf(0.2, 0.8, sampler=sampler, tolerance=1e-6), problem)
    rng = np.random.default_rng(3)
    user = 5
    samples = np.array([posterior.sample(user, rng, SCALE) for _ in range(DRAWS)])
    exact = SCALE * oracle.marginal(user)
    # Whitened, means and covariances are those of standard normals: 5 standard errors.
    white = np.linalg.solve(np.linalg.cholesky(exact), (samples - oracle.mean(user)).T)
    assert np.abs(white.mean(axis=1)).max() < 5 / np.sqrt(DRAWS)
    covariance = white @ white.T / DRAWS
    tolerance = 5 * np.sqrt(2 / DRAWS) + (0.01 if sampler == "marginal" else 0)
    assert np.abs(covariance - np.eye(3)).max() < tolerance


def test_perturbation_has_the_full_joint_covariance():
    problem = make_problem("hub", n=6, d=2, rounds=30)
    oracle, _ = play(Oracle(0.2, 0.8), problem)
    posterior, _ = play(gmrf(0.2, 0.8, solver="pcg", sampler="perturbation"), problem)
    sampler, solver = posterior.perturbation_, posterior.solver_
    posterior.mean(0)
    rng = np.random.default_rng(4)
    samples = np.array([solver.correct(sampler.noise(rng)).ravel() for _ in range(DRAWS)])
    white = np.linalg.solve(np.linalg.cholesky(oracle.covariance_), samples.T)
    covariance = white @ white.T / DRAWS
    assert np.abs(covariance - np.eye(12)).max() < 5 * np.sqrt(2 / DRAWS)


@pytest.mark.parametrize("problem", [make_problem("components"), learned_problem()])
def test_the_polynomial_is_a_root_of_the_prior(problem):
    prior = scaled_prior(problem.precision, 0.3)
    interval = spectrum_interval(prior)
    dense = 0.3 * problem.precision.to_scipy().toarray()
    eigenvalues = np.linalg.eigvalsh(dense)
    assert interval[0] <= eigenvalues[0]
    assert eigenvalues[-1] <= interval[1]
    root = chebyshev(root_coefficients(*interval), np.eye(len(dense)), prior, *interval)
    np.testing.assert_allclose(root @ root, dense, atol=1e-6 * eigenvalues[-1])


def test_appended_rows_make_a_factor_from_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 4))
    X[:4, 0] = 0.0
    factor = np.zeros((4, 4))
    for t, x in enumerate(X):
        append_row(factor, x, 2.0)
        assert (factor == np.triu(factor)).all()
        np.testing.assert_allclose(factor.T @ factor, 2 * X[: t + 1].T @ X[: t + 1], atol=1e-12)
