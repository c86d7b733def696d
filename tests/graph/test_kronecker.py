from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from horde.errors import ConfigError
from horde.graph.kronecker import (
    degree_distribution,
    describe,
    kronecker_graph,
    pair_classes,
    sample_edges,
)
from horde.graph.precision import adjacency
from horde.kernels.kronecker import pairs_of_ranks
from horde.random import generator

SHAPE = [[0.9, 0.6], [0.6, 0.5]]


def kronecker_power(initiator, levels):
    zero, differ, one = initiator
    power = np.ones((1, 1))
    for _ in range(levels):
        power = np.kron(power, np.array([[zero, differ], [differ, one]]))
    return power


@pytest.mark.parametrize("levels", [1, 2, 5])
def test_every_pair_has_one_rank_and_the_chance_of_the_kronecker_power(levels):
    initiator = (0.9, 0.6, 0.5)
    chances = np.zeros((2**levels, 2**levels))
    for zeros, differing, ones in pair_classes(levels):
        count = comb(levels, differing) * comb(levels - differing, zeros)
        ranks = np.arange(count << (differing - 1))
        for u, v in pairs_of_ranks(ranks, zeros, differing, ones, count):
            assert u < v
            assert chances[u, v] == 0
            chances[u, v] = 0.9**zeros * 0.6**differing * 0.5**ones
    expected = np.triu(kronecker_power(initiator, levels), 1)
    np.testing.assert_allclose(chances, expected, rtol=1e-12)


def test_edges_come_as_often_as_the_kronecker_power_says():
    initiator, repetitions = (0.95, 0.55, 0.3), 4000
    rng = generator("kronecker", 0, "test")
    counts = np.zeros((16, 16))
    for _ in range(repetitions):
        edges = sample_edges(initiator, 4, rng)
        counts[edges[:, 0], edges[:, 1]] += 1
    upper = np.triu_indices(16, 1)
    chances = kronecker_power(initiator, 4)[upper]
    deviations = (counts[upper] - repetitions * chances) / np.sqrt(
        repetitions * chances * (1 - chances)
    )
    assert np.abs(deviations).max() < 4.5
    # Independent pairs: the squared deviations add up to a chi-square with one degree a pair.
    assert 1e-4 < stats.chi2.sf((deviations**2).sum(), len(chances)) < 1 - 1e-4


@settings(max_examples=25)
@given(n_users=st.integers(2, 400), density=st.floats(0.001, 0.03), seed=st.integers(0, 2**32))
def test_a_graph_is_undirected_without_self_loops_and_repeatable(n_users, density, seed):
    graph = kronecker_graph(n_users, density, SHAPE, generator("kronecker", seed, "graph"))
    assert graph.shape == (n_users, n_users)
    assert (graph != graph.T).nnz == 0
    assert not graph.diagonal().any()
    assert (graph.data == 1).all()
    again = kronecker_graph(n_users, density, SHAPE, generator("kronecker", seed, "graph"))
    assert (graph != again).nnz == 0


@pytest.mark.parametrize("n_users", [1024, 1500, 2048])
def test_the_density_is_the_one_asked_for(n_users):
    graphs = [
        kronecker_graph(n_users, 0.02, SHAPE, generator("kronecker", seed, "graph"))
        for seed in range(5)
    ]
    assert np.mean([g.nnz / 2 / comb(n_users, 2) for g in graphs]) == pytest.approx(0.02, rel=0.03)


def test_certain_edges_are_all_drawn():
    edges = sample_edges((1.0, 1.0, 1.0), 4, generator("kronecker", 0, "graph"))
    np.testing.assert_array_equal(edges, np.array(np.triu_indices(16, 1)).T)


@pytest.mark.parametrize(
    ("shape", "density", "words"),
    [
        ([[1.0, 0.1], [0.1, 0.1]], 0.1, "uneven"),
        ([[1.0, 0.5], [0.4, 0.1]], 0.1, "symmetric"),
        ([[1.0, 0.0], [0.0, 0.1]], 0.1, "symmetric"),
        ([[1.0, 0.5]], 0.1, "symmetric"),
        (SHAPE, 0.0, "density"),
    ],
)
def test_an_impossible_initiator_is_refused(shape, density, words):
    with pytest.raises(ConfigError, match=words):
        kronecker_graph(1024, density, shape, generator("kronecker", 0, "graph"))


def test_a_described_graph_is_what_it_is():
    # A triangle with a tail, a separate edge, and an isolated user.
    graph = adjacency([[0, 1], [0, 2], [1, 2], [2, 3], [4, 5]], 7)
    facts = describe(graph, generator("kronecker", 0, "clustering"))
    counts = {"users": 7, "edges": 5, "degree_max": 3, "isolated": 1, "components": 3}
    counts |= {"largest_component": 4, "second_component": 2}
    means = {"density": 5 / 21, "degree_mean": 10 / 7, "clustering": (1 + 1 + 1 / 3) / 3}
    assert {name: facts[name] for name in counts} == counts
    assert {name: facts[name] for name in means} == pytest.approx(means)
    assert degree_distribution(graph) == [(0, 0, 1), (1, 1, 3), (2, 3, 3)]


def test_a_graph_without_edges_has_no_clustering():
    facts = describe(adjacency([], 3), generator("kronecker", 0, "clustering"))
    assert facts["clustering"] is None
    assert facts["components"] == 3
