"""Tuning: choose hyper-parameters on separate validation streams (Section 5.1)."""

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
    paper_lam : float or None
        The paper's lambda, taken where the scores are flat (`horde.experiments.choice.Choice`).
    seeds : list of int
        Seeds of the validation streams and of the policy's draws.
    rounds, offered : int
        Rounds of each validation stream, and items K offered in each round.
    graph : str
        Graph of the users, one of `horde.graph.controls.GRAPHS`.
    """

    policy: str
    params: dict
    paper_lam: float | None
    seeds: list[int]
    rounds: int
    offered: int
    graph: str = "given"


def tune(
    validation: Validation,
    grids: Mapping[str, Sequence[float]],
    dataset: str | Path,
    log: Callable[[str], None],
) -> Choice:
    """Score every grid point on each validation stream, and choose the best.

    Parameters
    ----------
    validation : Validation
    grids : mapping of str to sequence of float
        Values to try of each tuned hyper-parameter.
    dataset : path
        As `horde.data.dataset.Dataset.save` wrote it.
    log : callable
        Receives a message for each point, and one before.

    Returns
    -------
    Choice

    Raises
    ------
    ConfigError, DataError
        If a hyper-parameter or the data do not allow it.
    """
    data, v = datasets.load(dataset), validation
    drawn = [
        (
            data.problem(seed, v.rounds, v.graph),
            make_stream(data, seed, v.rounds, v.offered, "validation"),
        )
        for seed in v.seeds
    ]
    log(f"final regret relative to Random on {len(drawn)} validation streams, for each grid point:")
    scores = []
    for point in grid_points(grids):
        params = v.params | point
        each = [score(v.policy, params, *pair, data.features) for pair in drawn]
        scores.append((point, each))
        log(f"{point}: {', '.join(f'{ratio:.6g}' for ratio in each)}")
    return choose(scores, v.paper_lam)


def score(
    policy: str,
    params: Mapping[str, object],
    problem: Problem,
    stream: Stream,
    features: np.ndarray,
) -> float:
    """Return the regret ratio that a policy reaches at the end of a validation stream.

    Parameters
    ----------
    policy : str
        Its name in the registry.
    params : mapping
        A grid point, and other hyper-parameters that differ from their defaults.
    problem : Problem
        With as many rounds as `stream`.
    stream : Stream
        A validation stream.
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
            "All items offered on a validation stream are equally good, so nothing can be "
            "tuned on it: offer more items, or check who likes what."
        )
    return float(ratio)
