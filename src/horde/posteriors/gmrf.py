"""The posterior of the Gaussian Markov random field (Sections 3.2, 3.3), at any number of users."""

from typing import Self

import numpy as np

from horde.checks import require_one_of, require_positive
from horde.graph.precision import Precision
from horde.posteriors.base import Posterior
from horde.posteriors.gmrf_samplers import Marginal, Perturbation
from horde.posteriors.gmrf_solvers import Local, Plain, Preconditioned, Solver
from horde.posteriors.gmrf_system import System
from horde.posteriors.gmrf_widths import OneHop, Solves
from horde.problem import Problem

# Default tolerances, each relative to what its solver says.
TOLERANCES = {"pcg": 1e-6, "local": 1e-3}


class Gmrf(Posterior):
    """P = blockdiag(A_i)/sigma^2 + lambda L kron I_d, without ever forming a matrix of that size.

    Parameters
    ----------
    lam, sigma, solver, iterations, tolerance, widths, sampler
        As `horde.posteriors.gang.gang` describes them; `solver` is not "dense".
    """

    def __init__(
        self,
        lam: float,
        sigma: float,
        solver: str,
        iterations: int,
        tolerance: float | None,
        widths: str,
        sampler: str,
    ):
        self.lam = lam
        self.sigma = sigma
        self.solver = solver
        self.iterations = iterations
        self.tolerance = tolerance
        self.widths = widths
        self.sampler = sampler

    def start(self, problem: Problem) -> Self:
        """Go back to the prior N(0, (lambda L kron I)^-1); refuse settings out of range."""
        self._check()
        self.system_ = System(problem, float(self.lam), float(self.sigma))
        self.solver_ = self._make_solver()
        self.one_hop_ = OneHop(self.system_)
        self.widths_ = self.one_hop_
        if self.widths == "cg":
            self.widths_ = Solves(self.system_, self.iterations)
        if self.sampler == "perturbation":
            self.sampler_ = Perturbation(self.system_, self.solver_)
        else:
            self.sampler_ = Marginal(self.system_, self.one_hop_)
        return self

    @property
    def touched(self) -> int:
        """How often a user's mean was moved since the start."""
        return self.solver_.touched

    def mean(self, user: int) -> np.ndarray:
        """Return the mean w_i of one user, shape (d,); a view, valid until the next call."""
        self.solver_.refresh(user)
        return self.system_.w[user]

    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T (P^-1)_ii x for each row x of `features`, shape (K,)."""
        return self.widths_.variances(user, features)

    def sample(self, user: int, normal: np.random.Generator, scale: float) -> np.ndarray:
        """Draw the user's part of a sample of N(w, scale * P^-1), shape (d,)."""
        self.solver_.refresh(user)
        return self.sampler_.sample(user, normal, scale)

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add the observation (x, reward) of one user."""
        self.solver_.observe(user, x, reward)
        self.one_hop_.observe(user, x)
        self.sampler_.observe(user, x)

    def reset_prior(self, precision: Precision) -> None:
        """Put another precision in the place of L, and keep all observations."""
        self.system_.reset_prior(precision)
        self.solver_.prior_changed()
        self.one_hop_.prior_changed()
        self.sampler_.prior_changed()

    def state(self) -> dict[str, np.ndarray]:
        """Return the state as plain arrays; a prior that was reset is not among them."""
        return self.system_.state() | self.solver_.state()

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""
        self.system_.restore(state)
        self.solver_.restore(state)
        self.one_hop_.restored()

    def _check(self) -> None:
        require_positive(lam=self.lam, sigma=self.sigma, iterations=self.iterations)
        require_one_of(("cg", "pcg", "local"), solver=self.solver)
        require_one_of(("schur", "cg"), widths=self.widths)
        require_one_of(("marginal", "perturbation"), sampler=self.sampler)
        if self.tolerance is not None:
            require_positive(tolerance=self.tolerance)

    def _make_solver(self) -> Solver:
        if self.solver == "cg":
            return Plain(self.system_, self.iterations)
        tolerance = self.tolerance or TOLERANCES[self.solver]
        made = {"pcg": Preconditioned, "local": Local}[self.solver]
        return made(self.system_, float(tolerance))
