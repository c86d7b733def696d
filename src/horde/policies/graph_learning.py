"""Epoch-greedy that learns the graph of the users as it goes: L-EG and U-EG (Appendix A)."""

import math
import time
from dataclasses import astuple, dataclass, fields, replace
from typing import Self

import numpy as np
from scipy import sparse

from horde.checks import require_not_negative, require_one_of, require_positive, require_whole
from horde.errors import ConfigError
from horde.files import nest, unnest
from horde.graph import glasso
from horde.graph.precision import Precision, identity, laplacian
from horde.kernels.definite import gram
from horde.policies.base import Policy
from horde.policies.epoch_greedy import EpochGreedy
from horde.posteriors.system import known_precision
from horde.problem import Problem, Rounds

LOGDET_WEIGHTS = ("1", "d", "d+1", "dn+1")
MOMENTS = ("none", "approximate", "exact")
ESTIMATES = ("full", "support", "diagonal", "unit-diagonal", "given")
# The density may miss its target by 3 %, which must not take it over the cap.
DENSITY_SLACK = 1.03
# A lambda_2 for which screening leaves so many times the edges allowed is too low: solving there,
# to find out how many edges the solution has, would take most of the time of a run.
CROWDED = 3.0


@dataclass(frozen=True)
class Step:
    """What became of one re-estimation of V.

    Attributes
    ----------
    round : int
        Number of rounds played before it.
    used : bool
        Whether V took the place of the last one; not if rounding made it indefinite.
    converged : bool
        Whether the solver met its tolerance; if not, its last feasible V counts.
    steps : int
        Newton steps of the last solve.
    gap : float
        Duality gap, nats a user.
    residual : float
        Optimality residual, in units of sqrt(S_ii S_jj).
    lam2 : float
        lambda_2.
    edges : int
        Edges of V.
    repulsive : int
        Edges with V_ij > 0.
    """

    round: int
    used: bool
    converged: bool
    steps: int
    gap: float
    residual: float
    lam2: float
    edges: int
    repulsive: int

    def message(self, seconds: float | None) -> str:
        """Describe the re-estimation in a line of a log, with its seconds where they are known."""
        parts = [
            f"graph estimated after {self.round} rounds: {self.edges} edges",
            f"{self.repulsive} of them repulsive",
            f"lambda_2 {self.lam2:.4g}",
            f"{self.steps} Newton steps",
            f"duality gap {self.gap:.2g} nats a user",
        ]
        parts += [] if seconds is None else [f"{seconds:.1f} s"]
        parts += [] if self.converged else ["did not converge: the last feasible V counts"]
        parts += [] if self.used else ["rounding made V indefinite: the one before stays"]
        return ", ".join(parts)


@dataclass(eq=False)
class GraphLearning(EpochGreedy):
    """Epoch-greedy over a posterior whose prior precision V is re-estimated now and then.

    V_t = argmin Tr(S V) + lambda_2 sum_{i != j} |V_ij| - kappa log|V| with
    S = lambda Wbar^T Wbar + V_{t-1}^-1, Wbar the means less their average over the users
    (eq. (omega-subproblem)).

    Parameters
    ----------
    posterior : Posterior
        Of a Gaussian Markov random field, with `reset_prior`.
    from_graph : bool
        Start from the given graph's L (U-EG) or from the empty graph, V = I (L-EG).
    estimate : {"full", "support", "diagonal", "unit-diagonal", "given"}
        What takes the prior's place: V; L_G + I of V's edges, all of weight 1; the diagonal of V
        alone; V times the factor that makes its mean diagonal 1. The next estimate goes on from V
        in each case. ``given`` is the problem's graph, from the first estimate on, with nothing
        learned. These tell what a learned graph gains by: edges, weights, shrinkage or schedule.
    moments : {"none", "approximate", "exact"}
        Whether Wbar^T Wbar is that of the means, as in the paper, or its expectation over the
        posterior: that plus C_ij = tr (P^-1)_ij, centred. Then this is a step of expectation
        maximisation, and the prior of users without data stays as it is. ``approximate`` takes a
        user's data for equally many in all directions
        (`horde.posteriors.gmrf.GMRF.collapsed_precision`); ``exact`` takes d n solves.
    logdet_weight : {"1", "d", "d+1", "dn+1"}
        kappa: 1 as the paper solves it, d + 1 as a Gaussian prior has it, dn + 1 as the paper
        writes it. With d, as maximum likelihood has it, S goes without V_{t-1}^-1.
    couplings : {"any", "attractive"}
        Whether V_ij > 0 is allowed.
    start_after : float
        Recommendations a user has got before the first estimate.
    start_when : {"average", "minimum"}
        Whether that many are asked of the average user or of every user.
    every : int
        Rounds between two estimates.
    density : float
        Edges over pairs of users that lambda_2 is set for, once, at the first estimate.
    lam2 : float or None
        lambda_2, instead of setting it by `density`.
    max_edges : int
        An estimate with more edges raises lambda_2, from then on, until it has no more. Where
        screening would leave `CROWDED` times as many pairs, lambda_2 is raised, from then
        on, to where it leaves as many.
    gap_tolerance : float
        Duality gap at which the graphical lasso stops, in nats a user.
    max_steps : int
        Newton steps that one solve may take.
    exploration, fraction, sqrt_constant, learn_from
        As for `EpochGreedy`.

    Attributes
    ----------
    steps_ : list of Step
        What became of each estimate.
    seconds_ : list of float
        Seconds that each estimate took, since this object was started or restored.
    """

    LEARNED = (*EpochGreedy.LEARNED, "lam2_", "counts_", "first_")

    from_graph: bool = False
    estimate: str = "full"
    moments: str = "none"
    logdet_weight: str = "1"
    couplings: str = "any"
    start_after: float = 10.0
    start_when: str = "average"
    every: int = 1000
    density: float = 0.05
    lam2: float | None = None
    max_edges: int = 100_000
    gap_tolerance: float = 1e-3
    max_steps: int = 20

    def start(self, problem: Problem) -> Self:
        """Forget everything learned, the graph included."""
        self._check()
        self.given_ = known_precision(problem) if self.estimate == "given" else None
        if not self.from_graph:
            problem = replace(problem, precision=identity(problem.n_users))
        super().start(problem)
        n, d = problem.n_users, problem.n_features
        self.kappa_ = {"1": 1, "d": d, "d+1": d + 1, "dn+1": d * n + 1}[self.logdet_weight]
        # NaN until the first estimate sets it.
        self.lam2_ = np.nan if self.lam2 is None else float(self.lam2)
        self.counts_ = np.zeros(n, dtype=np.int64)
        self.first_ = -1
        self.steps_, self.seconds_ = [], []
        self._use(problem.precision)
        return self

    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Learn from the reward and, when it is time, the graph."""
        super().learn(user, x, reward)
        self.counts_[user] += 1
        if self._due():
            self._estimate()

    def play(self, rounds: Rounds, picks: np.ndarray) -> None:
        """Play several rounds, in compiled code from one estimate to the next."""
        if self.arrays(rounds, blocks=False) is None:
            return Policy.play(self, rounds, picks)
        first = 0
        while first < len(picks):
            last = first + self._until_due(rounds.users[first:])
            super().play(rounds.part(first, last), picks[first:last])
            np.add.at(self.counts_, rounds.users[first:last], 1)
            if self._due():
                self._estimate()
            first = last

    def state(self) -> dict[str, np.ndarray]:
        """Return what epoch-greedy has learned, and V with its history."""
        return super().state() | nest("graph", self.learned())

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""
        precision, self.steps_ = read_learned(unnest("graph", state))
        self.seconds_ = []
        self._use(precision)
        estimated = any(step.used for step in self.steps_)
        self.posterior.reset_prior(self._prior(precision) if estimated else precision)
        super().restore(state)

    def learned(self) -> dict[str, np.ndarray]:
        """Return V and what became of each estimate, as `read_learned` takes them."""
        return {
            **{name: array.copy() for name, array in vars(self.precision_).items()},
            "steps": np.array([astuple(step) for step in self.steps_], dtype=float),
        }

    def notes(self) -> list[str]:
        """Return a line for each estimate, with its seconds where this object made it."""
        unknown = [None] * (len(self.steps_) - len(self.seconds_))
        seconds = unknown + self.seconds_
        return [step.message(took) for step, took in zip(self.steps_, seconds, strict=True)]

    def join(self, problem: Problem) -> None:
        """Refuse: V is estimated from all users together, and has no row for a new one."""
        Policy.join(self, problem)

    def _check(self) -> None:
        if not hasattr(self.posterior, "reset_prior"):
            raise ConfigError(
                "This policy replaces its prior as it learns the graph, which the posterior that "
                "was chosen cannot: set solver to 'local', 'pcg' or 'cg'."
            )
        require_one_of(ESTIMATES, estimate=self.estimate)
        require_one_of(MOMENTS, moments=self.moments)
        if self.moments != "none" and self.posterior.solver == "cg":
            raise ConfigError(
                "moments need a converged solver: set solver to 'local' or 'pcg', or moments to "
                "'none'."
            )
        require_one_of(LOGDET_WEIGHTS, logdet_weight=self.logdet_weight)
        require_one_of(glasso.COUPLINGS, couplings=self.couplings)
        require_one_of(("average", "minimum"), start_when=self.start_when)
        require_not_negative(start_after=self.start_after)
        require_positive(density=self.density, max_edges=self.max_edges)
        require_positive(gap_tolerance=self.gap_tolerance)
        require_whole(every=self.every, max_steps=self.max_steps)
        if self.lam2 is not None:
            require_positive(lam2=self.lam2)
        if self.density > 1:
            raise ConfigError(f"density is {self.density!r}, but must be at most 1.")

    def _due(self) -> bool:
        if self.first_ < 0:
            average = self.start_when == "average"
            served = self.round_ / len(self.counts_) if average else self.counts_.min()
            if served < self.start_after:
                return False
            self.first_ = self.round_
        return (self.round_ - self.first_) % self.every == 0

    def _until_due(self, users: np.ndarray) -> int:
        """Return the number of rounds, serving `users`, up to the next estimate or their end."""
        if self.first_ >= 0:
            left = self.every - (self.round_ - self.first_) % self.every
        elif self.start_when == "average":
            n = len(self.counts_)
            first = math.ceil(self.start_after * n)
            # The product may be rounded up past a whole number, at which an estimate is due.
            first -= (first - 1) / n >= self.start_after
            left = max(first - self.round_, 1)
        else:
            left = 1
        return min(left, len(users))

    def _use(self, precision: Precision) -> None:
        """Make V the current precision; ValueError if it is not positive definite."""
        self.inverse_ = glasso.inverse(precision)
        self.precision_ = precision

    def _estimate(self) -> None:
        """Re-estimate V from the means, and pass what takes its place to the posterior."""
        began = time.perf_counter()
        if self.given_ is None:
            estimate = self._solve(self._covariance())
        elif self.steps_:
            estimate = None
        else:
            estimate = glasso.Estimate(self.given_, np.nan, True, 0, 0.0, 0.0)
        if estimate is None:
            return
        V = estimate.precision
        self.lam2_ = estimate.penalty * self.kappa_
        try:
            self._use(V)
            self.posterior.reset_prior(self._prior(V))
            used = True
        except ValueError:
            used = False
        step = Step(
            round=self.round_,
            used=used,
            converged=estimate.converged,
            steps=estimate.steps,
            gap=estimate.gap,
            residual=estimate.residual,
            lam2=self.lam2_,
            edges=V.n_edges,
            repulsive=int((V.weights > 0).sum()) // 2,
        )
        self.steps_.append(step)
        self.seconds_.append(time.perf_counter() - began)

    def _prior(self, V: Precision) -> Precision:
        """Return what takes the prior's place for an estimate V."""
        if self.estimate == "support":
            ones, shape = np.ones(len(V.indices)), (V.n_users, V.n_users)
            return laplacian(sparse.csr_matrix((ones, V.indices, V.indptr), shape=shape))
        if self.estimate == "diagonal":
            return replace(identity(V.n_users), diagonal=V.diagonal)
        if self.estimate == "unit-diagonal":
            factor = V.n_users / math.fsum(V.diagonal)
            return replace(V, diagonal=factor * V.diagonal, weights=factor * V.weights)
        return V

    def _covariance(self) -> np.ndarray:
        """Return S / kappa."""
        n = len(self.counts_)
        means = np.array([self.posterior.mean(user) for user in range(n)])
        means -= means.mean(axis=0)
        moments = gram(means)
        if self.moments != "none":
            moments += _centred(self._cross_variances(means.shape[1]))
        before = 0.0 if self.logdet_weight == "d" else self.inverse_
        return (self.posterior.lam * moments + before) / self.kappa_

    def _cross_variances(self, d: int) -> np.ndarray:
        """Return C_ij = tr (P^-1)_ij, shape (n, n)."""
        if self.moments == "exact":
            return self.posterior.cross_variances()
        return d * glasso.inverse(self.posterior.collapsed_precision())

    def _solve(self, S: np.ndarray) -> glasso.Estimate | None:
        """Solve with lambda_2, or for density and cap.

        None if no two users are alike, or one has a variance of 0: S then has no solution.
        """
        if not (np.diag(S) > 0).all():
            return None
        params = {
            "couplings": self.couplings,
            "start": self.precision_,
            "tolerance": self.gap_tolerance,
            "max_steps": self.max_steps,
        }
        pairs = max(len(S) * (len(S) - 1) / 2, 1)
        cap = self.max_edges / pairs / DENSITY_SLACK
        if np.isnan(self.lam2_):
            return glasso.solve_to_density(S, min(self.density, cap), **params)
        penalty = self.lam2_ / self.kappa_
        if penalty < glasso.screening_penalty(S, CROWDED * cap, self.couplings):
            penalty = glasso.screening_penalty(S, cap, self.couplings)
        estimate = glasso.solve(S, penalty, **params)
        if estimate.precision.n_edges <= self.max_edges:
            return estimate
        params["start"] = estimate.precision
        return glasso.solve_to_density(S, cap, penalty=1.1 * estimate.penalty, **params)


def _centred(C: np.ndarray) -> np.ndarray:
    """Return H C H with H = I - 1 1^T / n, for C (n, n)."""
    centred = C - C.mean(axis=0)
    centred -= centred.mean(axis=1)[:, None]
    return (centred + centred.T) / 2.0


def read_learned(arrays: dict[str, np.ndarray]) -> tuple[Precision, list[Step]]:
    """Take what `GraphLearning.learned` returned: V, and what became of each estimate."""
    V = Precision(**{field.name: arrays[field.name] for field in fields(Precision)})
    kinds = [field.type for field in fields(Step)]
    steps = [
        Step(*(kind(number) for kind, number in zip(kinds, row, strict=True)))
        for row in arrays["steps"]
    ]
    return V, steps
