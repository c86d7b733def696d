"""A user's own data: a folder with three tables, ids of any kind."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from horde import files, machine
from horde.data.columns import Columns, parquet_extent, read_parquet, read_text
from horde.data.sources import table_files
from horde.data.tables import Tables, extents, from_places
from horde.errors import ConfigError, DataError

Log = Callable[[str], None]

# Columns of text of each table; of numbers, where None stands for all others; and of numbers that
# may be missing.
COLUMNS = {
    "likes": (("user", "item"), (), ()),
    "ratings": (("user", "item"), ("rating",), ()),
    "tags": (("item", "tag"), (), ()),
    "features": (("item",), None, ()),
    "friends": (("user", "friend"), (), ("weight",)),
}
LONGEST_ID = 200
# Characters that end a line, and NUL, which numpy drops at the end of a text.
BREAKS = r"[\x00\n\r\x0b\x0c\x1c-\x1e\x{85}\x{2028}\x{2029}]"
# Memory that reading takes at most: for each row, for each different id, and for each of its
# characters (an array of text gives each id the space of the longest one).
BYTES_PER_ROW, BYTES_PER_ID, BYTES_PER_CHARACTER = 110, 400, 16
# Bytes that are read at a time.
CHUNK = 16_000_000
LARGEST_WEIGHT = 1e12
NUMBER = re.compile(r"[+-]?[0-9]+\.?[0-9]*(e[+-]?[0-9]{1,3})?")
ROUNDED = re.compile(r"[0-9](\.[0-9]+)?e\+[0-9]+")
GAPS = {"na", "nan", "null", "none", "n/a", "#n/a"}


def read_folder(
    folder: Path, liked_from: float | None = None, log: Log = print
) -> tuple[Tables, dict]:
    """Read the three tables of a folder (`horde.data.sources.OWN_TABLES`).

    ``likes`` or ``ratings``, ``tags`` or ``features``, and ``friends``, each as ``.csv`` or
    ``.tsv``, also compressed (``.gz``, ``.zst``), or as ``.parquet``. Text is UTF-8 with a header
    line that names the columns (`COLUMNS`); other columns are ignored. Repeated rows of ``tags``
    are counts; other repetitions are ignored. A user in ``friends`` only is a user without likes.

    Parameters
    ----------
    folder : Path
        Folder of the tables.
    liked_from : float, optional
        The least rating that counts as a like; needed with ``ratings``.
    log : callable
        Is told how much memory the tables will take.

    Returns
    -------
    Tables
    dict
        Provenance (see `horde.data.acquire.acquire`); ``warnings`` lists ids that
        seem to be written in several ways.

    Raises
    ------
    DataError
        If a table is missing or malformed (names the file and the line), or no liked item has a
        tag or features.
    ConfigError
        If `liked_from` does not fit the tables, or they do not fit into memory.
    """
    paths = table_files(folder)
    if ("ratings" in paths) != (liked_from is not None):
        raise ConfigError(
            f"{folder} holds {'ratings' if 'ratings' in paths else 'no ratings'}: "
            f"{'set' if 'ratings' in paths else 'leave out'} `liked_from`, the least rating that "
            "counts as a like, in the entry of the dataset"
        )
    sizes = [_extent(path) for path in paths.values()]
    needed = BYTES_PER_ROW * sum(rows for _, rows in sizes) + max(size for size, _ in sizes)
    _require_memory(f"reading the tables in {folder}", needed, log)
    found = {table: _read(path, COLUMNS[table]) for table, path in paths.items()}
    for columns in found.values():
        for title in columns.texts:
            _require_id(columns, title)
    liked_in, described_in, _ = found
    likes, described, friends = found.values()
    users, (liker, one, other) = _numbered(
        likes.texts["user"], friends.texts["user"], friends.texts["friend"]
    )
    items, (liked, item) = _numbered(likes.texts["item"], described.texts["item"])
    ids = sum(
        len(names) * (BYTES_PER_ID + BYTES_PER_CHARACTER * max(map(len, names), default=0))
        for names in (users, items)
    )
    _require_memory(
        f"telling apart the {len(users):,} users and {len(items):,} items in {folder}", ids, log
    )
    if liked_from is not None:
        enough = likes.numbers[:, 0] >= liked_from
        liker, liked = liker[enough], liked[enough]
    if not np.isin(item, liked).any() and len(liked):
        raise DataError(
            f"the tables in {folder} give no liked item "
            f"{'a tag' if described_in == 'tags' else 'features'}: items are called "
            f"{_some(items, liked)} in {liked_in} and {_some(items, item)} in {described_in}; "
            "write ids in the same way in all tables"
        )
    names, item_tags, features = np.empty(0, dtype=object), np.empty((0, 2), dtype=int), None
    if described_in == "tags":
        names, (tag,) = _numbered(described.texts["tag"])
        item_tags = np.column_stack([item, tag])
    else:
        _require_once(described, item)
        features = np.zeros((len(items), described.numbers.shape[1]))
        features[item] = described.numbers
    tables = from_places(
        users.astype(str),
        items.astype(str),
        names,
        likes=np.column_stack([liker, liked]),
        item_tags=item_tags,
        friends=np.column_stack([one, other]),
        counted=True,
        friend_weights=_weights(friends),
        item_features=features,
    )
    warnings = [*_odd_names("user", users.tolist()), *_odd_names("item", items.tolist())]
    if not np.isin(tables.friends, tables.likes[:, 0]).all(axis=1).any():
        warnings.append(
            "no friendship joins two users who like something: users are called "
            f"{_some(users, liker)} in likes and {_some(users, one, other)} in friends"
        )
    kept = ("likes", "item_tags", "friends", "friend_weights", "item_features")
    kept = {name: table for name in kept if (table := getattr(tables, name)) is not None}
    provenance = {
        "kind": "tables",
        "title": folder.name,
        "statement": f"{folder.name}: own tables",
        "verified": None,
        "warnings": warnings,
        "members": {path.name: {"sha256": files.file_digest(path)} for path in paths.values()},
        "tables": extents(**kept),
    }
    if liked_from is not None:
        provenance["statement"] += f"; liked from a rating of {liked_from:g} on"
        provenance["liked_from"] = liked_from
    return tables, provenance


def _require_memory(what: str, needed: float, log: Log) -> None:
    """Tell how much memory comes next, and refuse if it is not there."""
    log(f"{what} takes up to {max(needed / 1e9, 0.01):.2g} GB of memory")
    machine.require_memory(needed, what, "take fewer users or items")


def _extent(path: Path) -> tuple[int, int]:
    """Return the number of bytes of a table, uncompressed, and of its rows, at most."""
    if path.suffix == ".parquet":
        return parquet_extent(path)
    size = rows = 0
    with _opened(path) as stream:
        while chunk := stream.read(CHUNK):
            size += len(chunk)
            rows += max(chunk.count(b"\n"), chunk.count(b"\r"))
    return size, rows + 1


def _read(path: Path, columns: tuple) -> Columns:
    if path.suffix == ".parquet":
        return read_parquet(path, *columns)
    with _opened(path) as stream:
        data = stream.read()
    separator = "," if ".csv" in path.suffixes[-2:] else "\t"
    return read_text(data, str(path), *columns, separator=separator)


@contextmanager
def _opened(path: Path) -> Iterator[pa.NativeFile]:
    """Open a text table, which may be compressed."""
    try:
        with pa.input_stream(str(path)) as stream:
            yield stream
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"cannot read {path}: {error}") from error


def _require_id(columns: Columns, title: str) -> None:
    names = pc.utf8_trim_whitespace(columns.texts[title].dictionary)
    length = pc.utf8_length(names).to_numpy()
    broken = pc.match_substring_regex(names, BREAKS).to_numpy(zero_copy_only=False)
    columns.refuse(
        title,
        (length < 1) | (length > LONGEST_ID) | broken,
        f"which is not a valid id; use 1 to {LONGEST_ID} characters, no line break and no NUL",
    )


def _require_once(columns: Columns, item: np.ndarray) -> None:
    """Refuse an item (rows,) that has features twice."""
    again = np.ones(len(item), dtype=bool)
    again[np.unique(item, return_index=True)[1]] = False
    columns.refuse_rows(again, lambda row: "this item has features on an earlier line, too")


def _weights(friends: Columns) -> np.ndarray | None:
    if not friends.numbers.shape[1]:
        return None
    weights = friends.numbers[:, 0]
    friends.refuse_rows(
        ~((weights >= 0) & (weights <= LARGEST_WEIGHT)),
        lambda row: f"weight is {weights[row]:g}; it must be from 0 to {LARGEST_WEIGHT:g}",
    )
    return weights


def _numbered(*columns: pa.DictionaryArray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return all ids, ascending, an array of str objects, and each column as places in them."""
    named = pa.concat_arrays([column.dictionary for column in columns])
    named = pc.utf8_trim_whitespace(named).dictionary_encode()
    order = pc.array_sort_indices(named.dictionary).to_numpy()
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order))
    place = place[named.indices.to_numpy()]
    ends = np.cumsum([len(column.dictionary) for column in columns])[:-1]
    parts = zip(np.split(place, ends), columns, strict=True)
    names = named.dictionary.take(pa.array(order)).to_numpy(zero_copy_only=False)
    return names, [part[column.indices.to_numpy()] for part, column in parts]


def _odd_names(kind: str, names: list[str]) -> Iterator[str]:
    """Yield warnings about ids that the user may not have intended."""
    if len(set(map(_spelled, names))) < len(names):
        spellings: dict[str | Decimal, list[str]] = {}
        for name in names:
            spellings.setdefault(_spelled(name), []).append(name)
        same = [alike for alike in spellings.values() if len(alike) > 1]
        yield (
            # Show escapes, since the ids may look the same.
            f"{', '.join(map(ascii, same[0][:3]))} are {len(same[0])} different {kind}s; in all, "
            f"{len(same)} {kind}s seem to be written in several ways: write an id in the same way "
            "everywhere"
        )
    gaps = [name for name in names if name.casefold() in GAPS]
    if gaps:
        yield f"{_shown(gaps)} is taken for the id of a {kind}; leave out rows without an id"
    rounded = [name for name in names if ROUNDED.fullmatch(name.casefold())]
    if rounded:
        yield (
            f"{kind}s such as {_shown(rounded)} look like numbers that a spreadsheet rounded; "
            "export the ids as text"
        )


def _spelled(name: str) -> str | Decimal:
    """Return what different spellings of an id have in common."""
    plain = unicodedata.normalize("NFKC", name).casefold().strip("\"' \ufeff\u200b")
    return Decimal(plain) if NUMBER.fullmatch(plain) else plain


def _some(names: np.ndarray, *places: np.ndarray) -> str:
    """Show up to three different names, of the first rows of columns of places in them."""
    first = dict.fromkeys(np.concatenate(places)[:1000].tolist())
    return _shown(names[list(first)])


def _shown(names: Iterable[str]) -> str:
    return ", ".join(map(repr, islice(names, 3))) or "nothing"
