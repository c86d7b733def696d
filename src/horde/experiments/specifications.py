"""The specifications of the multiverse: combinations of choices that the paper leaves open.

`workflow/multiverse.csv` lists them, one a row. All that share their data and their seeds form a
part, which one job plays. The workflow reads the list at every start, so this module loads neither
pandas nor a simulation.
"""

import csv
import os
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import numpy as np

from horde.errors import ConfigError

Specification = dict[str, str]

# Hyper-parameters that are chosen on the seeds that judge, so they count in no share.
ORACLE = "hindsight"
# Levels of the choices; the first is the configured one. What makes the data comes first.
FEATURES = {
    "tags": ("set", "counts", "log"),
    "split_tags": ("false", "true"),
    "reduction": ("svd", "pca"),
    "scaling": ("none", "unit"),
    "untagged": ("keep", "drop"),
}
SETTINGS = {
    "hyper": ("tuned", "paper", "lam-0.01", ORACLE),
    "exploration": ("interleaved", "front"),
    "laplacian": ("normalised", "unnormalised"),
}
LEARNING = {
    "every": ("1000", "10000"),
    "couplings": ("any", "attractive"),
    "logdet_weight": ("1", "d+1"),
    "learned_lam": ("0.01", "0.1", "1", "10"),
}
CHOICES = {**FEATURES, **SETTINGS, **LEARNING}
COLUMNS = ["specification", "claims", "datasets", "seeds", *CHOICES]
# What all specifications of a part have in common.
_PART = [*FEATURES, "every", "couplings", "logdet_weight", "seeds"]


def design() -> list[Specification]:
    """Return the specifications that `workflow/multiverse.csv` lists.

    For the claims on Figure 2, ``tags = set`` is crossed with all other choices. ``counts`` and
    ``log`` each have one half fraction of the features (the parity of the levels is even, or odd),
    crossed with the settings. The latter exist on Last.fm only, since not every accepted form of
    the Delicious data has counts. Where lambda is chosen in hindsight, GOBLIN and G-TS keep the
    normalised Laplacian. For the claims on Figure 3, all choices of the learned graph are
    crossed on the configured features. An estimate every 1,000 rounds takes most of the time, so
    its settings are the half fraction in which the parity is even; this was decided before any of
    them was run. Each part has three of the seeds 0 to 9; all seeds serve equally often.

    Returns
    -------
    list of dict of str
        Keys `COLUMNS`. A choice is empty where it does not apply.
    """
    rows = []
    for levels in product(*FEATURES.values()):
        if levels[0] == "set" or _even(FEATURES, ("set", *levels[1:])) == (levels[0] == "counts"):
            datasets = "lastfm delicious" if levels[0] == "set" else "lastfm"
            rows += [
                ("R", datasets, levels, settings, ("",) * len(LEARNING))
                for settings in product(*SETTINGS.values())
            ]
    base = tuple(levels[0] for levels in FEATURES.values())
    tuned = tuple(levels[0] for levels in SETTINGS.values())
    rows += [
        ("L", "lastfm delicious", base, tuned, learning)
        for learning in product(*LEARNING.values())
        if learning[0] == "10000" or _even(LEARNING, learning)
    ]
    keys = [(features, learning[:3]) for _, _, features, _, learning in rows]
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    # Each of the ten triples serves as many parts; shuffled, so that no choice goes with a seed.
    firsts = np.random.default_rng(0).permutation(np.arange(len(places)) % 10)
    listed = []
    for number, (row, key) in enumerate(zip(rows, keys, strict=True)):
        claims, datasets, features, settings, learning = row
        three = sorted((firsts[places[key]] + step) % 10 for step in (0, 1, 4))
        seeds = " ".join(map(str, three))
        name = f"{claims}{number:03}"
        values = name, claims, datasets, seeds, *features, *settings, *learning
        listed.append(dict(zip(COLUMNS, values, strict=True)))
    return listed


def _even(choices: dict[str, tuple[str, ...]], levels: tuple[str, ...]) -> bool:
    """Return whether the parity is even: of the sum of the levels' places in their choices."""
    places = (known.index(level) for known, level in zip(choices.values(), levels, strict=True))
    return sum(places) % 2 == 0


def read(path: str | os.PathLike, names: Iterable[str] | None = None) -> list[Specification]:
    """Read a list of specifications.

    Parameters
    ----------
    path : path
        CSV with the columns `COLUMNS`.
    names : iterable of str, optional
        The specifications to keep; by default all.

    Returns
    -------
    list of dict of str
        Keys `COLUMNS`.

    Raises
    ------
    ConfigError
        If a column or a named specification is missing, a name stands there twice, or a row has an
        unknown level, claim or dataset, or other seeds than different whole numbers.
    """
    with Path(path).open(encoding="utf-8", newline="") as stream:
        table = csv.DictReader(stream, restval="")
        columns, rows = list(table.fieldnames or ()), list(table)
    if columns != COLUMNS:
        raise ConfigError(f"{path} has the columns {columns}, but needs {COLUMNS}")
    if names is not None:
        wanted = {*names}
        if missing := sorted(wanted - {row["specification"] for row in rows}):
            raise ConfigError(f"multiverse.specifications: {path} has no {', '.join(missing)}")
        rows = [row for row in rows if row["specification"] in wanted]
    known = set()
    for row in rows:
        if row["specification"] in known:
            raise ConfigError(f"{path} has {row['specification']} twice")
        known.add(row["specification"])
        for column, allowed in _allowed(row).items():
            if unknown := [level for level in row[column].split() or [""] if level not in allowed]:
                where = f"{path}, {row['specification']}, column {column}"
                raise ConfigError(f"{where}: {unknown[0]!r} is none of {', '.join(allowed)}")
        seeds = row["seeds"].split()
        if not all(map(str.isdecimal, seeds)) or not len({*seeds}) == len(seeds) > 0:
            raise ConfigError(
                f"{path}, {row['specification']}, column seeds: {row['seeds']!r} are not "
                "different whole numbers"
            )
    return rows


def _allowed(row: Specification) -> dict[str, tuple[str, ...]]:
    """Return what each column of a specification may hold; what does not apply must be empty."""
    learns = row["claims"] == "L"
    choices = CHOICES if learns else CHOICES | dict.fromkeys(LEARNING, ("",))
    return {"claims": ("R", "L"), "datasets": ("lastfm", "delicious")} | choices


def parts(
    rows: Iterable[Specification], datasets: Iterable[str]
) -> dict[tuple[str, str], list[Specification]]:
    """Group specifications by what one job plays.

    Returns
    -------
    dict of (str, str) to list of dict
        Name of the dataset and of the part, to its specifications.
    """
    found: dict[tuple[str, str], list[Specification]] = {}
    for row in rows:
        name = "-".join(row[key] for key in _PART if row[key]).replace(" ", "")
        for dataset in row["datasets"].split():
            if dataset in datasets:
                found.setdefault((dataset, name), []).append(row)
    return found


def features(row: Specification) -> dict:
    """Return the settings of `horde.data.features.prepare` that a specification names."""
    return {name: row[name] for name in FEATURES} | {"split_tags": row["split_tags"] == "true"}
