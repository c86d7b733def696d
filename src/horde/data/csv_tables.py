"""A user's own data: a folder with three tables, ids of any kind."""

import csv
import hashlib
import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from horde.data.tables import Tables, digest, from_ids
from horde.errors import DataError

COLUMNS = {"likes": ("user", "item"), "tags": ("item", "tag"), "friends": ("user", "friend")}
LONGEST_ID = 200


def read_folder(folder: Path) -> tuple[Tables, dict]:
    """Read ``likes``, ``tags`` and ``friends``, each as ``.csv`` or ``.tsv``.

    A table is UTF-8 text with a header line that names its columns (`COLUMNS`); other columns are
    ignored. Repeated rows of ``tags`` are counts; other repetitions mean nothing. A user who is
    named in ``friends`` only is a user who likes nothing.

    Parameters
    ----------
    folder : Path
        Where the tables are.

    Returns
    -------
    Tables
    dict
        Provenance: file digests and the tables' rows and digests.

    Raises
    ------
    DataError
        If a table is missing or malformed; names the file and the line.
    """
    files = {table: _find(folder, table) for table in COLUMNS}
    contents = {table: _bytes_of(path) for table, path in files.items()}
    rows = {table: _rows(contents[table], files[table], COLUMNS[table]) for table in COLUMNS}
    tables = _tables(rows)
    provenance = {
        "members": {
            files[table].name: {"sha256": hashlib.sha256(contents[table]).hexdigest()}
            for table in COLUMNS
        },
        "tables": {
            name: {"rows": len(table), "sha256": digest(table)}
            for name, table in (
                ("likes", tables.likes),
                ("item_tags", tables.item_tags),
                ("friends", tables.friends),
            )
        },
    }
    return tables, provenance


def _find(folder: Path, table: str) -> Path:
    found = [p for p in (folder / f"{table}.csv", folder / f"{table}.tsv") if p.is_file()]
    if len(found) != 1:
        raise DataError(
            f"{folder} holds {len(found)} of {table}.csv and {table}.tsv; it must hold one, "
            f"with the columns {' and '.join(COLUMNS[table])}"
        )
    return found[0]


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def _rows(data: bytes, path: Path, columns: tuple[str, str]) -> list[tuple[str, str]]:
    """Return the two columns of a table, row by row."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(f"{path}, line {line}: not UTF-8 text") from error
    dialect = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if path.suffix == ".tsv" else {}
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, **dialect)
    try:
        header = [name.strip() for name in next(reader, [])]
        places = [_place(header, column, path) for column in columns]
        return [_row(row, len(header), places, path, reader.line_num) for row in reader if row]
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}") from error


def _place(header: list[str], column: str, path: Path) -> int:
    if column not in header:
        found = ", ".join(header)[:200]
        raise DataError(f"{path}, line 1: no column {column!r} among: {found}")
    if header.count(column) > 1:
        raise DataError(f"{path}, line 1: column {column!r} stands twice")
    return header.index(column)


def _row(row: list[str], width: int, places: list[int], path: Path, line: int) -> tuple[str, str]:
    if len(row) != width:
        raise DataError(f"{path}, line {line}: {len(row)} fields, the header has {width}")
    first, second = (row[place].strip() for place in places)
    for value in (first, second):
        # A text with NUL is not told from one without it by an array of str.
        if not 0 < len(value) <= LONGEST_ID or "\0" in value:
            raise DataError(
                f"{path}, line {line}: {value[:40]!r} is no name; one has 1 to {LONGEST_ID} "
                "characters, none of them NUL"
            )
    return first, second


def _tables(rows: dict[str, list[tuple[str, str]]]) -> Tables:
    likes, tags, friends = rows["likes"], rows["tags"], rows["friends"]
    users = _labels([user for user, _ in likes], [user for pair in friends for user in pair])
    items = _labels([item for _, item in likes], [item for item, _ in tags])
    names = _labels([tag for _, tag in tags])
    tables = from_ids(
        _codes(likes, users, items),
        _codes(tags, items, names),
        _codes(friends, users, users),
        dict(enumerate(names)),
        counted=True,
    )
    return replace(
        tables,
        user_ids=np.array(list(users))[tables.user_ids],
        item_ids=np.array(list(items))[tables.item_ids],
    )


def _labels(*texts: list[str]) -> dict[str, int]:
    """Give the distinct texts numbers, in ascending order."""
    return {text: i for i, text in enumerate(sorted(set().union(*texts)))}


def _codes(pairs: list[tuple[str, str]], first: dict[str, int], second: dict[str, int]):
    codes = [(first[a], second[b]) for a, b in pairs]
    return np.array(codes, dtype=np.int64).reshape(-1, 2)
