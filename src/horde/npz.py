"""Arrays on disk: npz files without pickle, whole or not at all."""

import os
from pathlib import Path

import numpy as np

from horde.errors import DataError


def save(path: str | os.PathLike, **arrays: np.ndarray) -> None:
    """Write `arrays` as one uncompressed npz file; equal arrays give equal bytes.

    Written beside `path`, then renamed: a file of that name is always whole.
    """
    path = Path(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as stream:
            np.savez(stream, allow_pickle=False, **arrays)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def load(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """Read all arrays of an npz file.

    Raises
    ------
    DataError
        If the file is missing, truncated or damaged; names the file.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    # zipfile and numpy raise a dozen kinds of exception over a damaged file.
    except Exception as error:
        raise DataError(
            f"{path} is missing or damaged ({type(error).__name__}: {error}); "
            "delete it, if it is there, and make it again"
        ) from error
