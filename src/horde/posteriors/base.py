"""The contract between a posterior and the policies that choose with it."""

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from horde.problem import Problem


class Posterior(ABC):
    """The posterior N(w, P^-1) of all users' preferences given the observations so far.

    P = blockdiag(A_i)/sigma^2 + lambda L kron I_d and P w = b/sigma^2, where A_i sums x x^T and
    b_i sums r x over user i's observations (Section 3.2). Like a policy, ``__init__`` only stores
    its keyword arguments and `start` allocates the state.
    """

    @abstractmethod
    def start(self, problem: Problem) -> Self:
        """Go back to the prior."""

    @abstractmethod
    def mean(self, user: int) -> np.ndarray:
        """Return the mean w_i of one user, shape (d,); a view, valid until the next call."""

    @abstractmethod
    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T (P^-1)_ii x for each row x of `features`, shape (K,), not negative."""

    @abstractmethod
    def sample(self, user: int, normal: np.random.Generator, scale: float) -> np.ndarray:
        """Draw the user's part of a sample of N(w, scale * P^-1), shape (d,)."""

    @abstractmethod
    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add the observation (x, reward) of one user."""

    @abstractmethod
    def state(self) -> dict[str, np.ndarray]:
        """Return the state as plain arrays."""

    @abstractmethod
    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""
