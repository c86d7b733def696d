"""Every oddity that data were seen to have, all at once, from the archive to the regret."""

import numpy as np
import pytest

from horde.data import hetrec
from horde.data.features import prepare
from horde.experiments.run import Experiment, run
from horde.policies.registry import POLICIES

ITEMS = range(51, 57)
LIKES = [(1, item) for item in ITEMS]  # user 1 likes everything
LIKES += [(5, 53), (2, 51), (2, 51), (3, 52), (5, 53)]  # twice the same; user 3 has no friend
TAGGINGS = [(1, 51, 7), (2, 51, 7), (1, 52, 8), (2, 99, 8)]  # two tags, for two of the items
# To himself, twice the same, one way only, both ways, and to one who is found nowhere else.
FRIENDS = [(1, 1), (1, 2), (1, 2), (5, 2), (1, 5), (5, 1), (2, 77)]


def table(header, rows):
    lines = [header, *("\t".join(map(str, row)) for row in rows)]
    return "\n".join(lines).encode()


def dataset(likes=LIKES, friends=FRIENDS, **features):
    members = {
        "user_artists.dat": table("userID\tartistID", likes),
        "user_taggedartists.dat": table("userID\tartistID\ttagID", TAGGINGS),
        "user_friends.dat": table("userID\tfriendID", friends),
        "tags.dat": table("tagID\ttagValue", [(7, "rock")]),
    }
    tables = hetrec.read(members, "lastfm").tables()
    return prepare(tables, "odd", {}, dimension=4, **features)[0]


def test_what_is_odd_has_its_meaning():
    data = dataset()
    # Users 1, 2, 3, 5 and 77; who likes six, one, one, one and none of the six items.
    assert np.diff(data.liked_indptr).tolist() == [6, 1, 1, 1, 0]
    assert data.edges.tolist() == [[0, 1], [0, 3], [1, 3], [1, 4]]
    # Two tags have two directions; of the four features asked for the rest are zero, and so are
    # those of the four items without a tag.
    assert data.features.shape == (6, 4)
    assert np.linalg.matrix_rank(data.features) == 2
    assert not data.features[:, 2:].any()
    assert not data.features[2:].any()


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("offered", [1, 3, 6])
def test_every_policy_plays_on_odd_data(name, offered):
    """One item offered, or all there are: no choice can be wrong where one likes everything."""
    data = dataset()
    _, curve = run(Experiment(name, {}, 60, offered, 6), data, 0)
    assert np.isfinite(curve.regret).all()
    assert (np.diff(curve.regret, prepend=0.0) >= 0).all()
    assert (curve.regret <= curve.rounds).all()


@pytest.mark.parametrize("name", POLICIES)
def test_who_likes_everything_and_is_alone_costs_nothing(name):
    alone = dataset([(1, item) for item in ITEMS], [(1, 1)])
    assert (alone.n_users, len(alone.edges)) == (1, 0)
    _, curve = run(Experiment(name, {}, 30, 3, 3), alone, 0)
    assert not curve.regret.any()
    assert not curve.random_regret.any()
    assert np.isnan(curve.ratio).all()


ONE = [(1, 51)]
EVERYBODY_ALL = [(user, item) for user in (1, 2, 3) for item in (51, 52)]


@pytest.mark.parametrize("scaling", ["none", "max", "unit"])
@pytest.mark.parametrize("reduction", ["svd", "pca"])
@pytest.mark.parametrize(
    ("likes", "friends"),
    [(ONE, []), (ONE, FRIENDS), (EVERYBODY_ALL, []), (EVERYBODY_ALL, [(1, 2), (2, 3), (1, 3)])],
    ids=["one user, one item", "one user likes", "all like all", "all like all and are friends"],
)
def test_degenerate_data_cost_what_they_must(likes, friends, reduction, scaling):
    """All items are offered, and liked: nobody can choose wrongly, whatever the features."""
    data = dataset(likes, friends, reduction=reduction, scaling=scaling)
    assert np.isfinite(data.features).all()
    _, curve = run(Experiment("G-EG", {}, 20, data.n_items, 2), data, 0)
    assert not curve.regret.any()
    assert not curve.random_regret.any()
