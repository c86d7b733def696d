"""The contract between a policy and whoever runs it."""

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from horde.problem import Problem


class Policy(ABC):
    """A bandit policy: chooses one of K items for a user, then learns from the reward.

    ``__init__`` only stores its keyword arguments. `start` checks them and allocates everything
    that is learned, in attributes whose names end in ``_``. For each round the caller calls
    `choose` once and then `learn` once with the chosen row.
    """

    @abstractmethod
    def start(self, problem: Problem) -> Self:
        """Forget everything learned and get ready for round 0 of `problem`.

        Raises
        ------
        ConfigError
            If a hyper-parameter is out of range or the problem lacks something needed (a graph).
        """

    @abstractmethod
    def choose(self, user: int, features: np.ndarray) -> int:
        """Choose an item for `user`.

        Parameters
        ----------
        user : int
            The served user, in [0, n).
        features : ndarray of float64, shape (K, d), C-contiguous
            Context vectors of the offered items, one row each.

        Returns
        -------
        int
            Row of the chosen item. Ties go to the lowest row.
        """

    @abstractmethod
    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Learn from the reward of the item just chosen.

        Parameters
        ----------
        user : int
            The served user.
        x : ndarray of float64, shape (d,)
            Context vector of the chosen item.
        reward : float
            Its rating r.
        """

    @abstractmethod
    def state(self) -> dict[str, np.ndarray]:
        """Return all that was learned (generators included) as plain arrays, without pickle.

        A policy of the same arguments that is started on the same problem and given this to
        `restore` goes on exactly as this one would.
        """

    @abstractmethod
    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""

    def learned(self) -> dict[str, np.ndarray]:
        """Return what is kept of a finished run beside its curve; mostly nothing."""
        return {}

    def notes(self) -> list[str]:
        """Return what the log of a finished run should say; mostly nothing."""
        return []
