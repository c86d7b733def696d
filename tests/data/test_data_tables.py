from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horde import files
from horde.data import tables
from horde.data.hetrec import Consumed
from horde.data.tables import Tables
from horde.errors import DataError

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30)


def as_rows(some_pairs) -> np.ndarray:
    return np.array(some_pairs, dtype=np.int64).reshape(-1, 2)


@given(likes=pairs.filter(bool), item_tags=pairs, friends=pairs, counted=st.booleans())
def test_tables_say_what_the_rows_said(likes, item_tags, friends, counted):
    # Tags are counted where it is known who gave them.
    taggings = np.insert(as_rows(item_tags), 0, 1, axis=1) if counted else as_rows(item_tags)
    t = Consumed(as_rows(likes), taggings, as_rows(friends), {}).tables()
    users, items = t.user_ids, t.item_ids
    assert {(users[u], items[i]) for u, i in t.likes} == set(likes)
    assert {frozenset(users[list(pair)]) for pair in t.friends} == {
        frozenset(pair) for pair in friends if pair[0] != pair[1]
    }
    liked = {item for _, item in likes}
    assert {(items[i], int(t.tag_names[g])): c for i, g, c in t.item_tags} == {
        pair: item_tags.count(pair) if counted else 1 for pair in item_tags if pair[0] in liked
    }
    assert set(users) == {u for u, _ in likes} | {u for pair in friends for u in pair}


# Of rows with larger numbers no single number can be made.
numbers = st.integers(0, 6) | st.just(2**62)


@given(rows=st.lists(st.tuples(numbers, numbers), max_size=30))
def test_unique_rows_agrees_with_a_set(rows):
    assert tables.unique_rows(as_rows(rows)).tolist() == [list(r) for r in sorted(set(rows))]


def small(**changed) -> Tables:
    likes, taggings = as_rows([(1, 1), (1, 2), (2, 2)]), np.array([[1, 1, 7]])
    return replace(Consumed(likes, taggings, as_rows([(1, 2)]), {7: "é"}).tables(), **changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"likes": np.array([[0, 9]], dtype=np.int32)}, "liked item does not exist"),
        ({"likes": np.array([[9, 0]], dtype=np.int32)}, "user who likes something does not exist"),
        ({"likes": np.zeros((0, 2), dtype=np.int32)}, "nobody likes anything"),
        ({"friends": np.array([[0, 9]], dtype=np.int32)}, "friend does not exist"),
        ({"friends": np.array([[1, 0]], dtype=np.int32)}, "not a pair i < j"),
        ({"friends": np.array([[0.0, 1.0]])}, "not an int32 table"),
        ({"item_tags": np.array([[0, 0, 0]], dtype=np.int32)}, "count is below 1"),
        ({"item_tags": np.array([[0, 5, 1]], dtype=np.int32)}, "tag does not exist"),
        ({"user_ids": np.array([2, 1])}, "ids do not ascend"),
    ],
)
def test_contradictions_are_refused(changed, message):
    with pytest.raises(DataError, match=message):
        small(**changed)


def test_leaving_out_by_number_needs_numbers():
    with pytest.raises(DataError, match="whole numbers"):
        small(user_ids=np.array(["a", "b"])).without_users_from(2)


SOURCE = {"kind": "tables", "statement": "made"}


@pytest.fixture
def paths(tmp_path):
    """Save the small tables and their provenance."""
    paths = tmp_path / "tables.npz", tmp_path / "source.json"
    tables.save(small(), SOURCE, *paths)
    return paths


def test_saved_and_loaded_is_the_same(paths):
    again, source = tables.load(*paths)
    np.testing.assert_equal(vars(again), vars(small()))
    assert source == SOURCE


def test_tables_of_another_provenance_are_refused(paths, tmp_path):
    other = small().with_items(np.array([0]))
    tables.save(other, SOURCE, paths[0], tmp_path / "other.json")
    with pytest.raises(DataError, match=r"tables\.npz and .*source\.json .* delete both"):
        tables.load(*paths)


def test_a_file_of_something_else_is_named(paths):
    np.savez(paths[0], likes=np.zeros(3))
    files.write_json(paths[1], SOURCE | {"content": files.file_digest(paths[0])})
    with pytest.raises(DataError, match=r"tables\.npz holds no tables"):
        tables.load(*paths)
    paths[1].write_text('{"kind": 1}')
    with pytest.raises(DataError, match=r"source\.json does not say where data come from"):
        tables.load(*paths)


def test_weights_and_own_features_stay_with_their_rows(paths):
    edges = as_rows([(1, 2), (2, 3)])
    made = tables.from_places(
        np.array([0, 1, 2, 3]),
        np.array([5, 6]),
        np.empty(0, dtype=object),
        likes=as_rows([(1, 1), (2, 0)]),
        item_tags=as_rows([]),
        friends=edges,
        counted=True,
        friend_weights=np.array([0.5, 2.0]),
        item_features=np.array([[1.0], [2.0]]),
    )
    tables.save(made, SOURCE, *paths)
    less = tables.load(*paths)[0].without_users_from(3)
    assert (less.friends.tolist(), less.friend_weights.tolist()) == ([[0, 1]], [0.5])
    few = less.with_items(np.array([1]))
    assert (few.item_features.tolist(), few.likes.tolist()) == ([[2.0]], [[0, 0]])
    for changed in (
        {"friend_weights": np.array([0.5])},
        {"item_features": np.array([[np.nan]] * 2)},
    ):
        with pytest.raises(DataError, match=next(iter(changed))):
            replace(made, **changed)
