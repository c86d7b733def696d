"""Precision matrices of a graph, with and without weights, against scipy's dense Laplacian."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse import csgraph

from horde.errors import ConfigError
from horde.graph.precision import adjacency, laplacian

N = 6
PAIRS = [(i, j) for i in range(N) for j in range(i + 1, N)]
graphs = st.dictionaries(st.sampled_from(PAIRS), st.floats(1e-6, 1e6), max_size=len(PAIRS))


def edges_of(graph):
    return np.array(sorted(graph), dtype=np.int32).reshape(-1, 2)


@given(graphs, st.booleans())
def test_a_laplacian_is_scipys(graph, normalised):
    weights = np.array([graph[pair] for pair in sorted(graph)])
    friends = adjacency(edges_of(graph), N, weights)
    dense = np.zeros((N, N))
    for (i, j), weight in graph.items():
        dense[i, j] = dense[j, i] = weight
    np.testing.assert_array_equal(friends.toarray(), dense)
    found = laplacian(friends, normalised=normalised).to_scipy().toarray()
    expected = csgraph.laplacian(dense, normed=normalised) + np.eye(N)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found, found.T)
    if normalised:
        eigenvalues = np.linalg.eigvalsh(found)
        assert eigenvalues.min() > 1 - 1e-9
        assert eigenvalues.max() < 3 + 1e-9


@given(graphs)
def test_equal_weights_are_none(graph):
    edges = edges_of(graph)
    without, equal = (
        vars(laplacian(adjacency(edges, N, weights))) for weights in (None, np.ones(len(edges)))
    )
    np.testing.assert_equal(equal, without)


@pytest.mark.parametrize("edges", [[(0, 9)], [(-1, 0)], [(0.5, 1)]])
def test_an_edge_that_joins_no_two_users_is_refused(edges):
    with pytest.raises(ConfigError, match="whole numbers from 0 to 2"):
        adjacency(np.array(edges), 3)


@pytest.mark.parametrize(
    ("matrix", "fault"),
    [
        ([[0, 1], [0, 0]], r"\(2 x 2\) is not symmetric"),
        ([[0, 1, 3], [4, 0, 1], [1, 2, 0]], "not symmetric"),
        ([[0, 1, 0], [1, 0, 0]], r"\(2 x 3\) is not symmetric"),
        ([[1, 1], [1, 0]], "a friend of himself"),
        ([[0, -1], [-1, 0]], "no finite number from 0 on"),
        ([[0, np.nan], [np.nan, 0]], "no finite number from 0 on"),
        ([[0, np.inf], [np.inf, 0]], "no finite number from 0 on"),
    ],
)
def test_a_matrix_that_holds_no_friendships_is_refused(matrix, fault):
    with pytest.raises(ConfigError, match=f"{fault}: make it with `adjacency"):
        laplacian(sparse.csr_matrix(np.array(matrix, dtype=float)))
    with pytest.raises(ConfigError, match="no sparse matrix in CSR form"):
        laplacian(np.array(matrix))


@pytest.mark.parametrize("kind", [np.uint8, bool, np.float32])
@pytest.mark.parametrize("normalised", [True, False])
def test_the_type_of_the_entries_does_not_matter(kind, normalised):
    matrix = adjacency(np.array([[0, 1], [1, 2]]), 3)
    expected = vars(laplacian(matrix, normalised=normalised))
    np.testing.assert_equal(vars(laplacian(matrix.astype(kind), normalised=normalised)), expected)
