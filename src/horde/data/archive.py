"""Members of an archive or folder: the named ones only, in memory, never above their size."""

import zipfile
from pathlib import Path

from horde.errors import DataError

# No archive that is read here comes near; bounds the memory that its directory can take.
LARGEST_ARCHIVE = 50_000_000


def read_members(place: Path, folder: str, limits: dict[str, int]) -> dict[str, bytes]:
    """Read members of a zip file, or the files of the same names in a folder.

    Nothing is unpacked to disk, and members that are not asked for are not touched.

    Parameters
    ----------
    place : Path
        A zip file or a folder.
    folder : str
        Folder inside the zip file that the members may be in, instead of at the top.
    limits : dict
        Largest size in bytes of each member that is read.

    Returns
    -------
    dict of bytes

    Raises
    ------
    DataError
        If a member is missing or too large, or the archive is damaged or none; names `place`.
    """
    if place.is_dir():
        return {name: _read_file(place / name, limit) for name, limit in limits.items()}
    try:
        if place.stat().st_size > LARGEST_ARCHIVE:
            raise DataError(f"it is larger than {LARGEST_ARCHIVE} bytes")
        with zipfile.ZipFile(place) as archive:
            return {name: _read(archive, name, folder, limits[name]) for name in limits}
    # zipfile raises a dozen kinds of exception over a damaged archive.
    except Exception as error:
        raise DataError(
            f"{place} is not the whole archive: {error}; it begins {_start(place)}. "
            "Replace it, or delete it to have it downloaded"
        ) from error


def _read_file(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    return _within(data, path.name, limit)


def _read(archive: zipfile.ZipFile, name: str, folder: str, limit: int) -> bytes:
    found = [entry for entry in archive.infolist() if entry.filename in (name, f"{folder}/{name}")]
    if len(found) != 1:
        raise DataError(f"it has {len(found)} members named {name}")
    # The others can claim gigabytes before the first byte is out.
    if found[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataError(f"{name} is compressed in another way than deflate")
    with archive.open(found[0]) as stream:
        return _within(stream.read(limit + 1), name, limit)


def _within(data: bytes, name: str, limit: int) -> bytes:
    if len(data) > limit:
        raise DataError(f"{name} is larger than the {limit} bytes it may have")
    return data


def _start(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return repr(stream.read(40))
    except OSError:
        return "nowhere"
