"""Precision matrices of a graph against scipy's Laplacians."""

import numpy as np
import pytest
from scipy.sparse import csgraph

from horde.graph.precision import adjacency, laplacian


@pytest.mark.parametrize("normalised", [True, False])
def test_a_laplacian_is_scipys(normalised):
    edges = np.array([[0, 1], [0, 2], [1, 2], [2, 5], [3, 4]])
    friends = adjacency(edges, 7)
    expected = csgraph.laplacian(friends.toarray(), normed=normalised) + np.eye(7)
    found = laplacian(friends, normalised=normalised)
    np.testing.assert_allclose(found.to_scipy().toarray(), expected, atol=1e-15)
