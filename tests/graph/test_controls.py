"""Graphs that the given one is compared with."""

import numpy as np
import pytest
from gmrf_problems import GRAPHS
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from horde.errors import ConfigError
from horde.graph import controls
from horde.graph.precision import adjacency, laplacian
from horde.posteriors.gmrf import gmrf
from horde.posteriors.pooled import Pooled
from horde.problem import Problem
from horde.random import draws

N = 40
LIKES = sparse.csr_matrix((np.random.default_rng(0).random((N, 90)) < 0.1).astype(float))
DRAWS = draws("controls", 0)


def pairs(edges):
    return {(min(pair), max(pair)) for pair in edges.tolist()}


def edges_of(graph):
    return np.array(sorted(pairs(np.array(GRAPHS[graph](N)))))


def degrees(edges):
    return np.bincount(edges.ravel(), minlength=N)


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("seed", [0, 1])
def test_rewiring_keeps_all_degrees_and_the_graph_simple(graph, seed):
    before = edges_of(graph)
    after = controls.rewired(before, np.random.default_rng(seed))
    assert (degrees(after) == degrees(before)).all()
    assert len(pairs(after)) == len(before)
    assert (after[:, 0] != after[:, 1]).all()


def test_rewiring_forgets_the_given_edges():
    """Of a ring with chords, hardly more edges stay than two random graphs of its kind share."""
    n = 400
    ring = np.array([(i, (i + k) % n) for i in range(n) for k in (1, 2, 3)])
    drawn = [pairs(controls.rewired(ring, np.random.default_rng(seed))) for seed in range(20)]
    kept = [len(found & pairs(ring)) for found in drawn]
    expected = len(ring) * 6 / n  # an edge is there with probability close to deg^2 / 2m
    assert np.mean(kept) == pytest.approx(expected, abs=4 * np.sqrt(expected / 20))


def test_every_graph_with_the_degrees_of_a_ring_of_six_is_equally_likely():
    """The hexagons and the pairs of triangles on six users: 60 + 10 graphs."""
    ring = np.array([(i, (i + 1) % 6) for i in range(6)])
    rng = np.random.default_rng(0)
    found = [frozenset(pairs(controls.rewired(ring, rng))) for _ in range(7000)]
    counts = np.array([found.count(graph) for graph in set(found)])
    assert len(counts) == 70
    assert ((counts - 100) ** 2 / 100).sum() < 69 + 5 * np.sqrt(2 * 69)


@pytest.mark.parametrize("graph", GRAPHS)
def test_a_permutation_joins_the_same_graph_to_other_users(graph):
    before = edges_of(graph)
    after = controls.permuted(before, np.random.default_rng(0))
    assert (np.sort(degrees(after)) == np.sort(degrees(before))).all()
    assert ((degrees(after) == 0) == (degrees(before) == 0)).all()
    spectra = [
        np.linalg.eigvalsh(laplacian(adjacency(edges, N)).to_scipy().toarray())
        for edges in (before, after)
    ]
    np.testing.assert_allclose(*spectra, atol=1e-9)
    if graph != "complete":
        assert pairs(after) != pairs(before)


def test_graphs_are_drawn_anew_for_each_seed_and_are_the_same_for_each_policy():
    edges = edges_of("communities")
    for graph in ("rewired", "permuted"):
        first, again, other = (
            controls.prior(graph, edges, LIKES, draws("controls", seed)) for seed in (0, 0, 1)
        )
        assert (first.indices == again.indices).all()
        assert not np.array_equal(first.indices, other.indices)


@given(st.integers(0, 400))
def test_the_oracle_takes_the_nearest_users_of_each(n_edges):
    found = controls.similar(LIKES, n_edges)
    dense = LIKES.toarray()
    norms = np.sqrt(dense.sum(1))
    cosines = dense @ dense.T / np.maximum(np.outer(norms, norms), 1e-9)
    np.fill_diagonal(cosines, 0.0)
    assert len(pairs(found)) == len(found) == min(n_edges, np.count_nonzero(np.triu(cosines)))
    # For some k: the k nearest of everybody are joined, and only k + 1 nearest ones are.
    ranked = np.argsort(-cosines, axis=1, kind="stable")
    nearest = [
        {(min(i, j), max(i, j)) for i in range(N) for j in ranked[i, :k].tolist() if cosines[i, j]}
        for k in range(N)
    ]
    k = max(k for k in range(N) if nearest[k] <= pairs(found))
    assert pairs(found) <= nearest[min(k + 1, N - 1)]


def test_no_graph_has_no_edges_and_either_diagonal():
    edges = edges_of("hub")
    for graph, diagonal in (("none", 1.0), ("none-2", 2.0)):
        prior = controls.prior(graph, edges, LIKES, DRAWS)
        assert prior.n_edges == 0
        assert (prior.diagonal == diagonal).all()


def test_an_unknown_graph_is_refused():
    with pytest.raises(ConfigError, match="permute"):
        controls.prior("permute", edges_of("hub"), LIKES, DRAWS)


@pytest.mark.parametrize("graph", ["components", "communities"])
def test_the_given_graph_around_a_mean_is_the_prior_of_the_text(graph):
    """sum |w_i - mu|^2 + sum (L_G)_ij w_i w_j + |mu|^2, for any w and mu."""
    edges = edges_of(graph)
    L = laplacian(adjacency(edges, N))
    prior = controls.prior("given+mean", edges, LIKES, DRAWS).to_scipy().toarray()
    w, mu = np.random.default_rng(0).normal(size=N), 0.7
    L_G = L.to_scipy().toarray() - np.eye(N)
    wanted = ((w - mu) ** 2).sum() + w @ L_G @ w + mu**2
    stacked = np.append(w, mu)
    assert stacked @ prior @ stacked == pytest.approx(wanted)


@pytest.mark.parametrize("empty", [True, False])
def test_around_a_mean_local_pushes_agree_with_the_dense_inverse_and_with_pooling(empty):
    edges = np.empty((0, 2), dtype=int) if empty else edges_of("communities")
    prior = controls.prior("given+mean", edges, LIKES, DRAWS)
    problem = Problem(N + 1, 4, 1500, DRAWS, prior)
    local = gmrf(0.3, solver="local", tolerance=1e-6).start(problem)
    other = Pooled(0.3) if empty else gmrf(0.3, solver="dense")
    other.start(Problem(N, 4, 1500, DRAWS) if empty else problem)
    rng = np.random.default_rng(0)
    for _ in range(400):
        user, x, reward = int(rng.integers(N - 5)), rng.normal(size=4) / 2, rng.normal()
        local.observe(user, x, reward)
        other.observe(user, x, reward)
    scale = np.abs([other.mean(i) for i in range(N)]).max()
    for i in range(N):
        np.testing.assert_allclose(local.mean(i), other.mean(i), atol=1e-4 * scale)
