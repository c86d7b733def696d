"""Arrays on disk: npz files without pickle, whole or not at all."""

import io
import os

import numpy as np

from horde import files
from horde.errors import DataError


def save(path: str | os.PathLike, **arrays: np.ndarray) -> None:
    """Write `arrays` as one uncompressed npz file, whole or not at all.

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
    files.write_bytes(path, stream.getvalue())


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
