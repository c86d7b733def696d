"""The linear system P w = b/sigma^2 of a Gaussian Markov random field, as plain arrays."""

import math

import numpy as np

from horde.errors import ConfigError
from horde.graph.precision import Precision
from horde.kernels.precision import residual
from horde.posteriors.base import Slots
from horde.problem import Problem
from horde.state import Stateful

Prior = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def scaled_prior(precision: Precision, lam: float) -> Prior:
    """Return Lambda = lambda L as the tuple that the kernels read (`horde.kernels.precision`)."""
    return (
        lam * precision.diagonal,
        precision.indptr,
        precision.indices,
        lam * precision.weights,
    )


def known_precision(problem: Problem) -> Precision:
    """Return the problem's prior precision.

    Raises
    ------
    ConfigError
        If the problem has none, or one of another size.
    """
    precision = problem.precision
    if precision is None:
        raise ConfigError(
            "This policy needs a graph of the users and the problem has none: "
            "choose a policy without a graph, or give the dataset's edges."
        )
    if precision.n_users != problem.n_users:
        raise ConfigError(
            f"The graph has {precision.n_users} users and the problem {problem.n_users}: "
            "build both from the same dataset."
        )
    return precision


class System(Stateful):
    """P = blockdiag(A_i)/sigma^2 + Lambda kron I_d, its right side, the mean and its residual.

    Only users who have been observed own a *slot*, a row in the arrays of `slots`.

    Parameters
    ----------
    problem : Problem
        With a prior precision.
    lam : float
        lambda, positive.
    sigma : float
        sigma, positive.

    Attributes
    ----------
    prior : tuple
        Lambda, see `horde.kernels.precision`.
    w, r : ndarray of float64, shape (n, d)
        Mean, and the residual b/sigma^2 - P w.
    slot : ndarray of int32, shape (n,)
        Slot of each user, -1 where not observed.
    slots : Slots
        By slot: ``owners``, the users; ``blocks`` (d, d) and ``rhs`` (d,), their A_i/sigma^2 and
        b_i/sigma^2; and what solver, widths and sampler add.
    squares : float
        |b|^2 / sigma^4.
    """

    LEARNED = ("slots", "w", "r", "squares")

    def __init__(self, problem: Problem, lam: float, sigma: float):
        n, d = problem.n_users, problem.n_features
        self.lam, self.sigma2 = lam, sigma * sigma
        self.prior = scaled_prior(known_precision(problem), lam)
        self.w, self.r = np.zeros((n, d)), np.zeros((n, d))
        self.slot = np.full(n, -1, dtype=np.int32)
        self.squares = 0.0
        self.slots = Slots()
        self.slots.add("owners", (), np.int32)
        self.slots.add("blocks", (d, d))
        self.slots.add("rhs", (d,))

    @property
    def rhs_norm(self) -> float:
        """|b| / sigma^2."""
        return math.sqrt(self.squares)

    @property
    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """The observed users and their blocks A_i/sigma^2, by slot, as the kernels read them."""
        return self.slots.rows("owners"), self.slots.blocks

    def claim(self, user: int) -> tuple[int, bool]:
        """Return the user's slot, and whether it was opened just now."""
        row = self.slot[user]
        if row >= 0:
            return row, False
        row = self.slot[user] = self.slots.open()
        self.slots.owners[row] = user
        return row, True

    def reset_prior(self, precision: Precision) -> None:
        """Take another prior precision and compute the residual afresh from mean and data."""
        self.prior = scaled_prior(precision, self.lam)
        residual(self.w, self.r, *self.data, self.slots.rhs, self.prior)

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""
        super().restore(state)
        self.slot[:] = -1
        self.slot[self.slots.owners] = np.arange(self.slots.used, dtype=np.int32)
