"""The information that a policy receives before the first round."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from horde.graph.precision import Precision
from horde.random import Draws


@dataclass(frozen=True)
class Problem:
    """The information that a policy receives before the first round.

    Attributes
    ----------
    n_users : int
        Number of users n.
    n_features : int
        Length d of a context vector.
    n_rounds : int
        Number of rounds T that will be played (front-loaded exploration needs it).
    draws : callable
        ``draws(purpose)`` gives the policy's random generator for that purpose
        (see `horde.random`): ``exploration``, ``posterior``, ``club_graph``.
    precision : Precision or None
        Prior precision L over the users; None if no graph is known.
    """

    n_users: int
    n_features: int
    n_rounds: int
    draws: Draws
    precision: Precision | None = None


class Rounds(NamedTuple):
    """Some rounds of a stream.

    Attributes
    ----------
    users : ndarray of int32, shape (T,)
        The user served in each round.
    items : ndarray of int32, shape (T, K)
        The offered items.
    rewards : ndarray, shape (T, K)
        The reward of each offered item.
    features : ndarray of float64, shape (n_items, d)
        Context vectors of all items.
    """

    users: np.ndarray
    items: np.ndarray
    rewards: np.ndarray
    features: np.ndarray

    def part(self, first: int, last: int) -> Self:
        """Return the rounds from `first` to before `last`."""
        users, items, rewards = (array[first:last] for array in self[:3])
        return type(self)(users, items, rewards, self.features)
