"""A user's own data: a folder with three tables, ids of any kind."""

import csv
import hashlib
import io
from array import array
from dataclasses import replace
from pathlib import Path

import numpy as np

from horde.data.tables import Tables, digest, from_ids
from horde.errors import DataError

COLUMNS = {"likes": ("user", "item"), "tags": ("item", "tag"), "friends": ("user", "friend")}
# What the names in the columns are of.
KINDS = {"likes": ("user", "item"), "tags": ("item", "tag"), "friends": ("user", "user")}
LONGEST_ID = 200
# In bytes, all three tables together: reading them takes up to sixty times as much.
LARGEST = 16_000_000
# An array of texts is as wide as its longest everywhere; in bytes.
LARGEST_IDS = 200_000_000


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
        If a table is missing, too large or malformed; names the file and the line.
    """
    files = {table: _find(folder, table) for table in COLUMNS}
    contents = {table: _bytes_of(path) for table, path in files.items()}
    if sum(map(len, contents.values())) > LARGEST:
        raise DataError(f"the tables in {folder} have more than {LARGEST} bytes; take fewer users")
    names: dict[str, dict[str, int]] = {"user": {}, "item": {}, "tag": {}}
    rows = {
        table: _rows(
            contents[table], files[table], COLUMNS[table], [names[k] for k in KINDS[table]]
        )
        for table in COLUMNS
    }
    tables = _tables(rows, names, folder)
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
        with path.open("rb") as stream:
            return stream.read(LARGEST + 1)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def _rows(
    data: bytes, path: Path, columns: tuple[str, str], names: list[dict[str, int]]
) -> np.ndarray:
    """Return two columns as numbers, int64, shape (m, 2), by the names seen so far."""
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
        numbers = array("q")
        for row in reader:
            if row:
                pair = _row(row, len(header), places, path, reader.line_num)
                numbers.extend(
                    seen.setdefault(name, len(seen)) for name, seen in zip(pair, names, strict=True)
                )
        return np.frombuffer(numbers, dtype=np.int64).reshape(-1, 2)
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


def _tables(rows: dict[str, np.ndarray], names: dict[str, dict[str, int]], folder: Path) -> Tables:
    """Build the tables, names numbered in ascending order."""
    ordered = {kind: sorted(seen) for kind, seen in names.items()}
    place = {kind: _places(ordered[kind], names[kind]) for kind in names}
    for table, (first, second) in KINDS.items():
        codes = rows[table]
        rows[table] = np.column_stack([place[first][codes[:, 0]], place[second][codes[:, 1]]])
    tables = from_ids(
        rows["likes"], rows["tags"], rows["friends"], dict(enumerate(ordered["tag"])), counted=True
    )
    return replace(
        tables,
        user_ids=_ids(ordered["user"], tables.user_ids, folder),
        item_ids=_ids(ordered["item"], tables.item_ids, folder),
    )


def _places(ordered: list[str], seen: dict[str, int]) -> np.ndarray:
    """Return the position in `ordered` by the number in `seen`."""
    places = np.empty(len(ordered), dtype=np.int64)
    places[[seen[name] for name in ordered]] = np.arange(len(ordered))
    return places


def _ids(ordered: list[str], kept: np.ndarray, folder: Path) -> np.ndarray:
    texts = [ordered[i] for i in kept.tolist()]
    longest = max(map(len, texts), default=0)
    if 4 * longest * len(texts) > LARGEST_IDS:
        raise DataError(
            f"the tables in {folder} have {len(texts)} names of up to {longest} characters, too "
            "much for the memory; use shorter ones"
        )
    return np.array(texts)
