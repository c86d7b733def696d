"""Partial pooling without a graph: every user's preference is a common mean and a deviation."""

from typing import Self

import numpy as np

from horde.checks import require_positive
from horde.errors import ConfigError
from horde.kernels import pooled as kernels
from horde.kernels.linalg import LARGEST, inverse_factor, normal_draw, quadratic_forms
from horde.kernels.posteriors import PooledArrays
from horde.posteriors.base import too_long
from horde.posteriors.ridge import Ridge
from horde.problem import Problem


class Pooled(Ridge):
    """The posterior of w_i = mu + v_i, v_i ~ N(0, I/lambda) and mu ~ N(0, I/lambda_0).

    It is the Gaussian Markov random field of a star whose centre mu is never served. With the
    ridge problems M_i = lambda I + A_i/sigma^2 and g_i = M_i^-1 b_i/sigma^2, the mean of mu solves
    S mu = lambda sum_i g_i with S = lambda_0 I + lambda sum_i (I - lambda M_i^-1). Then
    w_i = g_i + lambda M_i^-1 mu, with covariance M_i^-1 + lambda^2 M_i^-1 S^-1 M_i^-1. An
    observation changes one M_i^-1 by rank one, hence S by rank one: O(d^2) a round.

    Parameters
    ----------
    lam : float
        Precision lambda of a user's deviation, positive.
    sigma : float
        Noise of a rating, sigma, positive; in rating units.
    lam0 : float or None
        Precision lambda_0 of the common mean, positive; None takes lambda.
    """

    LEARNED = (*Ridge.LEARNED, "covariance_", "rhs_", "common_")

    def __init__(self, lam: float = 0.01, sigma: float = 1.0, lam0: float | None = None):
        super().__init__(lam, sigma)
        self.lam0 = lam0

    def start(self, problem: Problem) -> Self:
        """Go back to the prior; its common mean is 0."""
        super().start(problem)
        lam0 = self._checked(problem)
        d = problem.n_features
        self.covariance_ = np.diag(np.full(d, 1.0 / lam0))
        self.rhs_, self.common_ = np.zeros(d), np.zeros(d)
        return self

    def join(self, problem: Problem) -> None:
        """Take in new users, who have no data."""
        self._checked(problem)
        super().join(problem)

    def _checked(self, problem: Problem) -> float:
        """Return lambda_0, or refuse one out of range."""
        lam0 = self.lam if self.lam0 is None else self.lam0
        require_positive(lam0=lam0)
        if problem.n_users * self.lam > LARGEST * lam0:
            raise ConfigError(
                f"lam0 is {lam0:g}, so small beside lam: {self.lam:g} that its digits are lost "
                f"among {problem.n_users} users; raise it."
            )
        return lam0

    def mean(self, user: int) -> np.ndarray:
        """Return the mean w_i, shape (d,)."""
        blocks, slot = self.blocks_, self.slot(user)
        return kernels.mean(blocks.inverse[slot], blocks.mean[slot], blocks.lam, self.common_)

    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T (P^-1)_ii x for each row x of `features`, shape (K,)."""
        return quadratic_forms(self._block(user), features)

    def sample(self, user: int, normal: np.random.Generator, scale: float) -> np.ndarray:
        """Draw from N(w_i, scale (P^-1)_ii), shape (d,)."""
        normals = normal.standard_normal(len(self.common_))
        return normal_draw(
            self.mean(user), inverse_factor(self._block(user)), normals, float(scale)
        )

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add the observation (x, reward) of one user."""
        blocks, slot = self.blocks_, self.slot(user)
        if slot == 0:
            slot = self.slots_[user] = blocks.open()
        stacks = blocks.gram, blocks.rhs, blocks.inverse, blocks.mean
        if not kernels.observe(slot, x, reward, blocks.lam, blocks.sigma2, *stacks, *self._top()):
            raise too_long(x)

    def arrays(self, users: np.ndarray, blocks: bool = True) -> PooledArrays:
        """Return what compiled rounds need, with room for the slots of `users`."""
        return PooledArrays(super().arrays(users, blocks), *self._top())

    def played(self, arrays: PooledArrays) -> None:
        """Take over the number of slots that compiled rounds have opened."""
        super().played(arrays.ridge)

    def _top(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.covariance_, self.rhs_, self.common_

    def _block(self, user: int) -> np.ndarray:
        blocks = self.blocks_
        return kernels.block(blocks.inverse[self.slot(user)], blocks.lam, self.covariance_)
