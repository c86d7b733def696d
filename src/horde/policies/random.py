"""The random policy: a check of the regret's denominator."""

from typing import Self

import numpy as np

from horde.policies.base import Policy
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

    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Learn nothing."""

    def play(self, rounds: Rounds, picks: np.ndarray) -> None:
        """Play several rounds at once."""
        picks[:] = self.rng_.random(len(picks)) * rounds.items.shape[1]
