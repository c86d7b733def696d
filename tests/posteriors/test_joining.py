"""Users who join: afterwards the posterior is that of the larger problem with the same data."""

import numpy as np
import pytest
from gmrf_problems import Oracle, learn
from hypothesis import given, settings
from hypothesis import strategies as st

from horde.errors import ConfigError
from horde.graph.precision import Precision, adjacency, laplacian
from horde.posteriors.gmrf import gmrf
from horde.problem import Problem
from horde.random import draws

D = 3
LAM, SIGMA = 0.3, 0.6


def grown(edges, n, weights=None, **kind):
    """The problem of the first n users of a graph."""
    known = (edges < n).all(axis=1)
    weights = None if weights is None else weights[known]
    graph = laplacian(adjacency(edges[known], n, weights), **kind)
    return Problem(n, D, 100, draws("joining", 0), graph)


def random_graph(n, seed, share=0.25):
    rng = np.random.default_rng(seed)
    pairs = np.array([(i, j) for i in range(n) for j in range(i)]).reshape(-1, 2)
    return pairs[rng.random(len(pairs)) < share]


def observations(n, count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield int(rng.integers(n)), rng.normal(size=D), float(rng.normal())


def assert_same_beliefs(posterior, oracle, n, rtol=1e-6, widths=1e-6):
    features = np.random.default_rng(9).normal(size=(4, D))
    for user in range(n):
        np.testing.assert_allclose(posterior.mean(user), oracle.mean(user), rtol=rtol, atol=rtol)
        found, expected = (each.variances(user, features) for each in (posterior, oracle))
        np.testing.assert_allclose(found, expected, rtol=widths)


EXACTLY = {
    "local": {"solver": "local", "tolerance": 1e-9, "widths": "exact"},
    "pcg": {"solver": "pcg", "tolerance": 1e-10, "widths": "exact"},
    "cg": {"solver": "cg", "iterations": 100, "widths": "cg"},
}


@pytest.mark.parametrize("solver", EXACTLY)
@given(seed=st.integers(0, 10_000), steps=st.lists(st.integers(0, 5), min_size=1, max_size=4))
@settings(max_examples=15)
def test_means_and_variances_are_those_of_the_dense_posterior(solver, seed, steps):
    """Whoever joins when, knowing whom; users without friends and without data among them."""
    sizes = np.cumsum([4, *steps])
    edges = random_graph(sizes[-1], seed)
    posterior, seen = gmrf(LAM, SIGMA, **EXACTLY[solver]), []
    posterior.start(grown(edges, sizes[0]))
    for n in sizes:
        posterior.join(grown(edges, n))
        new = list(observations(n, 6, seed + n))
        learn(new, posterior)
        seen += new
    oracle = Oracle(LAM, SIGMA).start(grown(edges, sizes[-1]))
    learn(seen, oracle)
    assert_same_beliefs(posterior, oracle, sizes[-1])


@pytest.mark.parametrize("kind", [{}, {"normalised": False}])
def test_weights_old_friends_and_other_laplacians_are_taken_from_the_larger_graph(kind):
    edges = random_graph(14, 3)
    weights = np.random.default_rng(0).uniform(0.2, 3.0, len(edges))
    posterior = gmrf(LAM, SIGMA, **EXACTLY["local"]).start(grown(edges[::2], 9, **kind))
    larger = grown(edges, 14, weights, **kind)
    oracle = Oracle(LAM, SIGMA).start(larger)
    learn(observations(9, 40, 1), posterior, oracle)
    posterior.join(larger)
    assert_same_beliefs(posterior, oracle, 14)
    learn(observations(14, 40, 2), posterior, oracle)
    assert_same_beliefs(posterior, oracle, 14)


def test_one_hop_widths_are_those_of_a_posterior_that_knew_all_users_from_the_start():
    edges = random_graph(30, 5, 0.1)
    params = {"solver": "local", "tolerance": 1e-9, "widths": "schur"}
    joined = gmrf(LAM, SIGMA, **params).start(grown(edges, 20))
    knowing = gmrf(LAM, SIGMA, **params).start(grown(edges, 30))
    joined.variances(0, np.eye(D))
    learn(observations(20, 60, 1), joined, knowing)
    joined.join(grown(edges, 30))
    assert_same_beliefs(joined, knowing, 30, widths=1e-9)
    learn(observations(30, 60, 2), joined, knowing)
    assert_same_beliefs(joined, knowing, 30, widths=1e-9)


@pytest.mark.parametrize("solver", ["local", "pcg"])
def test_samples_by_perturbation_have_the_covariance_of_the_larger_problem(solver):
    edges = random_graph(8, 2, 0.4)
    posterior = gmrf(LAM, SIGMA, solver=solver, tolerance=1e-8, sampler="perturbation")
    posterior.start(grown(edges, 5))
    oracle = Oracle(LAM, SIGMA).start(grown(edges, 8))
    learn(observations(5, 20, 1), posterior, oracle)
    posterior.join(grown(edges, 8))
    normal = np.random.default_rng(0)
    samples = np.array([posterior.sample(7, normal, 1.0) for _ in range(3000)])
    np.testing.assert_allclose(samples.mean(axis=0), oracle.mean(7), atol=0.15)
    np.testing.assert_allclose(np.cov(samples.T), oracle.marginal(7), atol=0.25)


def almost_singular(n):
    """A path whose precision is positive definite, though barely."""
    edges = np.array([(j, j + 1) for j in range(n - 1)])
    graph = laplacian(adjacency(edges, n))
    return Precision(graph.diagonal / 2 + 1e-7, graph.indptr, graph.indices, graph.weights)


def test_a_prior_that_local_pushes_cannot_take_is_refused_and_nothing_has_changed():
    edges = random_graph(6, 0)
    posterior = gmrf(LAM, SIGMA).start(grown(edges, 6))
    posterior.observe(2, np.ones(D), 1.0)
    before = posterior.state()
    with pytest.raises(ConfigError, match="set solver to 'pcg'"):
        posterior.join(Problem(200, D, 10, draws("joining", 0), almost_singular(200)))
    with pytest.raises(ConfigError, match="needs a graph"):
        posterior.join(Problem(8, D, 10, draws("joining", 0)))
    np.testing.assert_equal(posterior.state(), before)
    assert len(posterior.system_.prior[0]) == 6


def test_a_dense_inverse_refuses():
    posterior = gmrf(LAM, SIGMA, solver="dense").start(grown(random_graph(4, 0), 4))
    with pytest.raises(ConfigError, match="choose another solver"):
        posterior.join(grown(random_graph(6, 0), 6))
