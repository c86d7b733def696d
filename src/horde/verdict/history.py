"""What became of the rules since they were first committed, as far as git can tell."""

import itertools
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import yaml


class Change(NamedTuple):
    """A claim whose entry differs between two versions of the file of claims."""

    claim: str
    what: str
    when: str


def changes(path: str | os.PathLike) -> list[Change] | None:
    """Return which claims were changed, added or taken out since the file's first commit.

    Parameters
    ----------
    path : path
        The file of claims.

    Returns
    -------
    list of Change or None
        Oldest first; ``what`` is "rule", "reading beside it" or "wording", ``when`` is
        "date, commit", or "not committed". None if there is no history to look at: no git, no
        repository, a clone without its history, or a file git knows not.
    """
    path = Path(path)
    try:
        if _git(path, "rev-parse", "--is-shallow-repository").strip() == "true":
            return None
        log = _git(path, "log", "--reverse", "--format=%H %as", "--", path.name)
        commits = [line.split() for line in log.splitlines()]
        versions = [
            (f"{date}, {commit[:10]}", _git(path, "show", f"{commit}:./{path.name}"))
            for commit, date in commits
        ]
    except (OSError, subprocess.CalledProcessError):
        return None
    versions.append(("not committed", path.read_text(encoding="utf-8")))
    if len(versions) == 1:
        return None
    return [
        Change(claim, what, when)
        for (_, before), (when, after) in itertools.pairwise(versions)
        for claim, what in _differing(yaml.safe_load(before), yaml.safe_load(after))
    ]


def _differing(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (name, _what(before.get(name), after.get(name)))
        for name in dict.fromkeys([*before, *after])
        if before.get(name) != after.get(name)
    ]


def _what(before: dict[str, Any] | None, after: dict[str, Any] | None) -> str:
    if before is None or after is None or _judged_by(before) != _judged_by(after):
        return "rule"
    return "wording" if before.get("beside") == after.get("beside") else "reading beside it"


def _judged_by(entry: dict[str, Any]) -> tuple:
    return entry["rule"], entry["seeds"]


def _git(path: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(path.parent), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout
