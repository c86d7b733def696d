"""GOBLIN's posterior: the dense (dn) x (dn) inverse, kept by Sherman-Morrison."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from horde.checks import require_positive
from horde.kernels.linalg import fits, inverse_factor, normal_draw, quadratic_forms
from horde.kernels.rank_one import learn_densely, prior_covariance
from horde.machine import require_memory
from horde.posteriors.base import Posterior, too_long
from horde.posteriors.system import known_precision, scaled_prior
from horde.problem import Problem


@dataclass(eq=False)
class Dense(Posterior):
    """P^-1 as a dense matrix, as in the gang of bandits (Cesa-Bianchi et al., 2013).

    Time and memory of a round grow as (dn)^2.

    Parameters
    ----------
    lam, sigma : float
        lambda and sigma, positive.
    """

    LEARNED = ("w_", "covariance_")

    lam: float
    sigma: float

    def start(self, problem: Problem) -> Self:
        """Go back to the prior.

        Raises
        ------
        ConfigError
            If the matrix would not fit into the memory that this process can take.
        """
        require_positive(lam=self.lam, sigma=self.sigma)
        precision = known_precision(problem)
        side = problem.n_users * problem.n_features
        require_memory(
            8 * (side**2 + 2 * problem.n_users**2),
            f"solver: dense with its {side:,} x {side:,} matrix",
            "choose solver: local, or fewer users.",
        )
        self.w_ = np.zeros((problem.n_users, problem.n_features))
        prior = scaled_prior(precision, float(self.lam))
        self.covariance_ = prior_covariance(prior, problem.n_features)
        return self

    def mean(self, user: int) -> np.ndarray:
        """Return the mean w_i of one user, shape (d,); a view."""
        return self.w_[user]

    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T (P^-1)_ii x for each row x of `features`, shape (K,)."""
        return quadratic_forms(self.marginal(user), features)

    def sample(self, user: int, normal: np.random.Generator, scale: float) -> np.ndarray:
        """Draw from N(w_i, scale (P^-1)_ii), shape (d,)."""
        z = normal.standard_normal(self.w_.shape[1])
        return normal_draw(self.w_[user], inverse_factor(self.marginal(user)), z, float(scale))

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add the observation (x, reward) of one user."""
        if not fits(x, 0.0, float(self.sigma) ** 2, float(self.lam)):
            raise too_long(x)
        learn_densely(self.covariance_, self.w_, user, x, reward, float(self.sigma) ** 2)

    def marginal(self, user: int) -> np.ndarray:
        """Return the user's block (P^-1)_ii, shape (d, d)."""
        d = self.w_.shape[1]
        block = slice(user * d, (user + 1) * d)
        return np.ascontiguousarray(self.covariance_[block, block])
