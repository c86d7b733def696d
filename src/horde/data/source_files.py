"""The file that says where acquired tables come from, and which tables it speaks of."""

import os
from pathlib import Path

from horde import files
from horde.data import tables
from horde.errors import DataError

_TEXTS = ("kind", "statement", "content")


def save(
    acquired: tables.Tables,
    source: dict,
    tables_path: str | os.PathLike,
    source_path: str | os.PathLike,
) -> None:
    """Write acquired tables, and their provenance with the digest of the tables' file."""
    acquired.save(tables_path)
    files.write_json(source_path, source | {"content": files.file_digest(tables_path)})


def load(tables_path: str | os.PathLike, source_path: str | os.PathLike):
    """Read what `save` wrote.

    Returns
    -------
    horde.data.tables.Tables
    dict
        The provenance, as it was given to `save`.

    Raises
    ------
    DataError
        If a file is missing or damaged, or the one does not speak of the other.
    """
    source = read(source_path)
    acquired = tables.load(tables_path)
    if files.file_digest(tables_path) != source.pop("content"):
        raise DataError(
            f"{tables_path} and {Path(source_path).name} beside it do not belong together; delete "
            "both and start again"
        )
    return acquired, source


def read(path: str | os.PathLike) -> dict:
    """Read the provenance: ``kind``, ``statement``, the tables' ``content``, and more.

    Raises
    ------
    DataError
        If the file is missing or damaged; names it.
    """
    source = files.read_json(path)
    if not isinstance(source, dict) or not all(isinstance(source.get(k), str) for k in _TEXTS):
        raise DataError(
            f"{path} does not say where data come from; delete it, and the tables.npz beside it, "
            "and start again"
        )
    return source
