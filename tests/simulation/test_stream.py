"""Streams: what is offered to whom, and what the draws depend on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_dataset import dataset_of

from horde.errors import ConfigError, DataError
from horde.simulation.stream import make_stream


@st.composite
def toys(draw):
    n_items = draw(st.integers(1, 12))
    own = st.sets(st.integers(0, n_items - 1))
    likes = draw(st.lists(own, min_size=1, max_size=5).filter(any))
    return likes, n_items, draw(st.integers(1, n_items))


@given(toys(), st.integers(0, 3))
def test_every_round_is_as_described(toy, seed):
    """A user who likes something; K different items, at least one of them liked; true rewards."""
    likes, n_items, n_offered = toy
    stream = make_stream(dataset_of(likes, n_items), seed, 40, n_offered)
    assert stream.items.shape == (40, n_offered)
    for user, items, rewards in zip(stream.users, stream.items, stream.rewards, strict=True):
        assert len(set(items.tolist())) == n_offered
        assert 0 <= items.min() <= items.max() < n_items
        assert rewards.tolist() == [item in likes[user] for item in items]
        assert rewards.any()
    assert stream.expected is stream.rewards


def assert_uniform(counts, message):
    """Within five standard deviations of a multinomial with equal shares."""
    expected = counts.sum() / counts.size
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all(), message


def test_draws_are_uniform():
    likes = [set(), {0}, {1, 2, 3}, set(), {4, 5}]
    stream = make_stream(dataset_of(likes, 20), 0, 60_000, 4)
    users = np.bincount(stream.users, minlength=5)
    assert users[0] == users[3] == 0
    assert_uniform(users[[1, 2, 4]], "users")
    rounds = stream.users == 1
    assert_uniform(np.bincount(np.argmax(stream.rewards[rounds], axis=1)), "place of the liked")
    for place in range(4):
        others = stream.items[rounds][:, place]
        assert_uniform(np.bincount(others[others != 0])[1:], "others")
    # User 2's guaranteed item is uniform among three, and the two others can come as well.
    liked = stream.items[stream.users == 2]
    assert_uniform(np.array([(liked == item).sum() for item in (1, 2, 3)]), "liked items")
    extra = stream.rewards[stream.users == 2].sum(axis=1).mean() - 1
    assert extra == pytest.approx(3 * 2 / 19, rel=0.05)


def test_pairs_of_others_are_uniform():
    """Without replacement, and in every order."""
    stream = make_stream(dataset_of([{0}], 6), 3, 40_000, 3)
    others = np.array([items[items != 0] for items in stream.items])
    pairs = np.bincount(others[:, 0] * 6 + others[:, 1], minlength=36).reshape(6, 6)
    assert (np.diag(pairs) == 0).all()
    assert_uniform(pairs[1:, 1:][~np.eye(5, dtype=bool)], "pairs")


def test_a_stream_depends_on_dataset_seed_and_purpose_alone():
    toy = dataset_of([{0, 1}, {2}], 9)
    stream = make_stream(toy, 0, 50, 3)
    again = make_stream(toy, 0, 50, 3)
    np.testing.assert_array_equal(stream.items, again.items)
    for other in (
        make_stream(toy, 1, 50, 3),
        make_stream(toy, 0, 50, 3, purpose="validation"),
        make_stream(dataset_of([{0, 1}, {2}], 9, name="other"), 0, 50, 3),
    ):
        assert (stream.items != other.items).any()


def test_a_longer_stream_begins_with_the_shorter_one():
    toy = dataset_of([{0, 1}, {2}], 9)
    short, long = make_stream(toy, 0, 50, 3), make_stream(toy, 0, 80, 3)
    np.testing.assert_array_equal(short.users, long.users[:50])
    np.testing.assert_array_equal(short.items, long.items[:50])


def test_who_likes_everything_is_never_disappointed():
    stream = make_stream(dataset_of([{*range(6)}, {3}, set()], 6), 0, 200, 4)
    served = stream.rewards[stream.users == 0]
    assert len(served) > 50
    assert served.all()
    assert (stream.rewards[stream.users == 1].sum(axis=1) == 1).all()


@pytest.mark.parametrize(("n_rounds", "n_offered"), [(0, 2), (10, 0), (10, 10)])
def test_impossible_sizes_are_refused(n_rounds, n_offered):
    with pytest.raises(ConfigError):
        make_stream(dataset_of([{0}], 9), 0, n_rounds, n_offered)


def test_a_dataset_in_which_nobody_likes_anything_is_refused():
    with pytest.raises(DataError, match="toy"):
        make_stream(dataset_of([set(), set()], 9), 0, 10, 2)
