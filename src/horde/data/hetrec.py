"""The two HetRec 2011 layouts: from the members of an archive to canonical tables."""

import hashlib
import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from horde.data.columns import Columns, read_text
from horde.data.tables import Tables, extents, from_places, undirected, unique_rows
from horde.errors import DataError

# For each table, the member that it is read from, then its columns: likes are (user, item),
# taggings ([user,] item, tag), friends (user, user), tags (tag, text). Nothing else is read.
LAYOUTS = {
    "lastfm": {
        "likes": ("user_artists.dat", "userID", "artistID"),
        "taggings": ("user_taggedartists.dat", "userID", "artistID", "tagID"),
        "friends": ("user_friends.dat", "userID", "friendID"),
        "tags": ("tags.dat", "tagID", "tagValue"),
    },
    # tagWeight of bookmark_tags.dat is not read, so Delicious has no counts of tags.
    "delicious": {
        "likes": ("user_taggedbookmarks.dat", "userID", "bookmarkID"),
        "taggings": ("bookmark_tags.dat", "bookmarkID", "tagID"),
        "friends": ("user_contacts.dat", "userID", "contactID"),
        "tags": ("tags.dat", "id", "value"),
    },
}
MOST_DIGITS = 18  # The largest such number fits an int64.
NOT_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True)
class Consumed:
    """The used part of an archive in canonical form; equivalent files give the same tables.

    Attributes
    ----------
    likes, taggings : ndarray of int64
        Distinct rows of ids, ascending: (user, item) and ([user,] item, tag).
    friends : ndarray of int64, shape (e, 2)
        Distinct pairs of user ids i < j, ascending, without self-loops.
    tag_names : dict of int to str
        Text of each tag id, by ascending id.
    """

    likes: np.ndarray
    taggings: np.ndarray
    friends: np.ndarray
    tag_names: dict[int, str]

    def digests(self) -> dict[str, dict]:
        """Return the number of rows and the SHA-256 of each table."""
        text = "".join(f"{tag}\t{name}\n" for tag, name in self.tag_names.items())
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        return extents(likes=self.likes, taggings=self.taggings, friends=self.friends) | {
            "tags": {"rows": len(self.tag_names), "sha256": sha256}
        }

    def tables(self) -> Tables:
        """Return the canonical tables; tags are counted if the archive names who gave them."""
        items, tags = self.taggings[:, -2:].T
        user_ids, (liker, one, other) = _numbered(self.likes[:, 0], *self.friends.T)
        item_ids, (liked, tagged) = _numbered(self.likes[:, 1], items)
        tag_ids, (tag,) = _numbered(tags)
        # The id itself serves as the text of a tag without one.
        names = [self.tag_names.get(number, str(number)) for number in tag_ids.tolist()]
        return from_places(
            user_ids,
            item_ids,
            np.array(names, dtype=object),
            likes=np.column_stack([liker, liked]),
            item_tags=np.column_stack([tagged, tag]),
            friends=np.column_stack([one, other]),
            counted=self.taggings.shape[1] == 3,
        )


def _numbered(*columns: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the ids in the columns, ascending, and each column as places in them."""
    ids, places = np.unique(np.concatenate(columns), return_inverse=True)
    return ids, np.split(places, np.cumsum([len(column) for column in columns])[:-1])


def read(members: dict[str, bytes], layout: str) -> Consumed:
    """Read the members of an archive.

    Parameters
    ----------
    members : dict
        Content of each member that the layout names.
    layout : {"lastfm", "delicious"}
        A key of `LAYOUTS`.

    Raises
    ------
    DataError
        If a member is malformed; names it and the line.
    """

    def columns(table):
        member, *names = LAYOUTS[layout][table]
        # Latin-1 (as published) and UTF-8 give the same text.
        return read_text(members[member].decode("utf-8", "replace").encode(), member, names)

    def rows(table):
        found = columns(table)
        return np.column_stack([_whole_numbers(found, name) for name in found.texts])

    member, tag, text = LAYOUTS[layout]["tags"]
    found = columns("tags")
    numbers = _whole_numbers(found, tag).tolist()
    tag_names: dict[int, str] = {}
    for number, name in zip(numbers, found.texts[text].to_pylist(), strict=True):
        name = NOT_ASCII.sub("\N{REPLACEMENT CHARACTER}", name)
        if tag_names.setdefault(number, name) != name:
            raise DataError(f"{member}: tag {number} is both {tag_names[number]!r} and {name!r}")
    return Consumed(
        likes=unique_rows(rows("likes")),
        taggings=unique_rows(rows("taggings")),
        friends=undirected(rows("friends"))[0],
        tag_names=dict(sorted(tag_names.items())),
    )


def _whole_numbers(columns: Columns, name: str) -> np.ndarray:
    """Return a column of ids, int64."""
    ids = columns.texts[name]
    is_number = pc.match_substring_regex(ids.dictionary, rf"^[0-9]{{1,{MOST_DIGITS}}}\z")
    columns.refuse(name, ~is_number.to_numpy(zero_copy_only=False), "not a whole number")
    return ids.dictionary.cast(pa.int64()).to_numpy()[ids.indices.to_numpy()]
