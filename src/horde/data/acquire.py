"""Acquisition: find the data, or download them, and accept them only if they are what is declared.

Places are searched in this order: the folder that the user names, ``data/raw``, the network. What
is found first decides: data that are not right are refused, and no other place is tried.
"""

import hashlib
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
        ``{kind: hetrec | generated, archive: lastfm | delicious}``, where an optional
        ``drop_users_from: ID`` leaves out the users from that id on; or
        ``{kind: tables, folder: PATH}``.
    hetrec_dir : path, optional
        Folder that holds the archives, or the folders they were unpacked to.
    raw_dir : path
        Where downloads are kept.
    generated_dir : path, optional
        Folder that `horde.data.lookalike.generate` wrote to.
    root : path
        Folder that a relative ``folder`` of `entry` and a relative `hetrec_dir` are relative to.
    allow_unverified : bool
        Accept data that are not the published ones; the provenance says so.
    log : callable
        Receives what is done, the licence and the citation.

    Returns
    -------
    Tables
    dict
        Provenance without paths or times: ``kind``, ``title``, ``statement`` (a line for
        captions), ``verified`` (None for a user's own tables), ``members`` and ``tables``; for own
        tables also ``warnings``, each of which is logged.

    Raises
    ------
    DataError
        If the data cannot be found or downloaded, or are not what is declared.
    ConfigError
        If the entry's kind or source is unknown.
    """
    match entry["kind"]:
        case "hetrec":
            source = sources.find(entry["archive"])
            log(f"{source.title}: {source.licence}. Please cite: {source.citation}")
            named = [sources.resolved(hetrec_dir, root)] if hetrec_dir else []
            found = _published(source, [*named, Path(raw_dir)], allow_unverified, log)
        case "generated":
            source = sources.generated(Path(generated_dir), entry["archive"])
            found = _checked(source, Path(generated_dir) / source.archive, False)
        case "tables":
            found = own_tables.read_folder(sources.resolved(entry["folder"], root))
        case kind:
            raise ConfigError(f"unknown kind of data {kind!r}; known: generated, hetrec, tables")
    tables, provenance = found
    first_id = entry.get("drop_users_from")
    if first_id is not None:
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
    """Read the archive or folder at `place`; refuse it if it is not what `source` declares."""
    members = source.read(place)
    consumed = hetrec.read(members, hetrec.LAYOUTS[source.layout])
    digests = consumed.digests()
    faults = _differences(digests, source.tables)
    if faults and not allow_unverified:
        raise DataError(
            f"{place} does not hold the data of {source.title}: {'; '.join(faults)}. Use the "
            "published archive, or set allow_unverified_data: true, which every result will state"
        )
    sha256 = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    other = [name for name, found in sha256.items() if found != source.members[name]["sha256"]]
    unofficial = "other" if faults else "equal in use"
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
