"""The score of a point of a grid: its regret on the validation stream."""

from collections.abc import Mapping

import numpy as np

from horde.errors import DataError
from horde.policies import registry
from horde.problem import Problem
from horde.simulation.loop import simulate
from horde.simulation.stream import Stream


def score_point(
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
    started = registry.make(policy, **params).start(problem)
    ratio = simulate(started, stream, features, np.array([stream.n_rounds])).ratio[-1]
    if np.isnan(ratio):
        raise DataError(
            "Every item offered on the validation stream is equally good, so that nothing can be "
            "tuned on it: offer more items, or check who likes what."
        )
    return float(ratio)
