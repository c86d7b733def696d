"""What is known of each archive: the entries of ``data/sources.yaml``."""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from horde import files
from horde.errors import ConfigError, DataError


@dataclass(frozen=True)
class Source:
    """An archive in one of the HetRec layouts, and what must come out of it.

    Attributes
    ----------
    title : str
        Name for people.
    layout : str
        Key of `horde.data.hetrec.LAYOUTS`.
    archive, folder : str
        Names of the zip file and of the folder that it is unpacked to.
    licence, citation : str
        Shown when the data are first used.
    members : dict
        ``bytes`` and ``sha256`` of each member that is read.
    tables : dict
        ``rows`` and ``sha256`` of each canonical table (`horde.data.hetrec.Consumed`).
    urls : tuple of str
        Where to download the archive, in order of preference.
    archive_sha256 : str or None
        SHA-256 of the archive, where known.
    generated : dict or None
        Settings of the generator that made the archive; None for data from people.
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
    archive_sha256: str | None = None
    generated: dict[str, Any] | None = None


def load() -> dict[str, Source]:
    """Read the sources that come with the package.

    The package's ``sources.yaml`` is a link to the one under ``data/``, so that an installed
    package has it too and there is one text.
    """
    text = resources.files("horde.data").joinpath("sources.yaml").read_text(encoding="utf-8")
    return {name: Source(**entry) for name, entry in yaml.safe_load(text).items()}


def find(name: str, sources: dict[str, Source]) -> Source:
    """Return one of `sources`.

    Raises
    ------
    ConfigError
        If there is none of that name.
    """
    if name not in sources:
        raise ConfigError(f"unknown data source {name!r}; known: {', '.join(sorted(sources))}")
    return sources[name]


def generated(folder: Path, archive: str) -> Source:
    """Read what the generator declared beside its archive.

    Raises
    ------
    DataError
        If there is no declaration, or it is damaged.
    """
    path = folder / f"{archive}.json"
    try:
        return Source(**files.read_json(path))
    except TypeError as error:
        raise DataError(f"{path} declares no archive ({error}); generate the data again") from error
