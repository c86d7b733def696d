"""Acquisition: find or download the data, and check them against their declaration.

Places are searched in this order: the user's folder, ``data/raw``, the network. The first place
with data decides: if its data are wrong, they are rejected and no other place is tried.
"""

from collections.abc import Callable
from pathlib import Path

from horde.data import hetrec, own_tables, sources
from horde.data.download import download
from horde.data.sources import Source
from horde.data.tables import Tables
from horde.errors import ConfigError, DataError

Log = Callable[[str], None]


def acquire(
    entry: dict,
    *,
    hetrec_dir: str | Path | None = None,
    raw_dir: str | Path = "data/raw",
    generated_dir: str | Path | None = None,
    root: str | Path = "",
    allow_unverified: bool = False,
    log: Log = print,
) -> tuple[Tables, dict]:
    """Get the tables of one dataset.

    Parameters
    ----------
    entry : dict
        ``{kind: hetrec | generated, archive: lastfm | delicious}``, with an optional
        ``drop_users_from: ID`` that drops the users from this id on; or
        ``{kind: tables, folder: PATH}``, with ``liked_from: RATING`` where ratings take the place
        of likes.
    hetrec_dir : path, optional
        Folder with the archives, or with their unpacked folders.
    raw_dir : path
        Folder for downloads.
    generated_dir : path, optional
        Folder that `horde.data.lookalike.generate` wrote to.
    root : path
        Base folder of a relative ``folder`` of `entry` and of a relative `hetrec_dir`.
    allow_unverified : bool
        Accept data that are not the published ones; the provenance says so.
    log : callable
        Receives progress messages, the licence and the citation.

    Returns
    -------
    Tables
    dict
        Provenance without paths or times: ``kind``, ``title``, ``statement`` (a line for
        captions), ``verified`` (None for a user's own tables), ``members`` and ``tables``. For own
        tables also ``warnings``, which are logged too.

    Raises
    ------
    DataError
        If the data cannot be found or downloaded, or differ from their declaration.
    ConfigError
        If the entry's kind or source is unknown.
    """
    match entry["kind"]:
        case "hetrec":
            source = sources.find(entry["archive"])
            log(f"{source.title}: {source.licence}. Please cite: {source.citation}")
            places = sources.archive_places(hetrec_dir, raw_dir, root)
            tables, provenance = _published(source, places, allow_unverified, log)
        case "generated":
            source = sources.generated(Path(generated_dir), entry["archive"])
            tables, provenance = _checked(source, Path(generated_dir) / source.archive, False)
        case "tables":
            folder = sources.resolved(entry["folder"], root)
            tables, provenance = own_tables.read_folder(folder, entry.get("liked_from"), log)
        case kind:
            raise ConfigError(f"unknown kind of data {kind!r}; known: generated, hetrec, tables")
    if (first_id := entry.get("drop_users_from")) is not None:
        tables = tables.without_users_from(first_id)
        provenance["statement"] += f"; without the users from id {first_id} on"
        provenance["drop_users_from"] = first_id
    log(provenance["statement"])
    for warning in provenance.get("warnings", ()):
        log(f"warning: {warning}")
    return tables, provenance


def _published(
    source: Source, places: list[Path], allow_unverified: bool, log: Log
) -> tuple[Tables, dict]:
    *named, raw = places
    for place in named:
        if not place.is_dir():
            raise DataError(
                f"{place.absolute()} is no folder; set HETREC_DIR (or hetrec_dir in the "
                f"configuration) to the folder that holds {source.archive} or {source.folder}/"
            )
    found = source.find_in(places)
    if found:
        log(f"reading {found}")
        return _checked(source, found, allow_unverified)
    looked = " and ".join(str(place.absolute()) for place in places)
    log(f"neither {source.archive} nor {source.folder}/ is in {looked}")
    try:
        return download(
            source.urls,
            raw / source.archive,
            lambda part: _checked(source, part, allow_unverified),
            log,
        )
    except DataError as error:
        raise DataError(
            f"{source.title} is not in {looked}, and cannot be downloaded: {error}. Fetch "
            f"{source.archive} by hand, from {' or '.join(source.urls)}, and put it into "
            f"{raw.absolute()}; or set HETREC_DIR (or hetrec_dir in the configuration) to a folder "
            "that holds it, zipped or unpacked; or try again later"
        ) from error


def _checked(source: Source, place: Path, allow_unverified: bool) -> tuple[Tables, dict]:
    """Read the archive or folder at `place`; raise DataError if it differs from `source`."""
    members = source.read(place)
    consumed = hetrec.read(members, source.layout)
    digests = consumed.digests()
    faults = _differences(digests, source.tables)
    if faults and not allow_unverified:
        raise DataError(
            f"{place} does not hold the data of {source.title}: {'; '.join(faults)}. Use the "
            "published archive, or set allow_unverified_data: true, which every result will state"
        )
    sha256 = sources.digests(members)
    unofficial = "other" if faults else "equal in use"
    other = [name for name, found in sha256.items() if found != source.members[name]["sha256"]]
    if faults:
        statement = f"{source.title}: UNVERIFIED data ({'; '.join(faults)})"
    elif source.generated:
        statement = f"{source.title} (seed {source.generated['seed']})"
    elif other:
        statement = f"{source.title}: equal in use to the published files ({', '.join(other)})"
    else:
        statement = f"{source.title}: official files"
    provenance = {
        "kind": "generated" if source.generated else "hetrec",
        "title": source.title,
        "statement": statement,
        "verified": not faults,
        "members": {
            name: {"sha256": found, "form": unofficial if name in other else "official"}
            for name, found in sha256.items()
        },
        "tables": digests,
        "licence": source.licence,
        "citation": source.citation,
    }
    if source.generated:
        provenance["generated"] = source.generated
    return consumed.tables(), provenance


def _differences(found: dict[str, dict], declared: dict[str, dict]) -> list[str]:
    faults = []
    for table, known_table in declared.items():
        rows, expected = found[table]["rows"], known_table["rows"]
        if rows != expected:
            faults.append(f"{table} has {rows} rows where {expected} are expected")
        elif found[table]["sha256"] != known_table["sha256"]:
            faults.append(f"{table} has the expected {rows} rows, but other content")
    return faults
