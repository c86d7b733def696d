"""Variances of the offered items: `OneHop` by Schur complement, `Exact`, `Solves` (GOBLIN++)."""

import numpy as np

from horde.kernels.cg import conjugate_gradients
from horde.kernels.linalg import (
    cholesky,
    dot,
    downdate_inverse,
    inverse_quadratic_forms,
    inverse_spd,
    quadratic_forms,
)
from horde.kernels.schur import calibrate, marginal_factor, neighbour_block
from horde.posteriors.solvers import PCG
from horde.posteriors.system import System

# Relative tolerance of the pushes that find (Lambda^-1)_jj. The error of a block stays within 0.1 %
# by it, as that of the one-hop form itself mostly does.
PRIOR_TOLERANCE = 4e-3
# Norm of the residual of a column of an exact block, relative to that of the right side.
EXACT_TOLERANCE = 1e-8


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
        self._active = False

    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T D_i x for each row x of `features`, shape (K,)."""
        return inverse_quadratic_forms(self.factor(user), features)

    def factor(self, user: int) -> np.ndarray:
        """Return the lower triangular C with C C^T = D_i^-1, shape (d, d)."""
        if not self._active:
            self._activate()
        self._calibrate(user)
        system, slots = self.system, self.system.slots
        blocks = slots.blocks, slots.covariances
        return marginal_factor(
            user, system.slot, *blocks, self._variances, self._factors, system.prior
        )

    def observe(self, user: int, x: np.ndarray) -> None:
        """Add one observation, after the system has."""
        if not self._active:
            return
        row = self.system.slot[user]
        covariance = self.system.slots.covariances[row]
        if covariance[0, 0] == 0.0:
            self._open(row, user)
        else:
            downdate_inverse(covariance, x, self.system.sigma2)

    def prior_changed(self) -> None:
        """Forget all that depends on the prior."""
        if self._active:
            self._activate()

    def restored(self) -> None:
        """Go on from what the system has restored: the G_j; the rest depends on the prior only."""
        if hasattr(self.system.slots, "covariances"):
            self._prepare()

    def _activate(self) -> None:
        self._prepare()
        d = self.system.w.shape[1]
        if not hasattr(self.system.slots, "covariances"):
            self.system.slots.add("covariances", (d, d))
        for row, user in enumerate(self.system.slots.rows("owners")):
            self._open(row, user)

    def _prepare(self) -> None:
        n = len(self.system.w)
        self._active = True
        self._variances, self._factors = np.full(n, np.nan), np.full(n, np.nan)
        kinds = (np.float64, np.float64, np.int32, np.int32, np.bool_, np.bool_)
        self._work = tuple(np.zeros(n, dtype=kind) for kind in kinds)

    def _open(self, row: int, user: int) -> None:
        self._calibrate(user)
        slots = self.system.slots
        slots.covariances[row] = neighbour_block(slots.blocks[row], self._variances[user])

    def _calibrate(self, user: int) -> None:
        if np.isnan(self._factors[user]):
            found = self._variances, self._factors
            calibrate(user, self.system.prior, PRIOR_TOLERANCE, *found, self._work)


class Exact:
    """The marginal blocks D_i of P^-1 by d solves of P V = E_i with PCG, for any prior.

    Parameters
    ----------
    system : System
    solver : PCG
        Of that system.
    """

    def __init__(self, system: System, solver: PCG):
        self.system = system
        self._solver = solver

    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T D_i x for each row x of `features`, shape (K,)."""
        return quadratic_forms(self.block(user), features)

    def factor(self, user: int) -> np.ndarray:
        """Return the lower triangular C with C C^T = D_i^-1, shape (d, d)."""
        return cholesky(inverse_spd(self.block(user)))

    def block(self, user: int) -> np.ndarray:
        """Return D_i, shape (d, d)."""
        d = self.system.w.shape[1]
        block = np.empty((d, d))
        for k in range(d):
            v, r = np.zeros_like(self.system.w), np.zeros_like(self.system.w)
            r[user, k] = 1.0
            self._solver.solve_to(EXACT_TOLERANCE, v, r)
            block[k] = v[user]
        return (block + block.T) / 2.0


class Solves:
    """The variances of GOBLIN++: one cold-started CG solve of P v = phi for each offered item.

    Parameters
    ----------
    system : System
    iterations : int
        Steps of plain CG per solve.
    """

    def __init__(self, system: System, iterations: int):
        self.system = system
        self._iterations = iterations
        self._work = np.empty((4, *system.w.shape))

    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T v_i for each row x of `features`, shape (K,)."""
        v, r, work = self._work[0], self._work[1], self._work[2:]
        variances = np.empty(len(features))
        for k, x in enumerate(features):
            v[:] = 0.0
            r[:] = 0.0
            r[user] = x
            conjugate_gradients(v, r, self._iterations, *self.system.data, self.system.prior, work)
            variances[k] = dot(x, v[user])
        return variances
