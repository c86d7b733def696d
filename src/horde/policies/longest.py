"""The longest context: what the norm of a context alone says about its reward."""

from typing import Self

import numpy as np

from horde.kernels.linalg import quadratic_forms
from horde.kernels.scores import pick
from horde.policies.base import Policy, Probabilities, certain
from horde.problem import Problem


class Longest(Policy):
    """Choose the item of the longest context vector; learn nothing.

    Where the only feature of an item is how many users like it, this is the most popular item.
    """

    def start(self, problem: Problem) -> Self:
        """Get ready for contexts of the problem's length."""
        self.eye_ = np.eye(problem.n_features)
        return self

    def choose(self, user: int, features: np.ndarray) -> int:
        """Return the row of `features` (K, d) with the largest norm."""
        return pick(self.scores(user, features))

    def scores(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return the squared norm of each row of `features` (K, d)."""
        return quadratic_forms(self.eye_, features)

    def probabilities(
        self, user: int, features: np.ndarray, n_samples: int = 1000
    ) -> Probabilities:
        """Return 1 for the pick among the rows of `features` (K, d), 0 for the others."""
        return certain(self.scores(user, features))

    def join(self, problem: Problem) -> None:
        """Take in users: it knows none."""

    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Learn nothing."""
