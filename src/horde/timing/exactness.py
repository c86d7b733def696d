"""Compare the picks of policies with those of a reference; all learn from the reference's picks.

Two separate runs would drift apart after one differing pick, and could not be compared.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from horde.machine import PROGRESS_SECONDS, Every
from horde.policies.base import Policy, Rule
from horde.random import generator_state, restored_generator
from horde.simulation.environment import Environment

# Hyper-parameters of the reference, for policies on a graph.
REFERENCE = {"solver": "pcg", "tolerance": 1e-10}


class Agreement(NamedTuple):
    """Comparison of a policy with the reference.

    Attributes
    ----------
    rounds : int
        Number of compared rounds.
    wrong : int
        Rounds in which the policy's pick is not among the reference's best rows.
    error : float
        ||w - w*|| / ||w*|| at the end, over the means w of all users; w* are the reference's.
    """

    rounds: int
    wrong: int
    error: float

    @property
    def share(self) -> float:
        """Return the share of the reference's picks that the policy repeats, in [0, 1]."""
        return 1 - self.wrong / self.rounds


def compare(
    environment: Environment,
    reference: Rule,
    others: list[Policy],
    n_rounds: int,
    skip: int = 0,
    log: Callable[[str], None] = lambda message: None,
) -> tuple[np.ndarray, list[Agreement]]:
    """Play the first rounds of an environment with the reference's picks.

    Parameters
    ----------
    environment : Environment
    reference : Rule
        A started policy, which makes the picks.
    others : list of Policy
        Started policies; they choose in every round, and learn from the reference's picks.
    n_rounds : int
        Number of rounds, at most the stream's.
    skip : int
        Number of first rounds in which the others do not choose, below `n_rounds`.
    log : callable
        Receives a progress report every few seconds.

    Returns
    -------
    picks : ndarray of int32, shape (n_rounds,)
        The reference's picks.
    agreements : list of Agreement
        One for each of the others. Ties count as equal picks.
    """
    picks = np.zeros(n_rounds, dtype=np.int32)
    wrong = [0] * len(others)
    report = Every(PROGRESS_SECONDS)
    for t in range(n_rounds):
        user, offered, rewards = environment.offer(t)
        before = generator_state(reference.rng_)
        picks[t] = reference.choose(user, offered)
        for k, policy in enumerate(others):
            if t < skip:
                follow(policy, user, offered, picks[t])
                continue
            row = policy.choose(user, offered)
            wrong[k] += row != picks[t] and not _is_best(reference, before, user, offered, row)
        for policy in (reference, *others):
            policy.learn(user, offered[picks[t]], float(rewards[picks[t]]))
        if report.due():
            log(f"{t + 1} of {n_rounds} rounds")
    exact = _means(environment, reference)
    errors = [np.linalg.norm(_means(environment, policy) - exact) for policy in others]
    size = np.linalg.norm(exact)
    return picks, [
        Agreement(n_rounds - skip, count, float(error / size))
        for count, error in zip(wrong, errors, strict=True)
    ]


def follow(policy: Policy, user: int, offered: np.ndarray, row: int) -> None:
    """Let `policy` draw the random numbers of a round in which only `row` is offered."""
    policy.choose(user, offered[row : row + 1])


def _is_best(policy: Rule, before: np.ndarray, user: int, offered: np.ndarray, row: int) -> bool:
    """Return whether the policy, with its generator of `before`, picks `row` if it comes first."""
    after = policy.rng_
    policy.rng_ = restored_generator(before)
    first = policy.choose(user, np.concatenate([offered[row : row + 1], offered]))
    policy.rng_ = after
    return first == 0


def _means(environment: Environment, policy: Policy) -> np.ndarray:
    return np.array([policy.posterior.mean(user) for user in range(environment.size[0])])
