"""The ways to keep the mean: `CG` (the paper's), `PCG` and `LocalPush`."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

import numpy as np

from horde.errors import ConfigError
from horde.kernels.cg import conjugate_gradients, preconditioned_gradients
from horde.kernels.linalg import downdate_inverse, inverse_spd
from horde.kernels.precision import learn
from horde.kernels.push import forget, learn_locally, push_some, refine
from horde.posteriors.base import lengthened
from horde.posteriors.system import System
from horde.state import Stateful

# For L = L_G + I about 11 are enough, whatever the data.
MOST_ITERATIONS = 10_000
# Tolerance of PCG where it only serves to draw samples.
SAMPLE_TOLERANCE = 1e-6
# Norm of the residual of a column of P^-1, relative to that of the right side.
COLUMN_TOLERANCE = 1e-8


class CG(Stateful):
    """The paper's solver: a number of steps of plain CG, from the last round's mean.

    The steps are made when a mean is asked for after an observation. The residual is kept, as one
    observation changes it at one user only.

    Parameters
    ----------
    system : System
        Without observations.
    steps : int
        Number of steps.
    """

    LEARNED = ("stale",)

    def __init__(self, system: System, steps: int):
        self.system = system
        self.stale = False
        self._steps = steps
        self._solves = 0

    @property
    def touched(self) -> int:
        """How often a user's mean was moved since the start."""
        return self._solves * len(self.system.w)

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add one observation."""
        row, system = self.system.claim(user), self.system
        arrays = system.slots.blocks, system.slots.rhs, system.w, system.r
        system.squares += learn(user, row, x, reward, system.sigma2, *arrays)
        self.stale = True

    def refresh(self, user: int) -> None:
        """Make the mean of one user ready to choose with: solve if anything was observed."""
        if self.stale:
            self.solve(self.system.w, self.system.r)
            self.stale = False
            self._solves += 1

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Undo, at the end of a `with` block, what `refresh` did in it."""
        system, solves, stale = self.system, self._solves, self.stale
        kept = (system.w.copy(), system.r.copy()) if stale else ()
        try:
            yield
        finally:
            for array, before in zip((system.w, system.r), kept, strict=False):
                array[:] = before
            self._solves, self.stale = solves, stale

    def solve(self, w: np.ndarray, r: np.ndarray) -> None:
        """Move the iterate `w` with residual `r` towards the solution, in place."""
        conjugate_gradients(w, r, self._steps, *self.system.data, self.system.prior, self._work)

    def correct(self, noise: np.ndarray) -> np.ndarray:
        """Return the solution z of P z = residual + `noise`, shape (n, d); the mean stays."""
        solution = np.zeros_like(noise)
        self.solve(solution, self.system.r + noise)
        return solution

    def columns(self, user: int) -> np.ndarray:
        """Refuse: so few steps give no columns of P^-1."""
        raise ConfigError(
            "widths: exact ones are needed here, which solver 'cg' does not give: set solver to "
            "'local', 'pcg' or 'dense', or widths to 'cg'."
        )

    def prior_changed(self, users: np.ndarray) -> None:
        """Take note of new users, and of new rows of the prior for `users`, the new ones too."""
        self.__dict__.pop("_work", None)
        self.stale = True

    @cached_property
    def _work(self) -> np.ndarray:
        return np.empty((2, *self.system.w.shape))


class PCG(CG):
    """Block-Jacobi PCG from the last mean until |residual| <= tolerance * |b| / sigma^2.

    Parameters
    ----------
    system : System
        Gets an array ``inverses`` by slot, M_i^-1 = (A_i/sigma^2 + Lambda_ii I)^-1.
    tolerance : float
        Relative, in (0, 1).
    """

    def __init__(self, system: System, tolerance: float):
        super().__init__(system, steps=0)
        self.tolerance = self.sample_tolerance = tolerance
        d = system.w.shape[1]
        system.slots.add("inverses", (d, d))

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add one observation."""
        row = self.open(user)
        super().observe(user, x, reward)
        downdate_inverse(self.system.slots.inverses[row], x, self.system.sigma2)

    def open(self, user: int) -> int:
        """Return the user's slot, with M_i^-1 at its prior if it was opened just now."""
        is_new = self.system.slot[user] < 0
        row = self.system.claim(user)
        if is_new:
            np.fill_diagonal(self.system.slots.inverses[row], 1.0 / self.system.prior[0][user])
        return row

    def solve(self, w: np.ndarray, r: np.ndarray) -> None:
        """Move the iterate `w` with residual `r` to the tolerance, in place."""
        self.solve_to(self.tolerance * self.system.rhs_norm, w, r)

    def solve_to(self, bar: float, w: np.ndarray, r: np.ndarray) -> None:
        """Move the iterate `w` with residual `r` in place until |r| <= bar."""
        system = self.system
        arrays = system.slot, system.slots.inverses, system.prior, self._work
        if preconditioned_gradients(w, r, bar, MOST_ITERATIONS, *arrays) < 0:
            raise ConfigError(
                f"The solver did not converge in {MOST_ITERATIONS} iterations: give a larger "
                "tolerance, or a prior precision that is nearer to diagonal."
            )

    def correct(self, noise: np.ndarray) -> np.ndarray:
        """Return z with |residual + noise - P z| <= tolerance * |residual + noise|."""
        solution, r = np.zeros_like(noise), self.system.r + noise
        # Without BLAS, as all that decides a pick.
        norm = float(np.sqrt(np.square(r).sum()))
        self.solve_to(self.sample_tolerance * norm, solution, r)
        return solution

    def columns(self, user: int) -> np.ndarray:
        """Return the columns of P^-1 that belong to one user, shape (d, n, d), by d solves."""
        n, d = self.system.w.shape
        columns = np.zeros((d, n, d))
        for k in range(d):
            r = np.zeros((n, d))
            r[user, k] = 1.0
            self.solve_to(COLUMN_TOLERANCE, columns[k], r)
        return columns

    def prior_changed(self, users: np.ndarray) -> None:
        """Take note of new users, and compute M_i^-1 afresh for the observed ones of `users`."""
        super().prior_changed(users)
        system, slots = self.system, self.system.slots
        eye = np.eye(system.w.shape[1])
        for user in users[system.slot[users] >= 0]:
            row = system.slot[user]
            slots.inverses[row] = inverse_spd(slots.blocks[row] + system.prior[0][user] * eye)

    @cached_property
    def _work(self) -> np.ndarray:
        return np.empty((4, *self.system.w.shape))


class LocalPush(PCG):
    """Local repair by pushes (`horde.kernels.push`), to a tolerance relative to the typical |w_j|.

    With theta = tolerance * rms over the observed users, at its largest so far, every correction
    |M_i^-1 R_i| is at most theta. For L = L_G + I therefore
    |w_i - exact w_i| <= 2 theta sqrt(deg_i / deg_min), where deg_min is the smallest degree in the
    user's component (and <= theta without neighbours). PCG solves for samples only: noise is
    everywhere, so that nothing is local.

    Parameters
    ----------
    system : System
    tolerance : float
        Relative, in (0, 1).
    """

    LEARNED = ("bound", "totals")

    def __init__(self, system: System, tolerance: float):
        super().__init__(system, tolerance)
        self.sample_tolerance = SAMPLE_TOLERANCE
        n = len(system.w)
        self.bound, self.totals = np.zeros(n), np.zeros(3)
        self._queue, self._queued = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.bool_)
        # The journal while there is something to undo, and the arrays that it is made of.
        self._journal = self._paper = None

    @property
    def touched(self) -> int:
        """Number of pushes since the start."""
        return int(self.totals[2])

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add one observation, and push from its user on."""
        row, system = self.open(user), self.system
        data = system.slots.blocks, system.slots.rhs
        system.squares += learn_locally(
            user, row, x, reward, system.sigma2, *data, *self.arrays(), self.tolerance
        )

    def refresh(self, user: int) -> None:
        """Push users up to two hops around where that matters, then the user."""
        refine(user, *self.arrays(), self.tolerance, self._journal)

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Undo, at the end of a `with` block, what `refresh` did in it, in as much time."""
        n, d = self.system.w.shape
        if self._paper is None:
            # Memory is taken only by the rows that are written.
            kept = np.empty((n, 2 * d + 1))
            self._paper = np.full(n, -1, np.int32), np.empty(n, np.int32), kept, np.zeros(1, int)
        totals, self._journal = self.totals.copy(), self._paper
        try:
            yield
        finally:
            forget(self.arrays()[0], self._journal)
            self.totals[:], self._journal = totals, None

    def prior_changed(self, users: np.ndarray) -> None:
        """Make room for new users, and push those of `users` whose correction is too large."""
        super().prior_changed(users)
        n = len(self.system.w)
        self.bound, self._paper = lengthened(self.bound, n), None
        self._queue, self._queued = lengthened(self._queue, n), lengthened(self._queued, n)
        push_some(users, *self.arrays(), self.tolerance)

    def arrays(self) -> tuple[tuple, tuple]:
        """Return ``state`` and ``local`` of `horde.kernels.push`."""
        system = self.system
        local = system.slot, system.slots.inverses, system.prior, self._queue, self._queued
        return (system.w, system.r, self.bound, self.totals), local
