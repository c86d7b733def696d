"""Read named members of an archive or folder into memory, each up to its declared size."""

import zipfile
from pathlib import Path
from typing import IO

from horde.errors import DataError

# Far above any archive in use; limits the memory that the archive's directory can take.
LARGEST_ARCHIVE = 50_000_000


def read_members(place: Path, folder: str, limits: dict[str, int]) -> dict[str, bytes]:
    """Read members of a zip file, or the files of the same names in a folder.

    Nothing is unpacked to disk, and other members are not read.

    Parameters
    ----------
    place : Path
        A zip file or a folder.
    folder : str
        Folder inside the zip file that may contain the members, instead of the top level.
    limits : dict
        Largest size in bytes of each member that is read.

    Returns
    -------
    dict of bytes

    Raises
    ------
    DataError
        If a member is missing or too large, or the archive is damaged or not a zip file; names
        `place`.
    """
    try:
        if place.is_dir():
            return {name: _read((place / name).open("rb"), name, limits[name]) for name in limits}
        if place.stat().st_size > LARGEST_ARCHIVE:
            raise DataError(f"it is larger than {LARGEST_ARCHIVE} bytes")
        with zipfile.ZipFile(place) as archive:
            return {
                name: _read(archive.open(_entry(archive, name, folder)), name, limits[name])
                for name in limits
            }
    except zipfile.BadZipFile as error:
        with place.open("rb") as stream:
            fault = f"it is not a whole zip file ({error}), and begins with {stream.read(40)!r}"
    # zipfile raises a dozen other kinds of exception for a damaged archive.
    except Exception as error:
        fault = str(error)
    raise DataError(f"{place}: {fault}; replace it, or delete it to have it downloaded")


def _entry(archive: zipfile.ZipFile, name: str, folder: str) -> zipfile.ZipInfo:
    found = [entry for entry in archive.infolist() if entry.filename in (name, f"{folder}/{name}")]
    if len(found) != 1:
        raise DataError(f"it has {len(found)} members named {name} or {folder}/{name}")
    # Other methods can allocate gigabytes before the first byte is read.
    if found[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataError(f"{name} is compressed in another way than deflate")
    return found[0]


def _read(stream: IO[bytes], name: str, limit: int) -> bytes:
    with stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise DataError(f"{name} is larger than the {limit} bytes it may have")
    return data
