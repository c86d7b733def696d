"""Where data come from: the declared archives, where files are looked for, digests of content.

The workflow calls `content_digest` and `table_files` at every start. So they are fast, and this
module imports neither pandas nor scikit-learn.
"""

import hashlib
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO, Any

import yaml

from horde import files
from horde.checks import choice
from horde.errors import ConfigError, DataError

# The tables of a user's own data. Of each row, a folder has one.
OWN_TABLES = (("likes", "ratings"), ("tags", "features"), ("friends",))
OWN_ENDINGS = (".csv", ".csv.gz", ".csv.zst", ".tsv", ".tsv.gz", ".tsv.zst", ".parquet")
# Bytes; no member of the published archives is larger. Reading takes up to 40 times this memory.
LARGEST_MEMBER = 17_000_000
# Far above any archive in use; limits the memory that the archive's directory can take.
LARGEST_ARCHIVE = 50_000_000


@dataclass(frozen=True)
class Source:
    """An archive in one of the HetRec layouts, with the digests of its tables.

    Attributes
    ----------
    title : str
        Display name.
    layout : str
        Key of `horde.data.hetrec.LAYOUTS`.
    archive, folder : str
        Names of the zip file and of its unpacked folder.
    licence, citation : str
        Shown when the data are first used.
    members : dict
        ``bytes`` and ``sha256`` of each member that is read.
    tables : dict
        ``rows`` and ``sha256`` of each canonical table (`horde.data.hetrec.Consumed`).
    urls : tuple of str
        Addresses of the archive, in order of preference.
    generated : dict or None
        Arguments of the generator that made the archive; None for real data.
    """

    title: str
    layout: str
    archive: str
    folder: str
    licence: str
    citation: str
    members: dict[str, dict]
    tables: dict[str, dict]
    urls: tuple[str, ...] = ()
    generated: dict[str, Any] | None = None

    def read(self, place: Path) -> dict[str, bytes]:
        """Read the members from the zip file or folder at `place` (see `read_members`)."""
        limits = {name: max(m["bytes"], LARGEST_MEMBER) for name, m in self.members.items()}
        return read_members(place, self.folder, limits)

    def find_in(self, places: list[Path]) -> Path | None:
        """Return the first zip file or folder in `places` with a member unique to this archive."""
        own = set(self.members) - {"tags.dat"}  # Both archives have a member of this name,
        for place in places:
            for found in (place / self.folder, place / self.archive, place):
                if found.is_dir() and any((found / name).is_file() for name in own):
                    return found
                if found.is_file() and found.name == self.archive:
                    return found
        return None


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


@cache
def load() -> dict[str, Source]:
    """Read the declared archives, ``sources.yaml`` next to this module."""
    text = resources.files("horde.data").joinpath("sources.yaml").read_text(encoding="utf-8")
    return {name: Source(**entry) for name, entry in yaml.safe_load(text).items()}


def find(name: str) -> Source:
    """Return the declared archive of a name.

    Raises
    ------
    ConfigError
        If there is none.
    """
    return load()[choice("archive", name, load())]


def generated(folder: Path, archive: str) -> Source:
    """Read the declaration that the generator wrote next to its archive.

    Raises
    ------
    DataError
        If there is no declaration, or it is damaged.
    """
    path = folder / f"{archive}.json"
    try:
        return Source(**files.read_json(path))
    except TypeError as error:
        raise DataError(
            f"{path} declares no archive ({error}); delete it and generate the data again"
        ) from error


def resolved(path: str | Path, root: str | Path = "") -> Path:
    """Return `path`, relative to `root` unless absolute, with ``~`` as the home folder.

    Raises
    ------
    ConfigError
        If there is no home folder.
    """
    try:
        return Path(root, Path(path).expanduser())
    except RuntimeError:
        raise ConfigError(f"there is no home folder for {str(path)!r}; write it out") from None


def table_files(folder: str | Path, root: str | Path = "") -> dict[str, Path]:
    """Return the files of the tables in a user's `folder` (see `resolved`), in a fixed order.

    Raises
    ------
    DataError
        If the folder cannot be read, or it has no table of a kind, or several.
    """
    folder = resolved(folder, root)
    try:
        files_there = sorted(path.name for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise DataError(
            f"there is no folder {folder.absolute()} that can be read ({error.strerror}); correct "
            "`folder` in the configuration, which is absolute, or relative to the folder of "
            "config.yaml"
        ) from None
    found = {}
    for tables in OWN_TABLES:
        names = [f"{table}{end}" for table in tables for end in OWN_ENDINGS]
        here = [name for name in names if name in files_there]
        if len(here) != 1:
            raise DataError(
                f"{folder} holds {len(here)} tables of {' or '.join(tables)}"
                f"{': ' * bool(here)}{', '.join(here)}; it must hold one, such as "
                f"{tables[0]}.csv, as {', '.join(OWN_ENDINGS)}; its files: "
                f"{', '.join(files_there[:20]) or 'none'}"
            )
        found[here[0].partition(".")[0]] = folder / here[0]
    return found


def content_digest(
    entry: dict,
    hetrec_dir: str | Path | None = None,
    *,
    raw_dir: str | Path = "data/raw",
    root: str | Path = "",
) -> str | None:
    """Return the digest of the content of a dataset's files; time stamps do not matter.

    Parameters
    ----------
    entry : dict
        As `horde.data.acquire.acquire` takes it.
    hetrec_dir, raw_dir : path
        Folders to search for archives, in this order.
    root : path
        Base folder of a relative ``folder`` of `entry` and of a relative `hetrec_dir`.

    Returns
    -------
    str or None
        For own tables, the digest of the names and bytes of the table files. For a HetRec archive,
        the digest of the members that are read. None if there is no archive yet, and for generated
        data, which the workflow makes itself. Also None for the published members, so that neither
        a download nor a move changes the value.

    Raises
    ------
    DataError
        If a table of the user's is missing (see `table_files`).
    """
    if entry["kind"] == "tables":
        return _digest_of(table_files(entry["folder"], root).values())
    if entry["kind"] != "hetrec":
        return None
    source = find(entry["archive"])
    place = source.find_in(archive_places(hetrec_dir, raw_dir, root))
    if place is None:
        return None
    try:
        members = digests(source.read(place))
    except DataError:  # The job that reads the file reports the error.
        return _digest_of([place] if place.is_file() else [place / name for name in source.members])
    published = {name: member["sha256"] for name, member in source.members.items()}
    return None if members == published else files.digest(members)


def archive_places(
    hetrec_dir: str | Path | None, raw_dir: str | Path, root: str | Path
) -> list[Path]:
    """Return the folders to search for archives: the user's, if any, and that of downloads."""
    return [*([resolved(hetrec_dir, root)] if hetrec_dir else []), Path(raw_dir)]


def digests(members: dict[str, bytes]) -> dict[str, str]:
    """Return the SHA-256 of each member."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}


def _digest_of(paths: Iterable[Path]) -> str:
    """Return the digest of the names and bytes of files; an unreadable file counts as None."""

    def digest(path):
        try:
            return files.file_digest(path)
        except OSError:
            return None

    return files.digest({path.name: digest(path) for path in paths})
