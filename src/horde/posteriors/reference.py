"""The model stated densely, for tests: what every faster posterior is compared with."""

from typing import Self

import numpy as np

from horde.posteriors.base import Posterior
from horde.problem import Problem


class Oracle(Posterior):
    """The posterior N(w, P^-1) of Section 3.2 with P^-1 as one dense matrix.

    P = Phi^T Phi / sigma^2 + lambda L kron I_d and w = P^-1 Phi^T r / sigma^2, where the row of Phi
    that belongs to the rating of x by user i is e_i kron x. With BLAS, and for small problems only.

    Parameters
    ----------
    lam, sigma : float
        lambda and sigma, positive.
    """

    LEARNED = ("covariance_", "rhs_")

    def __init__(self, lam: float = 0.01, sigma: float = 1.0):
        self.lam = lam
        self.sigma = sigma

    def start(self, problem: Problem) -> Self:
        """Go back to the prior."""
        self.d_ = problem.n_features
        L = problem.precision.to_scipy().toarray()
        self.covariance_ = np.linalg.inv(self.lam * np.kron(L, np.eye(self.d_)))
        self.rhs_ = np.zeros(len(self.covariance_))
        return self

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add phi phi^T / sigma^2 to P, by Sherman-Morrison, and r phi / sigma^2 to the right."""
        phi = np.zeros(len(self.rhs_))
        phi[self._block(user)] = x
        u = self.covariance_ @ phi
        self.covariance_ -= np.outer(u, u / (self.sigma**2 + phi @ u))
        self.rhs_ += reward * phi / self.sigma**2

    def mean(self, user: int) -> np.ndarray:
        """Return w_i, shape (d,)."""
        return self.covariance_[self._block(user)] @ self.rhs_

    def marginal(self, user: int) -> np.ndarray:
        """Return D_i = (P^-1)_ii, shape (d, d)."""
        return self.covariance_[self._block(user), self._block(user)]

    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T D_i x for each row x of `features`, shape (K,)."""
        return np.einsum("kj,jl,kl->k", features, self.marginal(user), features)

    def sample(self, user: int, normal: np.random.Generator, scale: float) -> np.ndarray:
        """Draw w_i + sqrt(scale) C^-T z, C C^T = D_i^-1, from N(w_i, scale D_i), shape (d,)."""
        factor = np.linalg.cholesky(np.linalg.inv(self.marginal(user)))
        z = normal.standard_normal(self.d_)
        return self.mean(user) + np.sqrt(scale) * np.linalg.solve(factor.T, z)

    def means(self) -> np.ndarray:
        """Return all means, shape (n, d)."""
        return (self.covariance_ @ self.rhs_).reshape(-1, self.d_)

    def _block(self, user: int) -> slice:
        return slice(user * self.d_, (user + 1) * self.d_)
