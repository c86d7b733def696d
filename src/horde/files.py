"""Atomic files, arrays on disk, and digests of contents."""

import hashlib
import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from horde.errors import DataError, OutputError

State = dict[str, np.ndarray]


def write_bytes(path: str | os.PathLike, content: bytes) -> None:
    """Write a file atomically: write `content` to a temporary file and rename it.

    Parameters
    ----------
    path : path
        Path of the file; missing folders are created.
    content : bytes
        The whole content.

    Raises
    ------
    OutputError
        If the file can't be written; an earlier file of this name is kept.
    """
    path = Path(path)
    if not path.name:
        raise OutputError(f"{str(path)!r} names no file; give the path of a file to write")
    make_folder(path.parent)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            part.write_bytes(content)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error


def make_folder(path: str | os.PathLike) -> None:
    """Create a folder and its missing parents.

    Raises
    ------
    OutputError
        If the folder can't be created.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: str | os.PathLike, error: OSError) -> OutputError:
    return OutputError(
        f"{path} can't be written ({error.strerror or error}); make room there, allow writing, or "
        "have the results written elsewhere, then start again"
    )


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write `text` as UTF-8 with unchanged line ends, atomically (see `write_bytes`)."""
    write_bytes(path, text.encode())


def write_json(path: str | os.PathLike, value: Any) -> None:
    """Write `value` as JSON with sorted keys, so that equal values give equal bytes."""
    write_text(path, json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n")


def read_json(path: str | os.PathLike) -> Any:
    """Read a JSON file that this package wrote.

    Raises
    ------
    DataError
        If the file is missing or damaged; names the file.
    """
    try:
        return json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(
            f"{path} is missing or damaged ({error}); delete it, if it is there, and make it again"
        ) from error


def canonical(value: Any) -> str:
    """Return JSON that does not depend on the order of keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """Return the SHA-256 hex digest of a JSON-able value, whatever the order of its keys."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def file_digest(path: str | os.PathLike) -> str:
    """Return the SHA-256 hex digest of a file's bytes."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def content(path: str | os.PathLike) -> str:
    """Return the digest that identifies a data file by its content."""
    return f"sha256:{file_digest(path)}"


def save_arrays(path: str | os.PathLike, **arrays: np.ndarray) -> None:
    """Write `arrays` atomically as one uncompressed npz file.

    Equal arrays give equal bytes.

    Raises
    ------
    TypeError
        If an array holds Python objects.
    """
    for name, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise TypeError(f"{name} holds Python objects, which only pickle can store")
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    write_bytes(path, stream.getvalue())


def fields_of(record: Any) -> State:
    """Return the fields of a dataclass as arrays for `save_arrays`, without those that are None."""
    return {name: np.asarray(value) for name, value in vars(record).items() if value is not None}


def load_arrays(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """Read all arrays of an npz file.

    Raises
    ------
    DataError
        If the file is missing, truncated or damaged; names the file.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    # zipfile and numpy raise a dozen kinds of exception for a damaged file.
    except Exception as error:
        raise DataError(
            f"{path} is missing or damaged ({type(error).__name__}: {error}); "
            "delete it, if it is there, and make it again"
        ) from error


def nest(owner: str, state: State) -> State:
    """Return `state` with every name prefixed by ``owner.``."""
    return {f"{owner}.{name}": array for name, array in state.items()}


def unnest(owner: str, state: State) -> State:
    """Return the arrays that `nest` added for `owner`, under their original names."""
    prefix = f"{owner}."
    return {
        name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)
    }
