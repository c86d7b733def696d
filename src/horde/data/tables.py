"""The canonical tables that every source of data is turned into."""

import hashlib
import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from horde import files
from horde.checks import are_weights, ascending, outside
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
    friend_weights : ndarray of float64, shape (e,), or None
        Weight of each friendship, positive; None if all are 1.
    item_features : ndarray of float64, shape (n_items, p), or None
        The source's own features of the items, finite; then no item has a tag.
    """

    user_ids: np.ndarray
    item_ids: np.ndarray
    tag_names: np.ndarray
    likes: np.ndarray
    item_tags: np.ndarray
    friends: np.ndarray
    counted: bool
    friend_weights: np.ndarray | None = None
    item_features: np.ndarray | None = None

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
        both = kept[self.friends].all(axis=1)
        tables = replace(
            self,
            user_ids=self.user_ids[kept],
            likes=self.likes[kept[self.likes[:, 0]]],
            friends=self.friends[both],
            friend_weights=_part(self.friend_weights, both),
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
            item_features=_part(self.item_features, kept),
        )


def _part(array: np.ndarray | None, kept: np.ndarray) -> np.ndarray | None:
    return None if array is None else array[kept]


def save(
    tables: Tables, source: dict, tables_path: str | os.PathLike, source_path: str | os.PathLike
) -> None:
    """Write tables as one npz file, and their provenance, with the digest of that file, as JSON."""
    arrays = files.fields_of(tables)
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


def from_places(
    user_ids: np.ndarray,
    item_ids: np.ndarray,
    tag_names: np.ndarray,
    *,
    likes: np.ndarray,
    item_tags: np.ndarray,
    friends: np.ndarray,
    counted: bool,
    friend_weights: np.ndarray | None = None,
    item_features: np.ndarray | None = None,
) -> Tables:
    """Build tables from rows in any order; repetitions and self-loops are allowed.

    Users that occur in no row are dropped, and so are items that nobody likes, with their tags.

    Parameters
    ----------
    user_ids, item_ids, tag_names : ndarray
        Ids of users and items, ascending, and texts of tags; the rows below hold places in them.
    likes : ndarray of int, shape (m, 2)
        (user, item).
    item_tags : ndarray of int, shape (k, 2)
        (item, tag); with `counted`, the repetitions of a pair are its count.
    friends : ndarray of int, shape (e, 2)
        Pairs of users in any order.
    counted : bool
        Whether repetitions in `item_tags` are counts.
    friend_weights : ndarray of float64, shape (e,), optional
        Weight of each row of `friends`, at least 0. The largest weight of a friendship counts; a
        friendship of weight 0 is none.
    item_features : ndarray of float64, shape (number of item ids, p), optional
        The source's own features of the items.

    Raises
    ------
    DataError
        If nobody likes anything.
    """
    users, user = _used(len(user_ids), likes[:, 0], friends[:, 0], friends[:, 1])
    items, item = _used(len(item_ids), likes[:, 1])
    item_tags = item_tags[item[item_tags[:, 0]] >= 0]
    tags, tag = _used(len(tag_names), item_tags[:, 1])
    pairs, counts = counted_rows(np.column_stack([item[item_tags[:, 0]], tag[item_tags[:, 1]]]))
    joined, weights = undirected(user[friends], friend_weights)
    return Tables(
        user_ids=user_ids[users],
        item_ids=item_ids[items],
        tag_names=tag_names[tags],
        likes=unique_rows(np.column_stack([user[likes[:, 0]], item[likes[:, 1]]])).astype(np.int32),
        item_tags=np.column_stack([pairs, counts if counted else np.ones_like(counts)]).astype(
            np.int32
        ),
        friends=joined.astype(np.int32),
        counted=counted,
        friend_weights=weights,
        item_features=_part(item_features, items),
    )


def _used(size: int, *columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which of `size` places occur in the columns, and the new place of each, or -1."""
    used = np.zeros(size, dtype=bool)
    for column in columns:
        used[column] = True
    return np.flatnonzero(used), np.where(used, np.cumsum(used) - 1, -1)


def unique_rows(rows: np.ndarray) -> np.ndarray:
    """Return the distinct rows of an integer table, sorted."""
    return counted_rows(rows)[0]


def counted_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows of an integer table (m, k), sorted, and how often each occurs."""
    keys, unpacked = _packed(rows)
    keys, counts = np.unique(keys, return_counts=True)
    return unpacked(keys), counts


def _packed(rows: np.ndarray) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """Return a number for each row that sorts as the row does, and the function back."""
    low = rows.min(axis=0, initial=0)
    sides = tuple((rows.max(axis=0, initial=0) - low + 1).tolist())
    if math.prod(sides) < 2**63:  # Sorting numbers is ten times as fast as sorting rows.
        keys = np.ravel_multi_index(tuple((rows - low).T), sides)
        return keys, lambda some: np.column_stack(np.unravel_index(some, sides)) + low
    distinct, keys = np.unique(rows, axis=0, return_inverse=True)
    return keys, distinct.__getitem__


def undirected(
    pairs: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the distinct pairs i < j, ascending, of a list of directed pairs (e, 2).

    With `weights` (e,), the largest weight of each pair comes with it, and pairs of weight 0 are
    left out.
    """
    pairs = np.sort(pairs.reshape(-1, 2), axis=1)
    kept = pairs[:, 0] < pairs[:, 1]
    if weights is None:
        return unique_rows(pairs[kept]), None
    kept &= weights > 0
    keys, unpacked = _packed(pairs[kept])
    keys, group = np.unique(keys, return_inverse=True)
    largest = np.zeros(len(keys))
    np.maximum.at(largest, group, weights[kept])
    return unpacked(keys), largest


def extents(**tables: np.ndarray) -> dict[str, dict]:
    """Return the number of rows and the SHA-256 of each table.

    The latter is of the shape, then by rows of little-endian int64, or float64.
    """
    found = {}
    for name, rows in tables.items():
        shape = "x".join(map(str, rows.shape))
        kind = "<f8" if rows.dtype.kind == "f" else "<i8"
        content = np.ascontiguousarray(rows, dtype=kind).tobytes()
        sha256 = hashlib.sha256(f"{shape}\n".encode() + content).hexdigest()
        found[name] = {"rows": len(rows), "sha256": sha256}
    return found


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
    weights, values = tables.friend_weights, tables.item_features
    yield (
        "friend_weights are not positive numbers, one a friendship",
        weights is not None and not are_weights(weights, len(tables.friends)),
    )
    yield (
        "item_features are not finite rows, one an item",
        values is not None
        and (values.ndim != 2 or len(values) != items or not np.isfinite(values).all()),
    )
