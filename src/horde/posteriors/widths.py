"""Marginal blocks D_i by Schur complement or exactly, and the variances of GOBLIN++."""

import numpy as np

from horde.kernels.cg import conjugate_gradients
from horde.kernels.linalg import dot
from horde.kernels.schur import calibrate, marginal_factor, observe
from horde.posteriors.solvers import CG
from horde.posteriors.system import LIKE_LAPLACIAN, System, is_quick

# Where Lambda_ii (Lambda^-1)_ii is at most this, as for every L_G + I, a width is within 15 %.
BOUNDED = 4.0 / 3.0


class OneHop:
    """The marginal blocks D_i of P^-1 by the one-hop form (`horde.kernels.schur`).

    What it keeps is made at the first demand; a policy that wants no widths pays nothing.

    Parameters
    ----------
    system : System
        Gets an array ``covariances`` by slot, the G_j, at the first demand.
    """

    def __init__(self, system: System):
        self.system = system
        self._calibration = None
        self._quick: bool | None = None

    def is_bounded(self, user: int) -> bool:
        """Return whether a width of this user is off by 15 % at most.

        The two sides of the form differ by no more than a factor Lambda_ii (Lambda^-1)_ii. It is
        not looked for where local pushes, which find it, would take long.
        """
        if self.system.jacobi_norm <= LIKE_LAPLACIAN:
            return True
        if self._quick is None:
            self._quick = is_quick(self.system.prior)
        if not self._quick:
            return False
        prior, (_, calibration) = self.system.prior, self.arrays(True)
        calibrate(user, prior, calibration)
        return bool(prior[0][user] * calibration[0][user] <= BOUNDED)

    def factor(self, user: int) -> np.ndarray:
        """Return the lower triangular C with C C^T = D_i^-1, shape (d, d)."""
        system, (covariances, calibration) = self.system, self.arrays(True)
        blocks = system.slots.blocks
        return marginal_factor(user, system.slot, blocks, covariances, system.prior, calibration)

    def arrays(self, demanded: bool) -> tuple[np.ndarray, tuple]:
        """Return the G_j, and ``calibration`` of `horde.kernels.schur`; empty before any demand."""
        if self._calibration is None:
            if not demanded:
                return np.empty((0, 0, 0)), _work_space(0)
            self._activate()
        return self.system.slots.covariances, self._calibration

    def observe(self, user: int, x: np.ndarray) -> None:
        """Add one observation, after the system has."""
        if self._calibration is not None:
            system, slots = self.system, self.system.slots
            arrays = slots.blocks, slots.covariances, system.prior, self._calibration
            observe(system.slot[user], user, x, system.sigma2, *arrays)

    def prior_changed(self) -> None:
        """Forget all that depends on the prior."""
        self._quick = None
        if self._calibration is not None:
            self._activate()

    def restored(self) -> None:
        """Go on from what the system has restored: the G_j; the rest depends on the prior only."""
        known = hasattr(self.system.slots, "covariances")
        self._calibration = _work_space(len(self.system.w)) if known else None

    def _activate(self) -> None:
        n, d = self.system.w.shape
        self._calibration = _work_space(n)
        if not hasattr(self.system.slots, "covariances"):
            self.system.slots.add("covariances", (d, d))
        # The kernels compute a G_j that is zero when it is asked for.
        self.system.slots.covariances[:] = 0.0


def _work_space(n: int) -> tuple:
    """Return ``calibration`` of `horde.kernels.schur` for n users, with nothing filled in."""
    kinds = (np.float64, np.float64, np.int32, np.int32, np.bool_, np.bool_)
    work = tuple(np.zeros(n, dtype=kind) for kind in kinds)
    return np.full(n, np.nan), np.full(n, np.nan), work


def exact_block(user: int, solver: CG) -> np.ndarray:
    """Return D_i = (P^-1)_ii, shape (d, d), for any prior; ConfigError by plain CG."""
    block = solver.columns(user)[:, user]
    return (block + block.T) / 2.0


def solved_variances(
    user: int, features: np.ndarray, system: System, iterations: int, work: np.ndarray
) -> np.ndarray:
    """Return the variances of GOBLIN++, x^T v_i for each row x of `features`, shape (K,).

    Each takes one cold-started solve of P v = phi by `iterations` steps of plain CG; `work` is
    space for them, shape (4, n, d).
    """
    v, r, rest = work[0], work[1], work[2:]
    variances = np.empty(len(features))
    for k, x in enumerate(features):
        v[:] = 0.0
        r[:] = 0.0
        r[user] = x
        conjugate_gradients(v, r, iterations, *system.data, system.prior, rest)
        variances[k] = dot(x, v[user])
    return variances
