"""Observations before the first timed round."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from horde.graph.precision import Precision
from horde.policies.base import Policy
from horde.posteriors.dense import Dense
from horde.posteriors.solvers import LocalPush
from horde.simulation.environment import Environment

# A tolerance that no correction exceeds.
_NO_PUSHES = 1e300


def place_observations(policy: Policy, environment: Environment, n_observations: int) -> None:
    """Let a policy learn from the first offered item of the first rounds, without choosing.

    Only in the first round the policy chooses, from a single item: some posteriors start to store
    data for widths and samples when these are first requested.

    This is too slow for GOBLIN's dense matrix. It gets at least as many observations at once: every
    user rates the same first items, with ratings from the stream. The local solver corrects its
    means once, after all observations. That takes a third of the pushes, and the means meet the
    same tolerance.
    """
    posterior = getattr(policy, "posterior", None)
    if isinstance(posterior, Dense):
        n = environment.precision.n_users
        each = -(-n_observations // n)
        ratings = np.resize(environment.stream.rewards, (n, each))
        observe_alike(posterior, environment.precision, environment.features[:each], ratings)
        return
    if not n_observations:
        return
    user, offered, _ = environment.offer(0)
    policy.choose(user, offered[:1])
    with _means_wait(getattr(posterior, "solver_", None)):
        for t in range(n_observations):
            user, offered, rewards = environment.offer(t)
            policy.learn(user, offered[0], float(rewards[0]))


@contextmanager
def _means_wait(solver: object) -> Iterator[None]:
    """Let a local solver push nobody meanwhile, and everybody at the end."""
    if not isinstance(solver, LocalPush):
        yield
        return
    tolerance, solver.tolerance = solver.tolerance, _NO_PUSHES
    yield
    solver.tolerance = tolerance
    # It has the same prior, but this pushes all users whose correction is too large.
    solver.prior_changed(np.arange(len(solver.bound)))


def observe_alike(
    posterior: Dense, precision: Precision, contexts: np.ndarray, ratings: np.ndarray
) -> None:
    """Let every user rate the same contexts, in one pass over the dense covariance.

    A Sherman-Morrison update reads and writes all (dn)^2 numbers, so 5,000 would take hours. If
    every user rates the same contexts, all users share one matrix A/sigma^2 = sum_k a_k v_k v_k^T,
    and P decomposes along its eigenvectors:

        P^-1 = sum_k (lambda L + a_k I)^-1 kron v_k v_k^T.

    Parameters
    ----------
    posterior : Dense
        At its prior; afterwards in the state after all observations one by one.
    precision : Precision
        L, with which `posterior` was started.
    contexts : ndarray of float64, shape (q, d)
        Contexts that each user rates.
    ratings : ndarray of float64, shape (n, q)
        The ratings.
    """
    covariance, w = posterior.covariance_, posterior.w_
    sigma2 = float(posterior.sigma) ** 2
    n, d = w.shape
    values, vectors = np.linalg.eigh(contexts.T @ contexts / sigma2)
    prior = posterior.lam * precision.to_scipy().toarray()
    right = ratings @ contexts / sigma2
    unseen = np.linalg.inv(prior)
    w[:] = unseen @ right
    # Directions without any context keep the prior; each other direction needs an inverse.
    seen = np.flatnonzero(values > 1e-9 * values.max())
    shifts = np.empty((len(seen), n, n))
    for shift, k in zip(shifts, seen, strict=True):
        shift[:] = np.linalg.inv(prior + values[k] * np.eye(n)) - unseen
        w += np.outer(shift @ (right @ vectors[:, k]), vectors[:, k])
    outer = np.einsum("jk,lk->kjl", vectors[:, seen], vectors[:, seen])
    for i in range(n):
        blocks = np.tensordot(shifts[:, i], outer, axes=(0, 0))
        blocks += unseen[i][:, None, None] * np.eye(d)
        covariance[i * d : (i + 1) * d] = blocks.transpose(1, 0, 2).reshape(d, n * d)
