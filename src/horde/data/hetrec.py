"""The two HetRec 2011 layouts: from the members of an archive to canonical tables."""

import hashlib
import re
from dataclasses import dataclass

import numpy as np

from horde.data.delimited import read_columns
from horde.data.tables import Tables, digest, from_ids, undirected, unique_rows
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
        found = {
            name: {"rows": len(rows), "sha256": digest(rows)}
            for name in ("likes", "taggings", "friends")
            for rows in [getattr(self, name)]
        }
        text = "".join(f"{tag}\t{name}\n" for tag, name in self.tag_names.items())
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        return found | {"tags": {"rows": len(self.tag_names), "sha256": sha256}}

    def tables(self) -> Tables:
        """Return the canonical tables; tags are counted if the archive names who gave them."""
        return from_ids(
            self.likes,
            self.taggings[:, -2:],
            self.friends,
            self.tag_names,
            counted=self.taggings.shape[1] == 3,
        )


def read(members: dict[str, bytes], layout: dict[str, tuple[str, ...]]) -> Consumed:
    """Read the members of an archive.

    Parameters
    ----------
    members : dict
        Content of each member that the layout names.
    layout : dict
        One of `LAYOUTS`.

    Raises
    ------
    DataError
        If a member is malformed; names it and the line.
    """

    def columns(table, **texts):
        member, *names = layout[table]
        converters = dict.fromkeys(names, _whole_number) | texts
        found = read_columns(members[member], member, converters, errors="replace")
        return [found[name] for name in names]

    def rows(table):
        return np.column_stack([np.array(column, dtype=np.int64) for column in columns(table)])

    member, _, text = layout["tags"]
    tag_names: dict[int, str] = {}
    for tag, name in zip(*columns("tags", **{text: _ascii}), strict=True):
        if tag_names.setdefault(tag, name) != name:
            raise DataError(f"{member}: tag {tag} is both {tag_names[tag]!r} and {name!r}")
    return Consumed(
        likes=unique_rows(rows("likes")),
        taggings=unique_rows(rows("taggings")),
        friends=undirected(rows("friends")),
        tag_names=dict(sorted(tag_names.items())),
    )


def _whole_number(field: str) -> int:
    if not (field.isascii() and field.isdigit() and len(field) <= MOST_DIGITS):
        raise ValueError("not a whole number")
    return int(field)


def _ascii(field: str) -> str:
    """Replace non-ASCII letters, so that Latin-1 (as published) and UTF-8 give the same text."""
    return re.sub(r"[^\x00-\x7f]", "\N{REPLACEMENT CHARACTER}", field)
