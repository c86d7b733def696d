"""What tuning chose: the grid, the choice among its points, and its file.

The workflow reads choices at every start, so this module loads no simulation.
"""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from horde import files
from horde.errors import ConfigError, DataError

Params = dict[str, float]


@dataclass(frozen=True)
class Choice:
    """The chosen hyper-parameters, and the scores of all candidates.

    Attributes
    ----------
    params : dict
        The grid point of the lowest score; the earliest of equal ones.
    score : float
        Its regret ratio.
    runner_up : tuple of (dict, float) or None
        Second best point and its score; None if there was only one point.
    scores : list of (dict, float)
        All points with their scores, in grid order.
    """

    params: Params
    score: float
    runner_up: tuple[Params, float] | None
    scores: list[tuple[Params, float]]


def grid_points(grids: Mapping[str, Sequence[float]]) -> list[Params]:
    """Return all combinations of the values; the last hyper-parameter varies fastest.

    Raises
    ------
    ConfigError
        If a grid is empty.
    """
    for name, values in grids.items():
        if not values:
            raise ConfigError(f"tuning.grids.{name} is empty: list the values to try.")
    return [dict(zip(grids, values, strict=True)) for values in product(*grids.values())]


def choose(scores: Sequence[tuple[Params, float]]) -> Choice:
    """Choose the point of the lowest score; exact ties go to the earlier entry.

    Parameters
    ----------
    scores : sequence of (dict, float)
        At least one grid point, each with its score, in grid order.
    """
    ranked = sorted(scores, key=lambda entry: entry[1])
    params, lowest = ranked[0]
    return Choice(params, lowest, ranked[1] if len(ranked) > 1 else None, list(scores))


def write(path: str | os.PathLike, choice: Choice) -> None:
    """Write a choice as JSON to ``.../{dataset}/{policy}.json``."""
    files.write_json(path, _content(path, choice))


def read(path: str | os.PathLike, grids: Mapping[str, Sequence[float]]) -> Choice:
    """Read a choice that was made from `grids`.

    Raises
    ------
    DataError
        If the file is missing or damaged, or is not what `write` writes for the best of all points
        of `grids`; names the file.
    """
    found = files.read_json(path)
    try:
        scores = [(dict(point), float(score)) for point, score in found["scores"]]
    except (KeyError, TypeError, ValueError) as error:
        raise _no_choice(path, f"it has no scores: {error}") from error
    if [point for point, _ in scores] != grid_points(grids):
        raise _no_choice(path, "its points are not those of tuning.grids")
    if not all(math.isfinite(score) for _, score in scores):
        raise _no_choice(path, "a score is not a finite number")
    choice = choose(scores)
    if found.get("of") != _place(path):
        raise _no_choice(path, f"it is that of {found.get('of')}")
    if files.canonical(found) != files.canonical(_content(path, choice)):
        raise _no_choice(path, f"among its scores, that of {choice.params} is the lowest")
    return choice


def _content(path: str | os.PathLike, choice: Choice) -> dict:
    return {"of": _place(path), **asdict(choice)}


def _place(path: str | os.PathLike) -> str:
    return f"{Path(path).parent.name}/{Path(path).stem}"


def _no_choice(path: str | os.PathLike, fault: str) -> DataError:
    return DataError(f"{path} is not what tuning chose ({fault}); delete it and start again")
