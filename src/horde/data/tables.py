"""The canonical tables that every source of data is turned into."""

import hashlib
import json
import os
from dataclasses import dataclass, fields, replace

import numpy as np

from horde import files
from horde.checks import ascending, outside
from horde.errors import DataError


@dataclass(frozen=True)
class Tables:
    """Likes, tags and friendships in canonical form; checked on construction.

    Users are all those who like something or have a friendship; items are all those that somebody
    likes. The tables hold positions in the id arrays.

    Attributes
    ----------
    user_ids, item_ids : ndarray of int64 or str, shapes (n,) and (n_items,)
        The source's own ids, ascending.
    tag_names : ndarray of str, shape (n_tags,)
        The text of each tag.
    likes : ndarray of int32, shape (m, 2)
        (user, item), ascending, each once.
    item_tags : ndarray of int32, shape (k, 3)
        (item, tag, count), ascending by item and tag, each once; the count is at least 1.
    friends : ndarray of int32, shape (e, 2)
        Friendships (i, j) with i < j, ascending, each once. One-way friendships count; self-loops
        do not.
    counted : bool
        Whether the source counts how often an item has a tag; otherwise every count is 1.
    """

    user_ids: np.ndarray
    item_ids: np.ndarray
    tag_names: np.ndarray
    likes: np.ndarray
    item_tags: np.ndarray
    friends: np.ndarray
    counted: bool

    def __post_init__(self):
        for fault, found in _faults(self):
            if found:
                raise DataError(f"tables of users, items and tags: {fault}")

    def without_users_from(self, first_id: int) -> "Tables":
        """Drop users whose id is `first_id` or above, and items that only they like.

        Raises
        ------
        DataError
            If the ids are not numbers, or no remaining user likes anything.
        """
        if self.user_ids.dtype.kind != "i":
            raise DataError("users can be left out by number only where ids are whole numbers")
        kept = self.user_ids < first_id
        tables = replace(
            self,
            user_ids=self.user_ids[kept],
            likes=self.likes[kept[self.likes[:, 0]]],
            friends=self.friends[kept[self.friends].all(axis=1)],
        )
        return tables.with_items(np.unique(tables.likes[:, 1]))

    def with_items(self, kept: np.ndarray) -> "Tables":
        """Keep only the items at the positions `kept`, ascending, and their likes.

        Raises
        ------
        DataError
            If nobody likes any of them.
        """
        position = np.full(len(self.item_ids), -1, dtype=np.int32)
        position[kept] = np.arange(len(kept))
        likes = self.likes[position[self.likes[:, 1]] >= 0]
        item_tags = self.item_tags[position[self.item_tags[:, 0]] >= 0]
        return replace(
            self,
            item_ids=self.item_ids[kept],
            likes=np.column_stack([likes[:, 0], position[likes[:, 1]]]),
            item_tags=np.column_stack([position[item_tags[:, 0]], item_tags[:, 1:]]),
        )


def save(
    tables: Tables, source: dict, tables_path: str | os.PathLike, source_path: str | os.PathLike
) -> None:
    """Write tables as one npz file, and their provenance, with the digest of that file, as JSON."""
    arrays = {field.name: np.asarray(getattr(tables, field.name)) for field in fields(tables)}
    # In an array of str, each entry takes the space of the longest text.
    arrays["tag_names"] = np.array(json.dumps(tables.tag_names.tolist()))
    files.save_arrays(tables_path, **arrays)
    files.write_json(source_path, source | {"content": files.file_digest(tables_path)})


def load(tables_path: str | os.PathLike, source_path: str | os.PathLike) -> tuple[Tables, dict]:
    """Read the tables and the provenance that `save` wrote.

    Raises
    ------
    DataError
        If a file is missing or damaged, or the two do not belong together; names them.
    """
    source = read_source(source_path)
    arrays = files.load_arrays(tables_path)
    if files.file_digest(tables_path) != source.pop("content"):
        raise DataError(
            f"{tables_path} and {source_path} do not belong together; delete both and start again"
        )
    try:
        arrays["tag_names"] = np.array(json.loads(str(arrays["tag_names"])), dtype=object)
        arrays["counted"] = bool(arrays["counted"])
        return Tables(**arrays), source
    except (KeyError, TypeError, ValueError, DataError) as error:
        raise DataError(
            f"{tables_path} holds no tables ({error}); delete it and acquire again"
        ) from error


def read_source(path: str | os.PathLike) -> dict:
    """Read the provenance of tables: ``kind``, ``statement``, the tables' ``content``, and more.

    Raises
    ------
    DataError
        If the file is missing or damaged; names it.
    """
    source = files.read_json(path)
    texts = ("kind", "statement", "content")
    if not isinstance(source, dict) or not all(isinstance(source.get(key), str) for key in texts):
        raise DataError(
            f"{path} does not say where data come from; delete it and the tables.npz in the same "
            "folder, and start again"
        )
    return source


def from_ids(
    likes: np.ndarray,
    item_tags: np.ndarray,
    friends: np.ndarray,
    tag_names: dict,
    *,
    counted: bool,
) -> Tables:
    """Build tables from rows of ids in any order; repetitions and self-loops are allowed.

    Parameters
    ----------
    likes : ndarray, shape (m, 2)
        (user id, item id); ids are int64 or str.
    item_tags : ndarray, shape (k, 2)
        (item id, tag id); with `counted`, the repetitions of a pair are its count. Tags of items
        that nobody likes are dropped.
    friends : ndarray, shape (e, 2)
        Pairs of user ids in any order.
    tag_names : dict
        Text of each tag id; the id itself serves as the text of other tags.
    counted : bool
        Whether repetitions in `item_tags` are counts.

    Raises
    ------
    DataError
        If nobody likes anything.
    """
    user_ids = np.unique(np.concatenate([likes[:, 0], friends.ravel()]))
    item_ids = np.unique(likes[:, 1])
    item_tags = item_tags[np.isin(item_tags[:, 0], item_ids)]
    tag_ids = np.unique(item_tags[:, 1])
    positions = np.column_stack(
        [np.searchsorted(item_ids, item_tags[:, 0]), np.searchsorted(tag_ids, item_tags[:, 1])]
    )
    pairs, counts = np.unique(positions, axis=0, return_counts=True)
    return Tables(
        user_ids=user_ids,
        item_ids=item_ids,
        tag_names=np.array([tag_names.get(t, str(t)) for t in tag_ids.tolist()], dtype=object),
        likes=unique_rows(
            np.column_stack(
                [np.searchsorted(user_ids, likes[:, 0]), np.searchsorted(item_ids, likes[:, 1])]
            )
        ).astype(np.int32),
        item_tags=np.column_stack([pairs, counts if counted else np.ones_like(counts)]).astype(
            np.int32
        ),
        friends=undirected(np.searchsorted(user_ids, friends)).astype(np.int32),
        counted=counted,
    )


def unique_rows(rows: np.ndarray) -> np.ndarray:
    """Return the distinct rows of an integer table, sorted."""
    order = np.lexsort(rows.T[::-1])
    rows = rows[order]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (np.diff(rows, axis=0) != 0).any(axis=1)
    return rows[new]


def undirected(pairs: np.ndarray) -> np.ndarray:
    """Return the distinct pairs i < j, ascending, of a list of directed pairs (e, 2)."""
    pairs = np.sort(pairs.reshape(-1, 2), axis=1)
    return unique_rows(pairs[pairs[:, 0] < pairs[:, 1]])


def digest(rows: np.ndarray) -> str:
    """Return the SHA-256 of an integer table: its shape, then little-endian int64 by rows."""
    shape = "x".join(map(str, rows.shape))
    content = np.ascontiguousarray(rows, dtype="<i8").tobytes()
    return hashlib.sha256(f"{shape}\n".encode() + content).hexdigest()


def _faults(tables: Tables):
    """Yield (message, whether it applies); each check assumes that the earlier ones passed."""
    for ids in (tables.user_ids, tables.item_ids):
        yield "ids are neither int64 nor str", ids.ndim != 1 or ids.dtype.kind not in "iU"
        yield "ids do not ascend", (ids[:-1] >= ids[1:]).any()
    users, items, tags = map(len, (tables.user_ids, tables.item_ids, tables.tag_names))
    for name, width in (("likes", 2), ("item_tags", 3), ("friends", 2)):
        table = getattr(tables, name)
        yield (
            f"{name} is not an int32 table of {width} columns",
            table.dtype != np.int32 or table.ndim != 2 or table.shape[1] != width,
        )
        yield f"{name} do not ascend", not ascending(table[:, 0], table[:, 1])
    yield "nobody likes anything", len(tables.likes) == 0
    yield "a user who likes something does not exist", outside(tables.likes[:, 0], users)
    yield "a liked item does not exist", outside(tables.likes[:, 1], items)
    yield "a tagged item does not exist", outside(tables.item_tags[:, 0], items)
    yield "a tag does not exist", outside(tables.item_tags[:, 1], tags)
    yield "a tag's count is below 1", (tables.item_tags[:, 2] < 1).any()
    yield "a friend does not exist", outside(tables.friends, users)
    yield "a friendship is not a pair i < j", (tables.friends[:, 0] >= tables.friends[:, 1]).any()
