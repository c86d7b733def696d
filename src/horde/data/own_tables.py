"""A user's own data: a folder with three tables, ids of any kind."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np

from horde.data.delimited import read_columns
from horde.data.sources import OWN_TABLES, table_files
from horde.data.tables import Tables, digest, from_ids
from horde.errors import DataError

LONGEST_ID = 200
# Largest size of all three tables in bytes; reading them takes up to 60 times this memory.
LARGEST = 16_000_000
# Largest size of an array of texts in bytes; each entry takes the space of the longest text.
LARGEST_IDS = 200_000_000
NUMBER = re.compile(r"[+-]?[0-9]+\.?[0-9]*(e[+-]?[0-9]{1,3})?")
ROUNDED = re.compile(r"[0-9](\.[0-9]+)?e\+[0-9]+")
GAPS = {"na", "nan", "null", "none", "n/a", "#n/a"}


def read_folder(folder: Path) -> tuple[Tables, dict]:
    """Read ``likes``, ``tags`` and ``friends``, each as ``.csv`` or ``.tsv``.

    A table is UTF-8 text with a header line that names its columns
    (`horde.data.sources.OWN_TABLES`); other columns are ignored. Repeated rows of ``tags`` are
    counts; other repetitions are ignored. A user in ``friends`` only is a user without likes.

    Parameters
    ----------
    folder : Path
        Folder of the tables.

    Returns
    -------
    Tables
    dict
        Provenance (see `horde.data.acquire.acquire`); ``warnings`` lists ids that
        seem to be written in several ways.

    Raises
    ------
    DataError
        If a table is missing, too large or malformed (names the file and the line), or no liked
        item has a tag.
    """
    if not folder.is_dir():
        raise DataError(
            f"there is no folder {folder.absolute()}; correct `folder` in the configuration, which "
            "is absolute, or relative to the folder of config.yaml"
        )
    paths = _one_file_each(folder)
    contents = {table: _bytes_of(path) for table, path in paths.items()}
    if sum(map(len, contents.values())) > LARGEST:
        raise DataError(f"the tables in {folder} have more than {LARGEST} bytes; take fewer users")
    likes, tags, friends = (
        read_columns(
            contents[table],
            str(paths[table]),
            dict.fromkeys(columns, _name),
            separator="," if paths[table].suffix == ".csv" else "\t",
        )
        for table, columns in OWN_TABLES.items()
    )
    users, (liker, one, other) = _numbered(likes["user"], friends["user"], friends["friend"])
    items, (liked, tagged) = _numbered(likes["item"], tags["item"])
    names, (tag,) = _numbered(tags["tag"])
    if not np.isin(liked, tagged).any() and len(liked):
        raise DataError(
            f"the tables in {folder} give no liked item a tag: items are called "
            f"{_some(likes['item'])} in likes and {_some(tags['item'])} in tags; write ids in the "
            "same way in all tables"
        )
    tables = from_ids(
        np.column_stack([liker, liked]),
        np.column_stack([tagged, tag]),
        np.column_stack([one, other]),
        dict(enumerate(names)),
        counted=True,
    )
    tables = replace(
        tables,
        user_ids=_ids(users, tables.user_ids, folder),
        item_ids=_ids(items, tables.item_ids, folder),
    )
    members = {
        path.name: {"sha256": hashlib.sha256(contents[table]).hexdigest()}
        for table, path in paths.items()
    }
    rows = {name: getattr(tables, name) for name in ("likes", "item_tags", "friends")}
    return tables, {
        "kind": "tables",
        "title": folder.name,
        "statement": f"{folder.name}: own tables",
        "verified": None,
        "warnings": [
            *_odd_names("user", users),
            *_odd_names("item", items),
            *_unjoined(likes["user"], friends["user"], friends["friend"]),
        ],
        "members": members,
        "tables": {
            name: {"rows": len(table), "sha256": digest(table)} for name, table in rows.items()
        },
    }


def _one_file_each(folder: Path) -> dict[str, Path]:
    found = table_files(folder)
    count = Counter(path.stem for path in found)
    for table, columns in OWN_TABLES.items():
        if count[table] != 1:
            raise DataError(
                f"{folder} holds {count[table]} of {table}.csv and {table}.tsv; it must hold one, "
                f"with the columns {' and '.join(columns)}"
            )
    return {path.stem: path for path in found}


def _bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(LARGEST + 1)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def _name(field: str) -> str:
    name = field.strip()
    # numpy drops NULs at the end of a text.
    if len(name) > LONGEST_ID or "\0" in name or len(name.splitlines()) != 1:
        raise ValueError(
            f"which is not a valid id; use 1 to {LONGEST_ID} characters, no line break and no NUL"
        )
    return name


def _numbered(*columns: list[str]) -> tuple[list[str], list[np.ndarray]]:
    """Return all ids, ascending, and each column as positions in them, int64."""
    names = sorted(set().union(*columns))
    place = {name: i for i, name in enumerate(names)}
    return names, [np.array([place[name] for name in c], dtype=np.int64) for c in columns]


def _ids(names: list[str], kept: np.ndarray, folder: Path) -> np.ndarray:
    texts = [names[i] for i in kept.tolist()]
    longest = max(map(len, texts), default=0)
    if 4 * longest * len(texts) > LARGEST_IDS:
        raise DataError(
            f"the tables in {folder} have {len(texts)} names of up to {longest} characters, too "
            "much for the memory; use shorter ones"
        )
    return np.array(texts)


def _odd_names(kind: str, names: list[str]) -> Iterator[str]:
    """Yield warnings about ids that the user may not have intended."""
    spellings: dict[str | Decimal, list[str]] = {}
    for name in names:
        plain = unicodedata.normalize("NFKC", name).casefold().strip("\"' \ufeff\u200b")
        key = Decimal(plain) if NUMBER.fullmatch(plain) else plain
        spellings.setdefault(key, []).append(name)
    same = [alike for alike in spellings.values() if len(alike) > 1]
    if same:
        yield (
            # Show escapes, since the ids may look the same.
            f"{', '.join(map(ascii, same[0][:3]))} are {len(same[0])} different {kind}s; in all, "
            f"{len(same)} {kind}s seem to be written in several ways: write an id in the same way "
            "everywhere"
        )
    gaps = [name for name in names if name.casefold() in GAPS]
    if gaps:
        yield f"{_some(gaps)} is taken for the id of a {kind}; leave out rows without an id"
    rounded = [name for name in names if ROUNDED.fullmatch(name.casefold())]
    if rounded:
        yield (
            f"{kind}s such as {_some(rounded)} look like numbers that a spreadsheet rounded; "
            "export the ids as text"
        )


def _unjoined(likers: list[str], ones: list[str], others: list[str]) -> Iterator[str]:
    """Yield a warning if no friendship joins two users who like something."""
    known = set(likers)
    if not any(a in known and b in known for a, b in zip(ones, others, strict=True) if a != b):
        yield (
            "no friendship joins two users who like something: users are called "
            f"{_some(likers)} in likes and {_some([*ones, *others])} in friends"
        )


def _some(names: Iterable[str]) -> str:
    """Show up to three different names."""
    return ", ".join(map(repr, list(dict.fromkeys(names))[:3])) or "nothing"
