"""Hyper-parameters from a grid: each point's regret on the validation stream, and the choice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from horde.errors import ConfigError, DataError
from horde.policies import registry
from horde.problem import Problem
from horde.simulation import simulate
from horde.streams import Stream

Settings = dict[str, float]


@dataclass(frozen=True)
class Choice:
    """What tuning chose, and what it had to choose from.

    Attributes
    ----------
    settings : dict
        The grid point of the lowest score; of equal ones the earliest.
    score : float
        Its regret ratio.
    runner_up : tuple of (dict, float) or None
        Second best point and its score; None if there was one point only.
    scores : list of (dict, float)
        All points with their scores, in grid order.
    """

    settings: Settings
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


def score_point(
    policy: str,
    settings: Mapping[str, object],
    problem: Problem,
    stream: Stream,
    features: np.ndarray,
) -> float:
    """Return the regret ratio that a policy reaches at the end of the validation stream.

    Parameters
    ----------
    policy : str
        Its name in the registry.
    settings : mapping
        A grid point, and whatever other settings are not the default.
    problem : Problem
        Of as many rounds as `stream`.
    stream : Stream
        The validation stream.
    features : ndarray of float64, shape (n_items, d)
        Context vectors of the items.

    Raises
    ------
    DataError
        If no choice on this stream could be wrong, so that there is no ratio.
    """
    started = registry.make(policy, **settings).start(problem)
    ratio = simulate(started, stream, features, np.array([stream.n_rounds])).ratio[-1]
    if np.isnan(ratio):
        raise DataError(
            "Every item offered on the validation stream is equally good, so that nothing can be "
            "tuned on it: offer more items, or check who likes what."
        )
    return float(ratio)


def choose(scores: Sequence[tuple[Settings, float]]) -> Choice:
    """Choose the point of the lowest score; exact ties go to the earlier entry.

    Parameters
    ----------
    scores : sequence of (dict, float)
        At least one grid point, each with its score, in grid order.
    """
    ranked = sorted(scores, key=lambda entry: entry[1])
    settings, score = ranked[0]
    return Choice(settings, score, ranked[1] if len(ranked) > 1 else None, list(scores))
