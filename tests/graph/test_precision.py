"""Precision matrices of a graph, with and without weights, against dense definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csgraph

from horde.errors import ConfigError
from horde.graph.precision import adjacency, laplacian
from horde.posteriors.gmrf import gmrf
from horde.problem import Problem
from horde.random import draws

N = 6
PAIRS = [(i, j) for i in range(N) for j in range(i + 1, N)]
graphs = st.dictionaries(st.sampled_from(PAIRS), st.floats(1e-6, 1e6), max_size=len(PAIRS))


def precision(graph):
    edges = np.array(sorted(graph), dtype=np.int32).reshape(-1, 2)
    return laplacian(adjacency(edges, N, np.array([graph[pair] for pair in sorted(graph)])))


def dense(graph):
    A = np.zeros((N, N))
    for (i, j), weight in graph.items():
        A[i, j] = A[j, i] = weight
    degrees = A.sum(axis=1)
    root = np.diag(1 / np.sqrt(np.where(degrees > 0, degrees, 1)))
    return root @ (np.diag(degrees) - A) @ root + np.eye(N)


@pytest.mark.parametrize("normalised", [True, False])
def test_a_laplacian_is_scipys(normalised):
    edges = np.array([[0, 1], [0, 2], [1, 2], [2, 5], [3, 4]])
    friends = adjacency(edges, 7)
    expected = csgraph.laplacian(friends.toarray(), normed=normalised) + np.eye(7)
    found = laplacian(friends, normalised=normalised)
    np.testing.assert_allclose(found.to_scipy().toarray(), expected, atol=1e-15)


@given(graphs)
def test_weights_give_the_normalised_laplacian_of_the_weighted_graph(graph):
    found = precision(graph).to_scipy().toarray()
    np.testing.assert_allclose(found, dense(graph), atol=1e-12)
    np.testing.assert_array_equal(found, found.T)
    eigenvalues = np.linalg.eigvalsh(found)
    assert eigenvalues.min() > 1 - 1e-9
    assert eigenvalues.max() < 3 + 1e-9


@given(graphs)
def test_equal_weights_are_none(graph):
    edges = np.array(sorted(graph), dtype=np.int32).reshape(-1, 2)
    for expected, found in zip(
        vars(laplacian(adjacency(edges, N))).values(),
        vars(laplacian(adjacency(edges, N, np.ones(len(edges))))).values(),
        strict=True,
    ):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("solver", ["local", "pcg"])
def test_the_posterior_of_weighted_friends_is_the_dense_one(solver):
    rng = np.random.default_rng(1)
    graph = dict(zip(PAIRS, rng.exponential(size=9), strict=False))
    d, lam = 2, 0.3
    problem = Problem(N, d, 30, draws("weighted", 0), precision(graph))
    posterior = gmrf(lam, solver=solver, tolerance=1e-10, widths="exact").start(problem)
    P, b = lam * np.kron(dense(graph), np.eye(d)), np.zeros(N * d)
    for user in rng.integers(N, size=30):
        x, reward = rng.standard_normal(d), rng.standard_normal()
        posterior.observe(user, x, reward)
        part = slice(user * d, user * d + d)
        P[part, part] += np.outer(x, x)
        b[part] += reward * x
    w, features = np.linalg.solve(P, b).reshape(N, d), rng.standard_normal((4, d))
    for user in range(N):
        block = np.linalg.inv(P)[user * d : user * d + d, user * d : user * d + d]
        np.testing.assert_allclose(posterior.mean(user), w[user], atol=1e-7)
        expected = np.einsum("kd,de,ke->k", features, block, features)
        np.testing.assert_allclose(posterior.variances(user, features), expected, rtol=1e-6)


@pytest.mark.parametrize("edges", [[(0, 9)], [(-1, 0)], [(0.5, 1)]])
def test_an_edge_that_joins_no_two_users_is_refused(edges):
    with pytest.raises(ConfigError, match="whole numbers from 0 to 2"):
        adjacency(np.array(edges), 3)


@pytest.mark.parametrize("n_rounds", [2.5, 1e5, -1])
def test_a_problem_has_a_whole_number_of_rounds(n_rounds):
    with pytest.raises(ConfigError, match="n_rounds"):
        Problem(3, 2, n_rounds, draws("rounds", 0))
