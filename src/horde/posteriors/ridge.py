"""Posteriors that ignore the graph: a ridge regression per user, or one for all users."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from horde.checks import require_one_of, require_positive
from horde.kernels import rank_one as kernels
from horde.kernels.linalg import inverse_spd, quadratic_forms, symmetric_times
from horde.kernels.posteriors import RidgeArrays
from horde.posteriors.base import Posterior, Slots, lengthened, too_long
from horde.problem import Problem


class RidgeBlocks(Slots):
    """A growing stack of ridge problems in d unknowns, all of one lambda and sigma.

    Slot 0 is the prior and never observes anything: whoever has no data shares it.

    Attributes
    ----------
    gram, inverse : ndarray of float64, shape (capacity, d, d)
        A/sigma^2 and (lambda I + A/sigma^2)^-1 of each slot.
    rhs, mean : ndarray of float64, shape (capacity, d)
        b/sigma^2 and inverse @ rhs of each slot.
    """

    def __init__(self, n_features: int, lam: float, sigma: float):
        super().__init__()
        self.lam, self.sigma2 = float(lam), float(sigma) * float(sigma)
        for name in ("gram", "inverse"):
            self.add(name, (n_features, n_features))
        for name in ("rhs", "mean"):
            self.add(name, (n_features,))
        self.open()

    def open(self) -> int:
        """Open a slot that holds the prior, and return its number."""
        slot = super().open()
        np.fill_diagonal(self.inverse[slot], 1.0 / self.lam)
        return slot

    def observe(self, slot: int, x: np.ndarray, reward: float) -> None:
        """Add the observation (x, reward) to the problem in `slot`, which is not 0."""
        arrays = self.gram, self.rhs, self.inverse, self.mean
        if not kernels.observe(slot, x, reward, self.lam, self.sigma2, *arrays):
            raise too_long(x)

    def arrays(self, slots: np.ndarray) -> RidgeArrays:
        """Return the problems as compiled rounds take them; `slots` says which is whose."""
        stacks = self.gram, self.rhs, self.inverse, self.mean
        return RidgeArrays(slots, np.array([self.used]), self.lam, self.sigma2, *stacks)

    def recompute(self, slot: int) -> None:
        """Set inverse and mean of `slot` from its sums, after these were changed."""
        precision = self.gram[slot] + self.lam * np.eye(self.gram.shape[1])
        self.inverse[slot] = inverse_spd(precision)
        self.mean[slot] = symmetric_times(self.inverse[slot], self.rhs[slot])


@dataclass(eq=False)
class Ridge(Posterior):
    """The posterior without a graph: P_i = lambda I + A_i/sigma^2 for each user on its own.

    Parameters
    ----------
    lam : float
        Prior precision lambda, positive.
    sigma : float
        Noise of a rating, sigma, positive; in rating units.
    shared : bool
        Whether all users are one and the same problem (the ...-SIN policies).
    """

    LEARNED = ("slots_", "blocks_")

    lam: float = 0.01
    sigma: float = 1.0
    shared: bool = False

    def start(self, problem: Problem) -> Self:
        """Go back to the prior N(0, I/lambda)."""
        require_positive(lam=self.lam, sigma=self.sigma)
        require_one_of((True, False), shared=self.shared)
        self.blocks_ = RidgeBlocks(problem.n_features, self.lam, self.sigma)
        # A user without data points at slot 0, the prior.
        self.slots_ = np.zeros(1 if self.shared else problem.n_users, dtype=np.int32)
        return self

    def slot(self, user: int) -> int:
        """Return the slot of `user` in `blocks_`; 0 while it has no data."""
        return self.slots_[0 if self.shared else user]

    def mean(self, user: int) -> np.ndarray:
        """Return the ridge estimate w_i, shape (d,); a view."""
        return self.blocks_.mean[self.slot(user)]

    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T P_i^-1 x for each row x of `features`, shape (K,)."""
        return quadratic_forms(self.blocks_.inverse[self.slot(user)], features)

    def sample(self, user: int, normal: np.random.Generator, scale: float) -> np.ndarray:
        """Draw from N(w_i, scale P_i^-1), shape (d,)."""
        blocks, slot = self.blocks_, self.slot(user)
        normals = normal.standard_normal(blocks.mean.shape[1])
        return kernels.marginal_sample(
            blocks.gram[slot], blocks.lam, blocks.mean[slot], normals, float(scale)
        )

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add the observation (x, reward) of one user."""
        slot = self.slot(user)
        if slot == 0:
            slot = self.slots_[0 if self.shared else user] = self.blocks_.open()
        self.blocks_.observe(slot, x, reward)

    def join(self, problem: Problem) -> None:
        """Take in new users, who have no data."""
        if not self.shared:
            self.slots_ = lengthened(self.slots_, problem.n_users)

    def arrays(self, users: np.ndarray, blocks: bool = True) -> RidgeArrays:
        """Return what compiled rounds need, with room for the slots of `users`."""
        self.blocks_.reserve(1 if self.shared else len(np.unique(users[self.slots_[users] == 0])))
        return self.blocks_.arrays(self.slots_)

    def played(self, arrays: RidgeArrays) -> None:
        """Take over the number of slots that compiled rounds have opened."""
        self.blocks_.used = int(arrays.used[0])
