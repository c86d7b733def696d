"""The published archives, where HETREC_DIR says where they are."""

import os

import pytest

from horde.data.acquire import acquire
from horde.data.features import prepare

pytestmark = pytest.mark.skipif("HETREC_DIR" not in os.environ, reason="HETREC_DIR is not set")

# users, items, likes, friendships, items without tags, isolated users
EXPECTED = {
    "lastfm": (1892, 17632, 92834, 12717, 5499, 0),
    "delicious": (1867, 69223, 104799, 7664, 471, 6),
}


def got(archive, drop_users_from=None):
    entry = {"kind": "hetrec", "archive": archive, "drop_users_from": drop_users_from}
    return acquire(entry, hetrec_dir=os.environ["HETREC_DIR"], log=lambda _: None)


@pytest.mark.parametrize("archive", sorted(EXPECTED))
def test_the_data_are_those_of_the_paper(archive):
    tables, provenance = got(archive)
    assert provenance["verified"] is True
    dataset, summary = prepare(tables, archive, provenance)
    found = (
        dataset.n_users,
        dataset.n_items,
        summary["likes"],
        summary["graph"]["edges"],
        summary["items_without_tags"],
        summary["graph"]["isolated_users"],
    )
    assert found == EXPECTED[archive]


def test_delicious_without_the_users_whose_items_have_other_tags():
    tables, _ = got("delicious", 80282)
    assert len(tables.user_ids) == 1454
    assert len(tables.likes) == 104_799 - 22_003
