"""The linear system P w = b/sigma^2 of a Gaussian Markov random field, as plain arrays."""

import math

import numpy as np

from horde.errors import ConfigError
from horde.files import nest, unnest
from horde.graph.precision import Precision
from horde.kernels.precision import residual
from horde.problem import Problem

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


class System:
    """P = blockdiag(A_i)/sigma^2 + Lambda kron I_d, its right side, the mean and its residual.

    Only users who have been observed own a *slot*, a row in the arrays that hold a d x d block a
    user; those arrays double when full.

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
    n_slots : int
        Number of observed users.
    squares : float
        |b|^2 / sigma^4.
    """

    def __init__(self, problem: Problem, lam: float, sigma: float):
        n, d = problem.n_users, problem.n_features
        self.lam, self.sigma2 = lam, sigma * sigma
        self.prior = scaled_prior(known_precision(problem), lam)
        self.w, self.r = np.zeros((n, d)), np.zeros((n, d))
        self.slot = np.full(n, -1, dtype=np.int32)
        self.n_slots = 0
        self.squares = 0.0
        self._by_slot: dict[str, np.ndarray] = {}
        self.add_array("owners", (), np.int32)
        self.add_array("blocks", (d, d))
        self.add_array("rhs", (d,))

    @property
    def rhs_norm(self) -> float:
        """|b| / sigma^2."""
        return math.sqrt(self.squares)

    def add_array(self, name: str, shape: tuple[int, ...], dtype: type = np.float64) -> None:
        """Add an array with one row of `shape` a slot, zero at first."""
        capacity = len(self._by_slot["owners"]) if self._by_slot else 16
        self._by_slot[name] = np.zeros((capacity, *shape), dtype)

    def __contains__(self, name: str) -> bool:
        """Whether there is an array of this name."""
        return name in self._by_slot

    def __getitem__(self, name: str) -> np.ndarray:
        """Return an array by slot, spare rows included; do not keep it beyond the next `claim`."""
        return self._by_slot[name]

    def used(self, name: str) -> np.ndarray:
        """Return the rows of an array that belong to a slot."""
        return self._by_slot[name][: self.n_slots]

    def claim(self, user: int) -> tuple[int, bool]:
        """Return the user's slot, and whether it was opened just now."""
        row = self.slot[user]
        if row >= 0:
            return row, False
        row = self.n_slots
        if row == len(self._by_slot["owners"]):
            self._grow()
        self._by_slot["owners"][row] = user
        self.slot[user] = row
        self.n_slots += 1
        return row, True

    def _grow(self) -> None:
        for name, array in self._by_slot.items():
            larger = np.zeros((max(2 * len(array), 16), *array.shape[1:]), array.dtype)
            larger[: len(array)] = array
            self._by_slot[name] = larger

    def reset_prior(self, precision: Precision) -> None:
        """Take another prior precision and compute the residual afresh from mean and data."""
        self.prior = scaled_prior(precision, self.lam)
        residual(self.w, self.r, self.used("owners"), self["blocks"], self["rhs"], self.prior)

    def state(self) -> dict[str, np.ndarray]:
        """Return everything learned."""
        arrays = {name: self.used(name).copy() for name in self._by_slot}
        return nest("slots", arrays) | {
            "w": self.w.copy(),
            "r": self.r.copy(),
            "squares": np.array(self.squares),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""
        self._by_slot = {name: array.copy() for name, array in unnest("slots", state).items()}
        owners = self._by_slot["owners"]
        self.n_slots = len(owners)
        self.slot[:] = -1
        self.slot[owners] = np.arange(len(owners), dtype=np.int32)
        self.w[:], self.r[:] = state["w"], state["r"]
        self.squares = float(state["squares"])
