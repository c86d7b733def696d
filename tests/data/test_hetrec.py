import numpy as np
import pytest

from horde.data import hetrec
from horde.data.tables import Tables
from horde.errors import DataError

WELL_FORMED = {
    "user_artists.dat": b"userID\tartistID\tweight\r\n2\t51\t9\r\n2\t52\t8\r\n5\t51\t7\r\n",
    "user_taggedartists.dat": (
        b"userID\tartistID\ttagID\tday\tmonth\tyear\r\n"
        b"2\t51\t1\t1\t4\t2009\r\n5\t51\t1\t1\t4\t2009\r\n2\t51\t3\t1\t4\t2009\r\n"
        b"2\t99\t3\t1\t4\t2009\r\n"
    ),
    "user_friends.dat": b"userID\tfriendID\r\n2\t5\r\n5\t2\r\n",
    "tags.dat": b"tagID\ttagValue\r\n1\tmetal\r\n3\talternative m\xe9tal\r\n",
}


def tables(**changed) -> Tables:
    members = WELL_FORMED | {f"{name}.dat": data for name, data in changed.items()}
    return hetrec.read(members, "lastfm").tables()


def test_well_formed():
    t = tables()
    assert t.user_ids.tolist() == [2, 5]
    assert t.item_ids.tolist() == [51, 52]
    assert t.likes.tolist() == [[0, 0], [0, 1], [1, 0]]
    # Two users gave artist 51 the tag 1; artist 99 is liked by nobody, artist 52 has no tag.
    assert t.item_tags.tolist() == [[0, 0, 2], [0, 1, 1]]
    assert t.friends.tolist() == [[0, 1]]
    assert t.tag_names.tolist() == ["metal", "alternative m\N{REPLACEMENT CHARACTER}tal"]
    assert t.counted


def resaved(change) -> dict[str, bytes]:
    return {name[:-4]: change(data) for name, data in WELL_FORMED.items()}


ODD = {
    "CR": resaved(lambda data: data.replace(b"\r\n", b"\r")),
    "UTF-8": resaved(lambda data: data.decode("latin-1").encode("utf-8-sig")),
    "blank lines": resaved(lambda data: b"\r\n" + data.replace(b"\n", b"\n\t\r\n")),
    "other columns in another order": {
        "user_artists": b"artistID\textra\tuserID\n51\t\t2\n52\t\t2\n51\t\t5\n"
    },
}


@pytest.mark.parametrize("form", ODD)
def test_odd_forms_give_the_same_tables(form):
    np.testing.assert_equal(vars(tables(**ODD[form])), vars(tables()))


def test_a_tag_without_a_text_is_named_by_its_id():
    taggings = b"userID\tartistID\ttagID\n2\t51\t8\n"
    assert tables(user_taggedartists=taggings).tag_names.tolist() == ["8"]


def test_leaving_out_users_leaves_out_their_items_and_friendships():
    t = tables(user_artists=b"userID\tartistID\n2\t52\n5\t51\n").without_users_from(5)
    assert t.user_ids.tolist() == [2]
    assert t.item_ids.tolist() == [52]
    assert t.likes.tolist() == [[0, 0]]
    assert len(t.friends) == len(t.item_tags) == 0


def test_leaving_out_everybody_is_refused():
    with pytest.raises(DataError, match="nobody likes anything"):
        tables().without_users_from(2)


@pytest.mark.parametrize(
    ("member", "data", "message"),
    [
        ("user_artists", b"", "line 1: no column .* the file is empty"),
        ("user_artists", b"<!DOCTYPE html>\n", "line 1: no column 'userID'"),
        ("user_artists", b"userID\tartistID\n", "nobody likes anything"),
        ("user_artists", b"userID\tartistID\n1\t2\n1\n", "line 3: fields: 1, in the header: 2"),
        ("user_artists", b"userID\tartistID\n\n1\t2\t3\n", "line 3: fields: 3, in the header: 2"),
        ("user_artists", b"userID\tartistID\n1\t-2\n", "line 2: artistID is '-2'"),
        ("user_artists", b"userID\tartistID\n1\t\n", "line 2: artistID is ''"),
        ("user_artists", b"userID\tartistID\n1\t2\n1\t1e3\n", "line 3: artistID is '1e3'"),
        ("user_artists", b"userID\tartistID\n" + b"9" * 19 + b"\t1\n", "line 2: userID is '9"),
        ("user_friends", b"userID\tfriendID\n2\tNULL\n", r"user_friends\.dat, line 2: friendID"),
        ("user_friends", b"userID\tfriendID\n2\t5\nuserID\tfriendID\n", "line 3: the header"),
        ("user_friends", b"userID\tfriendID\n2\t5.0\n", "line 2: friendID is '5.0', not a whole"),
        ("tags", b"tagID\ttagValue\n1\ta\n1\tb\n", "tag 1 is both 'a' and 'b'"),
    ],
)
def test_malformed_members_are_refused_with_file_and_line(member, data, message):
    with pytest.raises(DataError, match=message):
        tables(**{member: data})
