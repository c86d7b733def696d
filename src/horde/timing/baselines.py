"""Baselines of Figure 1 as a researcher of 2016 might have written them, to read S1, S7 and S8 by.

Each has the beliefs of the policy whose name it bears, and only takes longer. They are measured,
and play no run: `horde.policies.registry` does not know them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Self

import numpy as np

from horde.graph.precision import identity
from horde.policies import memory, registry
from horde.policies.base import Policy
from horde.policies.club import Club
from horde.policies.memory import NUMBER, Size
from horde.policies.ucb import UCB
from horde.posteriors.base import Posterior
from horde.posteriors.dense import Dense
from horde.posteriors.system import known_precision
from horde.problem import Problem
from horde.simulation.environment import Environment
from horde.timing.sweeps import measured_as


class NumpyDense(Dense):
    """GOBLIN's dense inverse, kept by Sherman-Morrison in two lines of NumPy."""

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add the observation (x, reward) of one user."""
        d = len(x)
        column = self.covariance_[:, user * d : (user + 1) * d] @ x
        noise = self.sigma**2 + column[user * d : (user + 1) * d] @ x
        error = reward - self.w_[user] @ x
        self.covariance_ -= np.outer(column, column / noise)
        self.w_ += (column * (error / noise)).reshape(self.w_.shape)


class FullInverse(Posterior):
    """P^-1 from P anew whenever there are new observations.

    Parameters
    ----------
    lam, sigma : float
        lambda and sigma, positive.
    """

    def __init__(self, lam: float, sigma: float):
        self.lam = lam
        self.sigma = sigma

    def start(self, problem: Problem) -> Self:
        """Go back to the prior."""
        d = problem.n_features
        prior = self.lam * known_precision(problem).to_scipy().toarray()
        self.precision_ = np.kron(prior, np.eye(d))
        self.right_ = np.zeros((problem.n_users, d))
        self.covariance_ = None
        return self

    def mean(self, user: int) -> np.ndarray:
        """Return the mean w_i of one user, shape (d,)."""
        return (self._rows(user) @ self.right_.ravel()) / self.sigma**2

    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T (P^-1)_ii x for each row x of `features`, shape (K,)."""
        d = self.right_.shape[1]
        block = self._rows(user)[:, user * d : (user + 1) * d]
        return np.einsum("kj,jl,kl->k", features, block, features)

    def sample(self, user: int, normal: np.random.Generator, scale: float) -> np.ndarray:
        """Refuse: GOBLIN draws no samples."""
        raise NotImplementedError

    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add the observation (x, reward) of one user; the next question inverts P."""
        d = len(x)
        block = slice(user * d, (user + 1) * d)
        self.precision_[block, block] += np.outer(x, x) / self.sigma**2
        self.right_[user] += reward * x
        self.covariance_ = None

    def _rows(self, user: int) -> np.ndarray:
        if self.covariance_ is None:
            self.covariance_ = np.linalg.inv(self.precision_)
        d = self.right_.shape[1]
        return self.covariance_[user * d : (user + 1) * d]


class ClubAnew(Club):
    """CLUB that pools the members of the served user's cluster anew each round."""

    def choose(self, user: int, features: np.ndarray) -> int:
        """Pool the cluster, then choose as CLUB does."""
        self._pool(self.labels_[user])
        return super().choose(user, features)


def _goblin(posterior: type[Posterior]) -> Callable[..., Policy]:
    return lambda lam, sigma, alpha: UCB(posterior(lam, sigma), alpha)


# (policy, solver) -> how to make it, and the matrices of (dn)^2 numbers that it holds at a time.
_WRITTEN = {
    ("GOBLIN", "numpy"): (_goblin(NumpyDense), 2),
    ("GOBLIN", "inverse"): (_goblin(FullInverse), 3),
    ("CLUB", "anew"): (ClubAnew, 0),
}


def make(policy: str, params: dict) -> Policy:
    """Make a policy of the registry, or a baseline where ``solver`` in `params` names one."""
    solver = params.get("solver")
    if written := _WRITTEN.get((policy, solver)):
        return written[0](**{name: params[name] for name in params if name != "solver"})
    return registry.make(measured_as(policy, solver), **params)


def start(environment: Environment, policy: str, params: dict) -> Policy:
    """Make a policy or a baseline, and start it in an environment."""
    if (policy, params.get("solver")) in _WRITTEN:
        return make(policy, params).start(environment.problem())
    same = measured_as(policy, params.get("solver"))
    if same != policy:
        environment = replace(environment, precision=identity(environment.precision.n_users))
    return environment.start(same, params)


def predicted_bytes(policy: str, params: dict, size: Size) -> int:
    """Predict the memory of a policy or a baseline; see `horde.policies.memory.predicted_bytes`."""
    solver = params.get("solver")
    if written := _WRITTEN.get((policy, solver)):
        if not written[1]:
            return memory.predicted_bytes(policy, {}, size)
        side = size.n_users * size.n_features
        return memory.BASE + written[1] * NUMBER * side**2 + int(size.graph(2))
    same = measured_as(policy, solver)
    size = size if same == policy else replace(size, n_edges=0)
    return memory.predicted_bytes(same, params, size)
