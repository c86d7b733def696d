import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horde.errors import ConfigError
from horde.graph.kronecker import kronecker_graph
from horde.graph.precision import adjacency
from horde.random import generator
from horde.simulation.synthetic import (
    kronecker_environment,
    linear_stream,
    smooth_preferences,
    unit_contexts,
)

SHAPE = [[0.9, 0.6], [0.6, 0.5]]


def rng(purpose, seed=0):
    return generator("synthetic", seed, purpose)


def roughness(graph, preferences):
    """Mean of ||w_i - w_j||^2 over the edges."""
    pairs = graph.tocoo()
    return ((preferences[pairs.row] - preferences[pairs.col]) ** 2).sum(axis=1).mean()


@settings(max_examples=20)
@given(st.integers(1, 50), st.integers(1, 30), st.integers(0, 1000))
def test_contexts_have_norm_one(n_items, d, seed):
    contexts = unit_contexts(n_items, d, rng("contexts", seed))
    assert contexts.shape == (n_items, d)
    np.testing.assert_allclose((contexts**2).sum(axis=1), 1.0)


def test_contexts_point_everywhere():
    mean = unit_contexts(20_000, 5, rng("contexts")).mean(axis=0)
    assert np.abs(mean).max() < 5 / np.sqrt(5 * 20_000)


def test_more_steps_make_preferences_smoother_over_the_graph():
    graph = kronecker_graph(512, 0.02, SHAPE, rng("graph"))
    rough = [roughness(graph, smooth_preferences(graph, 8, s, rng("w"))) for s in (0, 1, 3, 10)]
    # Independent unit vectors are at mean squared distance 2.
    assert rough[0] == pytest.approx(2.0, rel=0.05)
    assert rough[0] > rough[1] > rough[2] > rough[3]


def test_preferences_have_norm_one_and_isolated_users_keep_their_own():
    graph = adjacency([[0, 1]], 3)
    before = smooth_preferences(graph, 4, 0, rng("w"))
    after = smooth_preferences(graph, 4, 5, rng("w"))
    np.testing.assert_allclose((after**2).sum(axis=1), 1.0)
    np.testing.assert_allclose(after[2], before[2])
    np.testing.assert_allclose(after[0], after[1], atol=0.2)


def test_ratings_are_linear_with_noise_of_the_given_size():
    features = unit_contexts(40, 6, rng("contexts"))
    preferences = unit_contexts(10, 6, rng("w"))
    stream = linear_stream(features, preferences, 0.3, 2000, 5, rng("stream"))
    exact = np.einsum("tkd,td->tk", features[stream.items], preferences[stream.users])
    np.testing.assert_allclose(stream.expected, exact, atol=1e-12)
    noise = stream.rewards - stream.expected
    assert noise.std() == pytest.approx(0.3, rel=0.05)
    assert abs(noise.mean()) < 0.02


def test_a_round_offers_different_items_and_every_item_gets_offered():
    stream = linear_stream(
        unit_contexts(7, 2, rng("contexts")), np.zeros((3, 2)), 0.0, 200, 7, rng("stream")
    )
    assert (np.sort(stream.items, axis=1) == np.arange(7)).all()
    assert set(stream.items[:, 0]) == set(range(7))
    assert set(stream.users) == {0, 1, 2}


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"n": 2**30, "density": 1e-5}, "Kronecker graph of 1,073,741,824 users"),
        ({"rounds": 10**12}, "1,000,000,000,000 rounds"),
        ({"d": 10**12}, "1,000,000,000,000 features"),
    ],
)
def test_a_problem_that_does_not_fit_is_refused_before_it_is_drawn(sizes, words):
    sizes = {"n": 8, "d": 2, "density": 0.2, "rounds": 5} | sizes
    with pytest.raises(ConfigError, match=f"{words}.* needs .* GB of memory"):
        kronecker_environment(**sizes)
