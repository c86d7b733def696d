"""Acquisition: find the data, or download them, and take them only if they are what they should be.

Looked at in this order: the folder the user names, ``data/raw``, the network. Whatever is found
first decides: data that are not right are refused, not passed over.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

from horde.data import hetrec
from horde.data import own_tables as csv_tables
from horde.data import sources as known
from horde.data.archive import read_members
from horde.data.download import downloaded
from horde.data.sources import Source
from horde.data.tables import Tables
from horde.errors import ConfigError, DataError

Log = Callable[[str], None]

# A member of unverified data may be larger than the published one, but not than this, in bytes:
# reading it takes up to forty times as much.
LARGEST_UNVERIFIED = 16_000_000


def acquire(
    entry: dict,
    *,
    hetrec_dir: str | Path | None = None,
    raw_dir: str | Path = "data/raw",
    generated_dir: str | Path | None = None,
    allow_unverified: bool = False,
    sources: dict[str, Source] | None = None,
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
    allow_unverified : bool
        Take data that are not the published ones; the provenance says so.
    sources : dict of Source, optional
        In place of the known ones (`horde.data.sources.load`).
    log : callable
        Told what is done, and the licence and citation.

    Returns
    -------
    Tables
    dict
        Provenance without paths or times: ``kind``, ``title``, ``statement`` (a line for
        captions), ``verified`` (None for a user's own tables), ``members`` and ``tables``.

    Raises
    ------
    DataError
        If the data cannot be had, or are not what they should be.
    ConfigError
        If the entry's kind or source is unknown.
    """
    match entry["kind"]:
        case "hetrec":
            source = known.find(entry["archive"], sources or known.load())
            places = [Path(p) for p in (hetrec_dir, raw_dir) if p]
            found = _published(source, places, Path(raw_dir), allow_unverified, log)
            return _dropped(*found, entry.get("drop_users_from"))
        case "generated":
            source = known.generated(Path(generated_dir), entry["archive"])
            found = _checked(source, Path(generated_dir) / source.archive, False, log)
            return _dropped(*found, entry.get("drop_users_from"))
        case "tables":
            tables, provenance = csv_tables.read_folder(Path(entry["folder"]).expanduser())
            title = Path(entry["folder"]).name
            return tables, {
                "kind": "tables",
                "title": title,
                "statement": f"{title}: own tables",
                "verified": None,
                **provenance,
            }
    raise ConfigError(f"unknown kind of data {entry['kind']!r}; known: generated, hetrec, tables")


def _published(source: Source, places: list[Path], raw: Path, allow_unverified: bool, log: Log):
    for place in places:
        if place != raw and not place.is_dir():
            raise DataError(
                f"{place} is no folder; set HETREC_DIR (or hetrec_dir in the config) to the folder "
                f"that holds {source.archive} or {source.folder}/, or to none"
            )
    log(f"{source.title}: {source.licence}. Please cite: {source.citation}")
    for place in places:
        for candidate in (place / source.folder, place / source.archive, place):
            if _holds(candidate, source):
                log(f"reading {candidate}")
                return _checked(source, candidate, allow_unverified, log)
        log(f"{place} holds neither {source.archive} nor {source.folder}/")
    try:
        with downloaded(source.urls, raw / source.archive, log) as part:
            return _checked(source, part, allow_unverified, log)
    except DataError as error:
        raise DataError(_nowhere(source, places, error)) from error


def _holds(place: Path, source: Source) -> bool:
    """Tell whether `place` is the archive, or a folder with any file of its own."""
    if place.name == source.archive:
        return place.is_file()
    own = set(source.members) - {"tags.dat"}
    return any((place / name).is_file() for name in own)


def _nowhere(source: Source, places: list[Path], error: DataError) -> str:
    looked = ", ".join(str(place.absolute()) for place in places)
    return (
        f"{source.title} is not at hand. Looked for {source.archive} and {source.folder}/ in "
        f"{looked}; then: {error}. Remedies: set HETREC_DIR (or hetrec_dir in the config) to a "
        f"folder that holds the archive, zipped or unpacked; or put {source.archive} into "
        f"{places[-1]}; or try again when {source.urls[0] if source.urls else 'a host'} answers."
    )


def _checked(source: Source, place: Path, allow_unverified: bool, log: Log) -> tuple[Tables, dict]:
    """Read the archive or folder at `place`; refuse it if it is not what `source` declares."""
    least = LARGEST_UNVERIFIED if allow_unverified else 0
    limits = {name: max(member["bytes"], least) for name, member in source.members.items()}
    members = read_members(place, source.folder, limits)
    layout = hetrec.LAYOUTS[source.layout]
    consumed = hetrec.read(members, layout)
    digests = consumed.digests()
    faults = _differences(digests, source.tables)
    if faults and not allow_unverified:
        raise DataError(
            f"{place} does not hold the data of {source.title}: {'; '.join(faults)}. Use the "
            "published archive, or set allow_unverified_data: true, which every result will state"
        )
    forms = {name: _form(name, data, source, layout) for name, data in members.items()}
    provenance = {
        "kind": "generated" if source.generated else "hetrec",
        "title": source.title,
        "verified": not faults,
        "members": {
            name: {"sha256": hashlib.sha256(data).hexdigest(), "form": forms[name]}
            for name, data in members.items()
        },
        "tables": digests,
        "licence": source.licence,
        "citation": source.citation,
    }
    if source.generated:
        provenance["generated"] = source.generated
    provenance["statement"] = _statement(provenance, faults)
    log(provenance["statement"])
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


def _form(name: str, data: bytes, source: Source, layout: hetrec.Layout) -> str:
    """Name what a member is: the official file, its used columns only, or another file."""
    if hashlib.sha256(data).hexdigest() == source.members[name]["sha256"]:
        return "official"
    header = data.split(b"\n", 1)[0].decode(errors="replace").strip().split("\t")
    return "pairs only" if tuple(header) == layout.members[name] else "other file"


def _statement(provenance: dict, faults: list[str]) -> str:
    title, members = provenance["title"], provenance["members"]
    if faults:
        return f"{title}: UNVERIFIED data ({'; '.join(faults)})"
    if provenance["kind"] == "generated":
        return f"{title} (seed {provenance['generated']['seed']})"
    by_form: dict[str, list[str]] = {}
    for name, member in members.items():
        by_form.setdefault(member["form"], []).append(name)
    by_form.pop("official", None)
    parts = [f"{', '.join(names)}: {form}, equal in use" for form, names in by_form.items()]
    return f"{title}: {'; '.join(parts) or 'official files'}"


def _dropped(tables: Tables, provenance: dict, first_id: int | None) -> tuple[Tables, dict]:
    """Leave out users, if asked for, and say so."""
    if first_id is None:
        return tables, provenance
    statement = f"{provenance['statement']}; without the users from id {first_id} on"
    changed = {"statement": statement, "drop_users_from": first_id}
    return tables.without_users_from(first_id), provenance | changed
