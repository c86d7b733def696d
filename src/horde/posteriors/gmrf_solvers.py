"""The ways to keep the mean: `Plain` (the paper's CG), `Preconditioned` (PCG) and `Local` (push).

Each keeps what it needs beside the `System`; `Solver` states what they have in common.
"""

from abc import ABC, abstractmethod

import numpy as np

from horde.kernels.cg import conjugate_gradients
from horde.kernels.pcg import preconditioned_gradients
from horde.kernels.precision import learn
from horde.kernels.push import learn_locally, push_all, refine
from horde.kernels.small import downdate_inverse, inverse_spd
from horde.posteriors.gmrf_system import System

# Before a choice, users around are pushed where that moves the user's mean by more than FINE times
# the tolerance, relative to its own norm, which counts as FLOOR times the typical one at least.
FINE = 0.02
FLOOR = 0.005
# ... and no further after so many pushes.
MOST_PUSHES = 64
# Tolerance of PCG where it only serves to draw samples.
SAMPLE_TOLERANCE = 1e-6


class Solver(ABC):
    """Keeps the mean of a `System` up to date.

    Parameters
    ----------
    system : System
        Without observations.

    Attributes
    ----------
    iterations : int
        Number of iterations since the start; 0 where there are none.
    """

    def __init__(self, system: System):
        self.system = system
        self.iterations = 0

    @property
    @abstractmethod
    def touched(self) -> int:
        """How often a user's mean was moved since the start."""

    @abstractmethod
    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add one observation."""

    @abstractmethod
    def refresh(self, user: int) -> None:
        """Make the mean of one user ready to choose with."""

    @abstractmethod
    def correct(self, noise: np.ndarray) -> np.ndarray:
        """Return the solution z of P z = residual + `noise`, shape (n, d); the mean stays."""

    @abstractmethod
    def prior_changed(self) -> None:
        """Take note of the system's new prior and residual."""

    @abstractmethod
    def state(self) -> dict[str, np.ndarray]:
        """Return what is kept beside the system."""

    @abstractmethod
    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned, after the system has."""


class Plain(Solver):
    """The paper's solver: a number of steps of plain CG, from the last round's mean.

    The steps are made when a mean is asked for after an observation. The residual is kept, as one
    observation changes it at one user only.

    Parameters
    ----------
    system : System
    iterations : int
        Number of steps.
    """

    def __init__(self, system: System, iterations: int):
        super().__init__(system)
        self._steps = iterations
        self._stale = False
        self._solves = 0
        self._work = np.empty((2, *system.w.shape))

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add one observation."""
        system = self.system
        row, _ = system.claim(user)
        system.squares += learn(
            user, row, x, reward, system.sigma2, system["blocks"], system["rhs"], system.w, system.r
        )
        self._stale = True

    def refresh(self, user: int) -> None:
        """Make the steps, if anything was observed since the last ones."""
        if self._stale:
            self.solve(self.system.w, self.system.r)
            self._stale = False
            self._solves += 1

    @property
    def touched(self) -> int:
        """Number of users, times that of solves since the start."""
        return self._solves * len(self.system.w)

    def correct(self, noise: np.ndarray) -> np.ndarray:
        """Return z after the steps of CG on P z = residual + `noise` from zero."""
        solution = np.zeros_like(noise)
        self.solve(solution, self.system.r + noise)
        return solution

    def solve(self, w: np.ndarray, r: np.ndarray) -> None:
        """Move the iterate `w` with residual `r` towards the solution, in place."""
        system = self.system
        conjugate_gradients(
            w, r, self._steps, system.used("owners"), system["blocks"], system.prior, self._work
        )
        self.iterations += self._steps

    def prior_changed(self) -> None:
        """Solve again at the next chance."""
        self._stale = True

    def state(self) -> dict[str, np.ndarray]:
        """Return whether observations wait for the next steps."""
        return {"stale": np.array(self._stale)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""
        self._stale = bool(state["stale"])


class Inverses:
    """M_i^-1 = (A_i/sigma^2 + Lambda_ii I)^-1 of the observed users, and PCG with them.

    Parameters
    ----------
    system : System
        Gets an array ``inverses`` by slot.
    """

    def __init__(self, system: System):
        self.system = system
        self._work = None
        d = system.w.shape[1]
        system.add_array("inverses", (d, d))

    def open(self, user: int) -> int:
        """Return the user's slot, with M_i^-1 at its prior if it was opened just now."""
        row, is_new = self.system.claim(user)
        if is_new:
            np.fill_diagonal(self.system["inverses"][row], 1.0 / self.system.prior[0][user])
        return row

    def solve(self, w: np.ndarray, r: np.ndarray, bar: float) -> int:
        """Run PCG from iterate `w` with residual `r`, in place, until |r| <= bar; count steps."""
        system = self.system
        if self._work is None:
            self._work = np.empty((4, *w.shape))
        return preconditioned_gradients(
            w, r, bar, system.slot, system["inverses"], system.prior, self._work
        )

    def correct(self, noise: np.ndarray, tolerance: float) -> tuple[np.ndarray, int]:
        """Return z with |residual + noise - P z| <= tolerance |residual + noise|, and the steps."""
        solution, r = np.zeros_like(noise), self.system.r + noise
        return solution, self.solve(solution, r, tolerance * norm(r))

    def prior_changed(self) -> None:
        """Compute every M_i^-1 from A_i and the new Lambda_ii."""
        system = self.system
        eye = np.eye(system.w.shape[1])
        for row, user in enumerate(system.used("owners")):
            matrix = system["blocks"][row] + system.prior[0][user] * eye
            system["inverses"][row] = inverse_spd(matrix)


class Preconditioned(Plain):
    """Block-Jacobi PCG from the last mean until |residual| <= tolerance * |b| / sigma^2.

    Parameters
    ----------
    system : System
    tolerance : float
        Relative, in (0, 1).
    """

    def __init__(self, system: System, tolerance: float):
        super().__init__(system, iterations=0)
        self._tolerance = tolerance
        self._inverses = Inverses(system)

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add one observation."""
        row = self._inverses.open(user)
        super().observe(user, x, reward)
        downdate_inverse(self.system["inverses"][row], x, self.system.sigma2)

    def correct(self, noise: np.ndarray) -> np.ndarray:
        """Return z with |residual + noise - P z| <= tolerance * |residual + noise|."""
        solution, steps = self._inverses.correct(noise, self._tolerance)
        self.iterations += steps
        return solution

    def solve(self, w: np.ndarray, r: np.ndarray) -> None:
        """Move the iterate `w` with residual `r` to the tolerance, in place."""
        bar = self._tolerance * self.system.rhs_norm
        self.iterations += self._inverses.solve(w, r, bar)

    def prior_changed(self) -> None:
        """Solve again at the next chance, with new inverses."""
        super().prior_changed()
        self._inverses.prior_changed()


class Local(Solver):
    """Local repair by pushes (`horde.kernels.push`), to a tolerance relative to the typical |w_j|.

    With theta = tolerance * rms over the observed users, at its largest so far, every correction
    |M_i^-1 R_i| is at most theta. For L = L_G + I therefore
    |w_i - exact w_i| <= 2 theta sqrt(deg_i / deg_min), where deg_min is the smallest degree in the
    user's component (and <= theta without neighbours).

    Parameters
    ----------
    system : System
    tolerance : float
        Relative, in (0, 1).
    """

    def __init__(self, system: System, tolerance: float):
        super().__init__(system)
        n = len(system.w)
        self._tolerance = tolerance
        self._inverses = Inverses(system)
        self._bound, self._totals = np.zeros(n), np.zeros(3)
        self._queue, self._queued = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.bool_)

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add one observation, and push from its user on."""
        row, system = self._inverses.open(user), self.system
        system.squares += learn_locally(
            user,
            row,
            x,
            reward,
            system.sigma2,
            system["blocks"],
            system["rhs"],
            *self._arrays(),
            self._tolerance,
        )

    def refresh(self, user: int) -> None:
        """Push users up to two hops around where that matters, then the user."""
        refine(user, *self._arrays(), self._tolerance, FINE * self._tolerance, FLOOR, MOST_PUSHES)

    def correct(self, noise: np.ndarray) -> np.ndarray:
        """Return z by PCG: noise is everywhere, so that nothing is local."""
        solution, steps = self._inverses.correct(noise, SAMPLE_TOLERANCE)
        self.iterations += steps
        return solution

    @property
    def touched(self) -> int:
        """Number of pushes since the start."""
        return int(self._totals[2])

    def prior_changed(self) -> None:
        """Compute new inverses and push everybody whose correction is too large."""
        self._inverses.prior_changed()
        push_all(*self._arrays(), self._tolerance)

    def state(self) -> dict[str, np.ndarray]:
        """Return the bounds on the corrections and the totals."""
        return {"bound": self._bound.copy(), "totals": self._totals.copy()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""
        self._bound[:], self._totals[:] = state["bound"], state["totals"]

    def _arrays(self) -> tuple[tuple, tuple]:
        system = self.system
        state = (system.w, system.r, self._bound, self._totals)
        return state, (
            system.slot,
            system["inverses"],
            system.prior,
            self._queue,
            self._queued,
        )


def norm(array: np.ndarray) -> float:
    """Return the Euclidean norm of (n, d) numbers, without BLAS."""
    return float(np.sqrt(np.square(array).sum()))
