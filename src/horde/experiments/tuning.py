"""Tuning: choose hyper-parameters on a separate validation stream (Section 5.1)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from horde.data import dataset as datasets
from horde.errors import DataError
from horde.experiments.choice import Choice, choose, grid_points
from horde.policies import memory
from horde.problem import Problem
from horde.simulation.loop import simulate
from horde.simulation.stream import Stream, make_stream


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
