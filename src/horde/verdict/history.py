"""Changes of the rules since their first commit, from the history of git."""

import itertools
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from horde.verdict.claims import YamlLoader

# Old name -> new name of keys and tables, since renaming a key does not change a rule.
_RENAMED = {"setting": "variant", "beside": "alternative", "twins": "counterparts"}


class Change(NamedTuple):
    """A claim whose entry differs between two versions of the claims file."""

    claim: str
    what: str
    when: str


def changes(path: str | os.PathLike) -> list[Change] | None:
    """Return the claims that were changed, added or removed since the file's first commit.

    Parameters
    ----------
    path : path
        The claims file.

    Returns
    -------
    list of Change or None
        Oldest first; ``what`` is "rule", "alternative reading" or "wording", ``when`` is
        "date, commit", or "not committed". Renamed keys do not count. None without history: no git,
        no repository, a clone without history, or a file outside the repository.
    """
    path = Path(path)
    if not (committed := versions(path)):
        return None
    parsed = [
        (f"{date}, {commit[:10]}", _parsed(_git(path, "show", f"{commit}:./{path.name}")))
        for commit, date in map(str.split, committed)
    ]
    parsed.append(("not committed", _parsed(path.read_bytes())))
    return [
        Change(claim, _what(before.get(claim), after.get(claim)), when)
        for (_, before), (when, after) in itertools.pairwise(parsed)
        for claim in dict.fromkeys([*before, *after])
        if before.get(claim) != after.get(claim)
    ]


def versions(path: str | os.PathLike) -> list[str]:
    """Return ``commit date`` of each version of a file, oldest first; empty without history."""
    path = Path(path)
    try:
        if _git(path, "rev-parse", "--is-shallow-repository").strip() == b"true":
            return []
        log = _git(path, "log", "--reverse", "--format=%H %as", "--", path.name)
    except (OSError, subprocess.CalledProcessError):
        return []
    return log.decode().splitlines()


def _parsed(content: bytes) -> dict[str, Any]:
    """Return the claims of a version of the file; the first versions have no other keys."""
    found = _with_new_names(yaml.load(content, Loader=YamlLoader))
    return found.get("claims", found)


def _with_new_names(value: Any) -> Any:
    if isinstance(value, dict):
        return {_RENAMED.get(key, key): _with_new_names(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_new_names(inner) for inner in value]
    return _RENAMED.get(value, value)


def _what(before: dict[str, Any] | None, after: dict[str, Any] | None) -> str:
    if before is None or after is None:
        return "rule"
    if any(before.get(key) != after.get(key) for key in ("rule", "seeds", "number")):
        return "rule"
    same_reading = before.get("alternative") == after.get("alternative")
    return "wording" if same_reading else "alternative reading"


def _git(path: Path, *arguments: str) -> bytes:
    command = ["git", "-C", path.parent, *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout
