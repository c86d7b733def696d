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
        Oldest first; ``what`` is "rule" or "wording", ``when`` is "date, commit", or "not
        committed". None if there is no history
        to look at: no git, no repository, a clone without its history, or a file git knows not.
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
    names = dict.fromkeys([*before, *after])
    rules = [{name: _judged_by(version.get(name)) for name in names} for version in (before, after)]
    return [
        (name, "wording" if rules[0][name] == rules[1][name] else "rule")
        for name in names
        if before.get(name) != after.get(name)
    ]


def _judged_by(entry: dict[str, Any] | None) -> tuple | None:
    return entry and (entry["rule"], entry["seeds"])


def _git(path: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(path.parent), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout
