"""Points of a grid, the choice among them by their scores, and the file of the choice."""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from horde import files
from horde.errors import ConfigError, DataError

Settings = dict[str, float]


@dataclass(frozen=True)
class Choice:
    """What tuning chose, and what it had to choose from.

    Attributes
    ----------
    params : dict
        The grid point of the lowest score; of equal ones the earliest.
    score : float
        Its regret ratio.
    runner_up : tuple of (dict, float) or None
        Second best point and its score; None if there was one point only.
    scores : list of (dict, float)
        All points with their scores, in grid order.
    """

    params: Settings
    score: float
    runner_up: tuple[Settings, float] | None
    scores: list[tuple[Settings, float]]


def grid_points(grids: Mapping[str, Sequence[float]], tunes: Sequence[str]) -> list[Settings]:
    """Return all combinations of the grids of the hyper-parameters `tunes`.

    Parameters
    ----------
    grids : mapping
        Values to try of each hyper-parameter, by name; may hold more than is asked for.
    tunes : sequence of str
        Hyper-parameters to combine; the last one varies fastest.

    Returns
    -------
    list of dict
        One empty dict where `tunes` is empty.

    Raises
    ------
    ConfigError
        If a grid is missing or empty.
    """
    for name in tunes:
        if not grids.get(name):
            raise ConfigError(f"tuning.grids.{name} is missing or empty: list the values to try.")
    return [
        dict(zip(tunes, values, strict=True))
        for values in product(*(grids[name] for name in tunes))
    ]


def choose(scores: Sequence[tuple[Settings, float]]) -> Choice:
    """Choose the point of the lowest score; exact ties go to the earlier entry.

    Parameters
    ----------
    scores : sequence of (dict, float)
        At least one grid point, each with its score, in grid order.
    """
    ranked = sorted(scores, key=lambda entry: entry[1])
    params, score = ranked[0]
    return Choice(params, score, ranked[1] if len(ranked) > 1 else None, list(scores))


def write(path: str | os.PathLike, choice: Choice) -> None:
    """Write a choice as JSON, with its place: ``.../{dataset}/{policy}.json``."""
    files.write_json(path, _content(path, choice))


def read(path: str | os.PathLike, grids: Mapping[str, Sequence[float]]) -> Choice:
    """Read a choice that was made from `grids`.

    Raises
    ------
    DataError
        If the file is missing or damaged, or holds other than what `write` writes of the choice
        among all points of `grids`; names the file.
    """
    found = files.read_json(path)
    points = grid_points(grids, tuple(grids))
    try:
        scores = [(dict(point), float(score)) for point, score in found["scores"]]
    except (KeyError, TypeError, ValueError) as error:
        raise _no_choice(path, f"it has no scores: {error}") from error
    if [point for point, _ in scores] != points:
        raise _no_choice(path, "its points are not those of tuning.grids")
    if not all(math.isfinite(score) for _, score in scores):
        raise _no_choice(path, "a score is not a finite number")
    choice = choose(scores)
    if found.get("of") != _place(path):
        raise _no_choice(path, f"it is that of {found.get('of')}")
    if files.canonical(found) != files.canonical(_content(path, choice)):
        raise _no_choice(path, f"of its scores, that of {choice.params} is the lowest")
    return choice


def _content(path: str | os.PathLike, choice: Choice) -> dict:
    return {"of": _place(path), **asdict(choice)}


def _place(path: str | os.PathLike) -> str:
    return f"{Path(path).parent.name}/{Path(path).stem}"


def _no_choice(path: str | os.PathLike, fault: str) -> DataError:
    return DataError(f"{path} is not what tuning chose ({fault}); delete it and start again")
