"""The description of a dataset against plain loops over its users."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_dataset import dataset_of

from horde.results import description
from horde.results.description import EXPLAINED, FRIENDS, SIZES, STRANGERS, describe, numbers


def jaccard(a, b):
    return len(a & b) / len(a | b)


def series(table, quantity):
    rows = table[table["quantity"] == quantity]
    return dict(zip(rows["at"], rows["value"], strict=True))


@settings(max_examples=30)
@given(st.data())
def test_numbers_and_distributions_are_those_of_plain_loops(data):
    n_items = data.draw(st.integers(1, 6))
    liked = data.draw(st.lists(st.frozensets(st.integers(0, n_items - 1)), min_size=2, max_size=7))
    users = range(len(liked))
    edges = data.draw(st.sets(st.sampled_from([*itertools.combinations(users, 2)])))
    table = describe(dataset_of(liked, n_items, edges), [0.25, 0.5])
    found = numbers(table)
    friends = [sum(user in edge for edge in edges) for user in users]
    assert found["friendships"] == len(edges)
    assert found["users without friends"] == friends.count(0)
    assert found["users who like nothing"] == liked.count(frozenset())
    assert series(table, "users by friends") == pytest.approx(
        {k: sum(f >= k for f in friends) / len(liked) for k in set(friends) - {0}}
    )
    assert sum(series(table, SIZES).values()) == len(liked)
    assert series(table, EXPLAINED) == {1: 0.25, 2: 0.75}
    shares = [jaccard(liked[i], liked[j]) for i, j in edges if liked[i] and liked[j]]
    assert found["pairs of friends"] == len(shares)
    if shares:
        assert found[FRIENDS] == pytest.approx(np.mean(shares))
    else:
        assert np.isnan(found[FRIENDS])


def test_strangers_are_no_friends_and_as_active_as_friends():
    # Users 0 to 3 like the same and know each other; 4 to 7 too; 8 and 9 know nobody.
    liked = [{0, 1}] * 4 + [{2}] * 4 + [{0, 1, 2}] * 2
    edges = [*itertools.combinations(range(4), 2), *itertools.combinations(range(4, 8), 2)]
    found = numbers(describe(dataset_of(liked, 3, edges), [1.0]))
    assert found[FRIENDS] == 1
    assert found[STRANGERS] == 0
    assert found["pairs of strangers"] > 0


def test_users_who_like_nothing_are_no_strangers():
    # 0 and 1 like the same, 2 and 3 too; their friends 4 to 7 like nothing.
    liked = [{0, 1}] * 2 + [{1, 2}] * 2 + [set()] * 4
    edges = [(0, 1), (0, 4), (1, 5), (2, 3), (2, 6), (3, 7)]
    found = numbers(describe(dataset_of(liked, 3, edges), [1.0]))
    assert found["pairs of friends"] == 2
    assert found[FRIENDS] == 1
    assert found[STRANGERS] == pytest.approx(1 / 3)


def test_large_data_are_sampled_and_thinned(monkeypatch):
    rng = np.random.default_rng(0)
    liked = [set(rng.integers(50, size=rng.integers(1, 20)).tolist()) for _ in range(300)]
    edges = [pair for pair in itertools.combinations(range(300), 2) if rng.random() < 0.1]
    data = dataset_of(liked, 50, edges)
    exact = numbers(describe(data, [1.0]))
    monkeypatch.setattr(description, "PAIRS", 2000)
    monkeypatch.setattr(description, "_LIKES_AT_ONCE", 5000)
    monkeypatch.setattr(description, "_POINTS", 5)
    table = describe(data, [1.0])
    sampled = numbers(table)
    assert sampled["pairs of friends"] == 2000 < exact["pairs of friends"]
    for name in (FRIENDS, STRANGERS):
        assert sampled[name] == pytest.approx(exact[name], rel=0.05)
    shares = series(table, "users by likes")
    assert len(shares) == 5
    counts = [len(own) for own in liked]
    assert {min(counts), max(counts)} <= shares.keys()
    assert table.equals(describe(data, [1.0]))


def test_data_without_friendships_have_no_homophily():
    found = numbers(describe(dataset_of([{0}, {0}], 1), [1.0]))
    assert np.isnan(found[FRIENDS])
    assert np.isnan(found[STRANGERS])
    assert found["components"] == 2
