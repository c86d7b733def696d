"""The two HetRec 2011 layouts: from the members of an archive to canonical tables."""

import hashlib
from dataclasses import dataclass

import numpy as np

from horde.data.delimited import read_columns
from horde.data.tables import Tables, digest, from_ids, undirected, unique_rows
from horde.errors import DataError


@dataclass(frozen=True)
class Layout:
    """Which columns of which member are read; nothing else of an archive is looked at.

    Attributes
    ----------
    likes, taggings, friends, tags : tuple of str
        Member, then its columns: (user, item); ([user,] item, tag); (user, user); (tag, text).
    """

    likes: tuple[str, ...]
    taggings: tuple[str, ...]
    friends: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def members(self) -> dict[str, tuple[str, ...]]:
        """Columns read, by member."""
        return {m: tuple(c) for m, *c in (self.likes, self.taggings, self.friends, self.tags)}


LAYOUTS = {
    "lastfm": Layout(
        likes=("user_artists.dat", "userID", "artistID"),
        taggings=("user_taggedartists.dat", "userID", "artistID", "tagID"),
        friends=("user_friends.dat", "userID", "friendID"),
        tags=("tags.dat", "tagID", "tagValue"),
    ),
    # tagWeight of bookmark_tags.dat is not read, so an item's tags are a set here.
    "delicious": Layout(
        likes=("user_taggedbookmarks.dat", "userID", "bookmarkID"),
        taggings=("bookmark_tags.dat", "bookmarkID", "tagID"),
        friends=("user_contacts.dat", "userID", "contactID"),
        tags=("tags.dat", "id", "value"),
    ),
}


@dataclass(frozen=True)
class Consumed:
    """What is consumed of an archive, in canonical form: the same for equivalent files.

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
            for name, rows in (
                ("likes", self.likes),
                ("taggings", self.taggings),
                ("friends", self.friends),
            )
        }
        text = "".join(f"{tag}\t{name}\n" for tag, name in self.tag_names.items())
        found["tags"] = {
            "rows": len(self.tag_names),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
        return found

    def tables(self) -> Tables:
        """Return the tables in positions; tags are counted where taggers are known."""
        return from_ids(
            self.likes,
            self.taggings[:, -2:],
            self.friends,
            self.tag_names,
            counted=self.taggings.shape[1] == 3,
        )


def read(members: dict[str, bytes], layout: Layout) -> Consumed:
    """Read the members of an archive.

    Parameters
    ----------
    members : dict
        Content of each member that the layout names.
    layout : Layout
        One of `LAYOUTS`.

    Raises
    ------
    DataError
        If a member is malformed; names it and the line.
    """

    def rows(source):
        member, *columns = source
        return np.column_stack(list(read_columns(members[member], member, columns).values()))

    member, tag, text = layout.tags
    tags = read_columns(members[member], member, (tag,), (text,))
    return Consumed(
        likes=unique_rows(rows(layout.likes)),
        taggings=unique_rows(rows(layout.taggings)),
        friends=undirected(rows(layout.friends)),
        tag_names=_names(tags[tag].tolist(), tags[text], member),
    )


def _names(tags: list[int], texts: list[str], member: str) -> dict[int, str]:
    names: dict[int, str] = {}
    for tag, text in zip(tags, texts, strict=True):
        if names.setdefault(tag, text) != text:
            raise DataError(f"{member}: tag {tag} is both {names[tag]!r} and {text!r}")
    return dict(sorted(names.items()))
