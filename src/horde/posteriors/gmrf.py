"""The posterior of the Gaussian Markov random field (Sections 3.2, 3.3), at any number of users."""

import math
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Self

import numpy as np

from horde.checks import require_one_of, require_positive, require_whole
from horde.graph.precision import Precision
from horde.kernels.linalg import (
    inverse_factor,
    inverse_quadratic_forms,
    normal_draw,
    quadratic_forms,
)
from horde.kernels.posteriors import FieldArrays
from horde.posteriors.base import Posterior
from horde.posteriors.dense import Dense
from horde.posteriors.samplers import Perturbation
from horde.posteriors.solvers import CG, PCG, LocalPush
from horde.posteriors.system import System, known_precision, require_quick, scaled_prior
from horde.posteriors.widths import OneHop, exact_block, solved_variances
from horde.problem import Problem

# Default tolerances, each relative to what its solver says.
TOLERANCES = {"pcg": 1e-6, "local": 1e-3}


def gmrf(
    lam: float = 0.01,
    sigma: float = 1.0,
    solver: str = "local",
    iterations: int = 5,
    tolerance: float | None = None,
    widths: str = "schur",
    sampler: str = "marginal",
) -> Posterior:
    """Make the posterior N(w, P^-1), P = blockdiag(A_i)/sigma^2 + lambda L kron I_d.

    Only lambda sigma^2 matters to the mean; sigma scales the widths.

    Parameters
    ----------
    lam : float
        Strength lambda of the prior, positive.
    sigma : float
        Noise of a rating, sigma, positive; in rating units.
    solver : {"local", "pcg", "cg", "dense"}
        How the mean is kept: by local pushes (`horde.kernels.push`); by block-Jacobi
        preconditioned CG; by plain warm-started CG, as in the paper; or with GOBLIN's dense
        (dn) x (dn) inverse, which also gives the widths and samples exactly.
    iterations : int
        Steps of plain CG, at least 1: per round with ``solver="cg"``, per solve with
        ``widths="cg"``.
    tolerance : float or None
        Relative tolerance of ``pcg`` (of the residual) or ``local`` (of a user's correction);
        None takes the solver's default, `TOLERANCES`.
    widths : {"schur", "one-hop", "exact", "cg"}
        Variances, and the blocks that ``sampler="marginal"`` draws from. ``schur`` approximates
        them by a Schur complement one hop around the user (`horde.kernels.schur`), where a width
        is then off by 15 % at most (`horde.posteriors.widths.OneHop.is_bounded`): for every user
        where the prior is L = L_G + I. It was off by 1.2 % at most in all cases tried with L, by
        1.8 % with others. For every other user, and by ``exact``, d solves by PCG give the block.
        ``one-hop`` is ``schur`` for every user, without that bound on the error.
        ``cg`` is one CG solve per item, as in GOBLIN++; samples are then those of ``schur``.
    sampler : {"marginal", "perturbation"}
        Samples of the served user's marginal, or by perturbation of the whole system
        (Section 4.2).

    Returns
    -------
    Posterior
        `Dense` or `GMRF`; its `start` refuses hyper-parameters out of range.
    """
    if solver == "dense":
        return Dense(lam, sigma)
    return GMRF(lam, sigma, solver, iterations, tolerance, widths, sampler)


@dataclass(eq=False)
class GMRF(Posterior):
    """P = blockdiag(A_i)/sigma^2 + lambda L kron I_d, without ever forming a matrix of that size.

    Parameters
    ----------
    lam, sigma, solver, iterations, tolerance, widths, sampler
        As `gmrf` describes them; `solver` is not "dense".
    """

    LEARNED = ("system_", "solver_")

    lam: float
    sigma: float
    solver: str
    iterations: int
    tolerance: float | None
    widths: str
    sampler: str

    def start(self, problem: Problem) -> Self:
        """Go back to the prior N(0, (lambda L kron I)^-1); refuse hyper-parameters out of range."""
        require_positive(lam=self.lam, sigma=self.sigma)
        require_whole(iterations=self.iterations)
        require_one_of(("cg", "pcg", "local"), solver=self.solver)
        require_one_of(("schur", "one-hop", "exact", "cg"), widths=self.widths)
        require_one_of(("marginal", "perturbation"), sampler=self.sampler)
        if self.tolerance is not None:
            require_positive(tolerance=self.tolerance)
        self.system_ = System(problem, float(self.lam), float(self.sigma))
        if self._pushes:
            require_quick(self.system_.prior)
        if self.solver == "cg":
            self.solver_ = CG(self.system_, self.iterations)
        else:
            tolerance = float(self.tolerance or TOLERANCES[self.solver])
            self.solver_ = {"pcg": PCG, "local": LocalPush}[self.solver](self.system_, tolerance)
        self.one_hop_ = OneHop(self.system_)
        self._make_work_space()
        if self.sampler == "perturbation":
            self.perturbation_ = Perturbation(self.system_)
        return self

    @property
    def touched(self) -> int:
        """How often a user's mean was moved since the start."""
        return self.solver_.touched

    def unchanged(self) -> AbstractContextManager[None]:
        """Undo, at the end of a `with` block, the steps that the solver made in it."""
        return self.solver_.unchanged()

    def mean(self, user: int) -> np.ndarray:
        """Return the mean w_i of one user, shape (d,); a view, valid until the next call."""
        self.solver_.refresh(user)
        return self.system_.w[user]

    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T (P^-1)_ii x for each row x of `features`, shape (K,)."""
        if self.widths == "cg":
            return solved_variances(user, features, self.system_, self.iterations, self.work_)
        if self.is_one_hop(user):
            return inverse_quadratic_forms(self.one_hop_.factor(user), features)
        return quadratic_forms(exact_block(user, self.solver_), features)

    def is_one_hop(self, user: int) -> bool:
        """Return whether the user's block D_i is the one-hop form, not the exact one."""
        if self.widths in ("one-hop", "exact"):
            return self.widths == "one-hop"
        return self.one_hop_.is_bounded(user)

    def sample(self, user: int, normal: np.random.Generator, scale: float) -> np.ndarray:
        """Draw the user's part of a sample of N(w, scale * P^-1), shape (d,).

        By perturbation, the user's part of w~ with P w~ = b/sigma^2 + sqrt(scale) xi, which solves
        for all users. Else w_i + sqrt(scale) C^-T z with C C^T = D_i^-1 and z standard normal: the
        same law where the system is solved exactly, since Thompson sampling looks at one user only.
        """
        self.solver_.refresh(user)
        if self.sampler == "perturbation":
            noise = math.sqrt(scale) * self.perturbation_.noise(normal)
            return self.system_.w[user] + self.solver_.correct(noise)[user]
        z = normal.standard_normal(self.system_.w.shape[1])
        if self.is_one_hop(user):
            factor = self.one_hop_.factor(user)
        else:
            factor = inverse_factor(exact_block(user, self.solver_))
        return normal_draw(self.system_.w[user], factor, z, float(scale))

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add the observation (x, reward) of one user."""
        self.system_.require_fitting(user, x)
        self.solver_.observe(user, x, reward)
        self.one_hop_.observe(user, x)
        if self.sampler == "perturbation":
            self.perturbation_.observe(user, x)

    def arrays(self, users: np.ndarray, blocks: bool) -> FieldArrays | None:
        """Return what compiled rounds need; None for all but local pushes and one-hop widths."""
        if self.solver != "local" or self.sampler != "marginal":
            return None
        served = np.unique(users)
        if blocks and (
            self.widths in ("cg", "exact") or not all(map(self.is_one_hop, served.tolist()))
        ):
            return None
        system, slots = self.system_, self.system_.slots
        slots.reserve(np.count_nonzero(system.slot[served] < 0))
        covariances, calibration = self.one_hop_.arrays(blocks)
        state, local = self.solver_.arrays()
        return FieldArrays(
            state=state,
            local=local,
            tolerance=self.solver_.tolerance,
            used=np.array([slots.used]),
            owners=slots.owners,
            blocks=slots.blocks,
            rhs=slots.rhs,
            sigma2=system.sigma2,
            squares=np.array([system.squares]),
            covariances=covariances,
            calibration=calibration,
        )

    def played(self, arrays: FieldArrays) -> None:
        """Take over the number of slots that compiled rounds have opened, and |b|^2/sigma^4."""
        self.system_.slots.used = int(arrays.used[0])
        self.system_.squares = float(arrays.squares[0])

    def cross_variances(self) -> np.ndarray:
        """Return C_ij = tr (P^-1)_ij of all pairs of users, shape (n, n), by d n solves with PCG.

        For small problems. Solver "cg" does not give it.
        """
        users = range(len(self.system_.w))
        C = np.array([self.solver_.columns(user).trace(axis1=0, axis2=2) for user in users])
        return (C + C.T) / 2.0

    def collapsed_precision(self) -> Precision:
        """Return Q, shape (n, n), such that d Q^-1 approximates C_ij = tr (P^-1)_ij.

        Q has the off-diagonal part of Lambda, and Q_ii = d / tr M_i^-1, where M_i = A_i/sigma^2 +
        Lambda_ii I. It is right where each A_i is a multiple of I, and where no users are coupled.
        """
        system = self.system_
        diagonal, indptr, indices, weights = system.prior
        diagonal = diagonal.copy()
        traces = system.slots.rows("inverses").trace(axis1=1, axis2=2)
        diagonal[system.slots.rows("owners")] = system.w.shape[1] / traces
        return Precision(diagonal, indptr, indices, weights)

    def reset_prior(self, precision: Precision) -> None:
        """Put another precision in the place of L, and keep all observations."""
        self._prior_changed(self.system_.reset_prior(precision))

    def join(self, problem: Problem) -> None:
        """Take in new users; the prior of old ones may change, too.

        Takes the time of a few copies of graph and mean, and of local pushes around the users
        whose row of the prior is another.
        """
        precision = known_precision(problem)
        if self._pushes:
            require_quick(scaled_prior(precision, float(self.lam)))
        self._prior_changed(self.system_.join(precision))

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned; a prior that was reset is not in it."""
        super().restore(state)
        self.one_hop_.restored()

    @property
    def _pushes(self) -> bool:
        """Whether local pushes are used without looking first whether they are quick."""
        return self.solver == "local" or self.widths == "one-hop"

    def _prior_changed(self, users: np.ndarray) -> None:
        """Let every part take note of new users, and of new rows of the prior for `users`."""
        self.solver_.prior_changed(users)
        self.one_hop_.prior_changed()
        self._make_work_space()
        if self.sampler == "perturbation":
            self.perturbation_.prior_changed()

    def _make_work_space(self) -> None:
        if self.widths == "cg":
            self.work_ = np.empty((4, *self.system_.w.shape))
