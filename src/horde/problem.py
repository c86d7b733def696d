"""The information that a policy receives before the first round."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from horde.checks import outside, require_whole
from horde.errors import DataError
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

    def __post_init__(self):
        require_whole(n_users=self.n_users, n_features=self.n_features)
        require_whole(least=0, n_rounds=self.n_rounds)


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

    def require_usable(self, n_users: int, n_features: int) -> None:
        """Check what compiled rounds rely on: they would read and write beyond an array's end.

        Raises
        ------
        DataError
            If a user, an item, a shape or a type is wrong, or a reward is not finite; says which.
        """
        users, items, rewards, features = self
        offers = users.shape[0], *items.shape[1:]
        if users.ndim != 1 or items.ndim != 2 or items.shape != offers or 0 in items.shape[1:]:
            raise DataError(
                f"rounds: users {users.shape} and items {items.shape} must have the shapes (T,) "
                "and (T, K), K at least 1"
            )
        # Whole numbers are finite, and testing them takes time.
        finite = rewards.dtype.kind in "biu" or np.isfinite(rewards).all()
        if rewards.shape != items.shape or not finite:
            raise DataError(
                f"rounds: rewards {rewards.shape} must be finite numbers, one for each item "
                f"{items.shape}"
            )
        if features.ndim != 2 or features.shape[1] != n_features:
            raise DataError(
                f"rounds: features have the shape {features.shape}, but must be "
                f"(n_items, {n_features}), as the problem of the policy has them"
            )
        for name, found, size in (("users", users, n_users), ("items", items, len(features))):
            if found.dtype.kind not in "iu" or outside(found, size):
                raise DataError(f"rounds: {name} must be whole numbers from 0 to {size - 1}")
