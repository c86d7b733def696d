import numpy as np
import pytest

from horde.graph import statistics as graph_stats
from horde.graph.precision import adjacency, identity, laplacian
from horde.graph.statistics import graph_statistics, mean_inverse_diagonal


def test_a_path_and_a_loner():
    found = graph_statistics(np.array([[0, 1], [1, 2]]), 4)
    assert found["edges"] == 2
    assert found["density"] == round(2 / 6, 9)
    assert found["users_by_degree"] == {"0": 1, "1": 2, "2": 1}
    assert found["degree"]["mean"] == 1.0
    assert (found["components"], found["largest_component"], found["isolated_users"]) == (2, 3, 1)
    # L has the eigenvalues 1, 2, 3 on the path, 1 on the loner.
    assert found["trace_of_inverse_over_n"] == round((1 + 1 / 2 + 1 / 3 + 1) / 4, 6)
    assert found["trace_over_n"] == 7 / 4


def test_a_single_user():
    found = graph_statistics(np.zeros((0, 2), dtype=np.int32), 1)
    assert (found["density"], found["components"], found["trace_of_inverse_over_n"]) == (0, 1, 1)


def test_the_estimate_of_the_trace_is_near_the_exact_one(monkeypatch):
    rng = np.random.default_rng(0)
    precision = laplacian(adjacency(rng.integers(0, 300, size=(600, 2)), 300))
    exact = mean_inverse_diagonal(precision)
    monkeypatch.setattr(graph_stats, "DENSE_USERS", 0)
    assert mean_inverse_diagonal(precision) == pytest.approx(exact, rel=0.01)
    assert mean_inverse_diagonal(identity(10)) == pytest.approx(1.0, abs=1e-8)
