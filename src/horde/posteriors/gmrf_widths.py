"""Variances of the offered items: `OneHop` by Schur complement, `Solves` by CG (GOBLIN++)."""

import numpy as np

from horde.kernels.cg import conjugate_gradients
from horde.kernels.schur import calibrate, marginal_factor, neighbour_block
from horde.kernels.small import dot, downdate_inverse, inverse_quadratic_forms
from horde.posteriors.gmrf_system import System

# Relative tolerance of the pushes that find (Lambda^-1)_jj. The error of a block stays within 0.1 %
# by it, as that of the one-hop form itself mostly does.
PRIOR_TOLERANCE = 4e-3


class OneHop:
    """The marginal blocks D_i of P^-1 by the one-hop form (`horde.kernels.schur`).

    What it keeps is made at the first demand; a policy that wants no widths pays nothing.

    Parameters
    ----------
    system : System
        Gets an array ``covariances``, the G_j by slot, at the first demand.
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
        system = self.system
        return marginal_factor(
            user,
            system.slot,
            system["blocks"],
            system["covariances"],
            self._variances,
            self._factors,
            system.prior,
        )

    def observe(self, user: int, x: np.ndarray) -> None:
        """Add one observation, after the system has."""
        if not self._active:
            return
        row = self.system.slot[user]
        if self.system["covariances"][row, 0, 0] == 0.0:
            self._open(row, user)
        else:
            downdate_inverse(self.system["covariances"][row], x, self.system.sigma2)

    def prior_changed(self) -> None:
        """Forget all that depends on the prior."""
        if self._active:
            self._activate()

    def restored(self) -> None:
        """Go on from what the system has restored: the G_j; the rest depends on the prior only."""
        if "covariances" in self.system:
            self._prepare()

    def _activate(self) -> None:
        self._prepare()
        d = self.system.w.shape[1]
        self.system.add_array("covariances", (d, d))
        for row, user in enumerate(self.system.used("owners")):
            self._open(row, user)

    def _prepare(self) -> None:
        n = len(self.system.w)
        self._active = True
        self._variances, self._factors = np.full(n, np.nan), np.full(n, np.nan)
        self._work = (
            np.zeros(n),
            np.zeros(n),
            np.zeros(n, dtype=np.int32),
            np.zeros(n, dtype=np.int32),
            np.zeros(n, dtype=np.bool_),
            np.zeros(n, dtype=np.bool_),
        )

    def _open(self, row: int, user: int) -> None:
        self._calibrate(user)
        block = self.system["blocks"][row]
        self.system["covariances"][row] = neighbour_block(block, self._variances[user])

    def _calibrate(self, user: int) -> None:
        if np.isnan(self._factors[user]):
            calibrate(
                user,
                self.system.prior,
                PRIOR_TOLERANCE,
                self._variances,
                self._factors,
                self._work,
            )


class Solves:
    """The variances of GOBLIN++: one cold-started CG solve of P v = phi for each offered item.

    Parameters
    ----------
    system : System
    iterations : int
        Steps of plain CG a solve.
    """

    def __init__(self, system: System, iterations: int):
        self.system = system
        self._iterations = iterations
        self._work = np.empty((4, *system.w.shape))

    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T v_i for each row x of `features`, shape (K,)."""
        system = self.system
        v, r, work = self._work[0], self._work[1], self._work[2:]
        owners = system.used("owners")
        variances = np.empty(len(features))
        for k, x in enumerate(features):
            v[:] = 0.0
            r[:] = 0.0
            r[user] = x
            conjugate_gradients(
                v, r, self._iterations, owners, system["blocks"], system.prior, work
            )
            variances[k] = dot(x, v[user])
        return variances
