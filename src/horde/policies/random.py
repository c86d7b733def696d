"""The random policy: a check of the regret's denominator."""

from typing import Self

import numpy as np

from horde.policies.base import Policy, Probabilities, uniform
from horde.problem import Problem, Rounds


class Random(Policy):
    """Choose among the offered items uniformly at random; learn nothing."""

    LEARNED = ("rng_",)

    def start(self, problem: Problem) -> Self:
        """Take the generator for exploration."""
        self.rng_ = problem.draws("exploration")
        return self

    def choose(self, user: int, features: np.ndarray) -> int:
        """Return a uniformly drawn row of `features` (K, d)."""
        return int(self.rng_.random() * len(features))

    def scores(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return 0 for each row of `features` (K, d): all are equally good."""
        return np.zeros(len(features))

    def probabilities(
        self, user: int, features: np.ndarray, n_samples: int = 1000
    ) -> Probabilities:
        """Return 1/K for each row of `features` (K, d)."""
        return uniform(len(features))

    def join(self, problem: Problem) -> None:
        """Take in users: it knows none."""

    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Learn nothing."""

    def play(self, rounds: Rounds, picks: np.ndarray) -> None:
        """Play several rounds at once."""
        picks[:] = self.rng_.random(len(picks)) * rounds.items.shape[1]
