"""Tuning: choose hyper-parameters on a separate validation stream (Section 5.1)."""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np

from horde import files
from horde.data import dataset as datasets
from horde.errors import ConfigError, DataError
from horde.policies import memory
from horde.problem import Problem
from horde.simulation.loop import simulate
from horde.simulation.stream import Stream, make_stream

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


@dataclass(frozen=True)
class Validation:
    """All arguments of a score except the grid point and the data.

    Attributes
    ----------
    policy : str
        Name of the policy.
    params : dict
        Its hyper-parameters that are not tuned.
    seed : int
        Seed of the validation stream and of the policy's draws.
    rounds, offered : int
        Rounds of the validation stream, and items K offered in each.
    """

    policy: str
    params: dict
    seed: int
    rounds: int
    offered: int


def tune(
    validation: Validation,
    grids: Mapping[str, Sequence[float]],
    dataset: str | Path,
    log: Callable[[str], None],
) -> Choice:
    """Score every grid point on the validation stream, and choose the best.

    Parameters
    ----------
    validation : Validation
    grids : mapping of str to sequence of float
        Values to try of each tuned hyper-parameter.
    dataset : path
        As `horde.data.dataset.Dataset.save` wrote it.
    log : callable
        Receives a message for each point.

    Returns
    -------
    Choice

    Raises
    ------
    ConfigError, DataError
        If a hyper-parameter or the data do not allow it.
    """
    data, v = datasets.load(dataset), validation
    stream = make_stream(data, v.seed, v.rounds, v.offered, purpose="validation")
    problem = data.problem(v.seed, v.rounds)
    scores = []
    for point in grid_points(grids):
        scores.append((point, score(v.policy, v.params | point, problem, stream, data.features)))
        log(f"{point}: {scores[-1][1]:.6g}")
    return choose(scores)


def score(
    policy: str,
    params: Mapping[str, object],
    problem: Problem,
    stream: Stream,
    features: np.ndarray,
) -> float:
    """Return the regret ratio that a policy reaches at the end of the validation stream.

    Parameters
    ----------
    policy : str
        Its name in the registry.
    params : mapping
        A grid point, and other hyper-parameters that differ from their defaults.
    problem : Problem
        With as many rounds as `stream`.
    stream : Stream
        The validation stream.
    features : ndarray of float64, shape (n_items, d)
        Context vectors of the items.

    Raises
    ------
    DataError
        If all choices on this stream are equally good, so that there is no ratio.
    """
    started = memory.start(policy, params, problem)
    ratio = simulate(started, stream, features, np.array([stream.n_rounds])).ratio[-1]
    if np.isnan(ratio):
        raise DataError(
            "All items offered on the validation stream are equally good, so nothing can be "
            "tuned on it: offer more items, or check who likes what."
        )
    return float(ratio)


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
