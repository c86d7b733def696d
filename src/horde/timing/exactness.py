"""How exactly policies pick: compared with a reference, from whose picks all of them learn.

Left to themselves, two runs drift apart after one differing pick, and nothing can be compared.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from horde.machine import PROGRESS_SECONDS, Every
from horde.policies.base import Policy, Rule
from horde.random import generator_state, restored_generator
from horde.simulation.environment import Environment

# Hyper-parameters that make a policy on a graph the reference.
REFERENCE = {"solver": "pcg", "tolerance": 1e-10}


class Agreement(NamedTuple):
    """How one policy compares with the reference.

    Attributes
    ----------
    rounds : int
        Rounds that were compared.
    wrong : int
        Rounds in which the policy would have picked a row that is not among the reference's best.
    error : float
        ||w - w*|| / ||w*|| at the end, over the means of all users; w* are the reference's.
    """

    rounds: int
    wrong: int
    error: float

    @property
    def share(self) -> float:
        """Share of the reference's picks that the policy repeats, in [0, 1]."""
        return 1 - self.wrong / self.rounds


def compare(
    environment: Environment,
    reference: Rule,
    others: list[Policy],
    n_rounds: int,
    skip: int = 0,
    log: Callable[[str], None] = lambda message: None,
) -> tuple[np.ndarray, list[Agreement]]:
    """Play the first rounds of an environment by the reference's picks.

    Parameters
    ----------
    environment : Environment
    reference : Rule
        Started; picks.
    others : list of Policy
        Started; choose in every round, and learn from what the reference picked.
    n_rounds : int
        Number of rounds, at most the stream's.
    skip : int
        First rounds in which the others do not choose, less than `n_rounds`.
    log : callable
        Gets a progress report every few seconds.

    Returns
    -------
    picks : ndarray of int32, shape (n_rounds,)
        The reference's.
    agreements : list of Agreement
        One for each of the others. Ties count as equal picks.
    """
    stream = environment.stream
    picks = np.zeros(n_rounds, dtype=np.int32)
    wrong = [0] * len(others)
    report = Every(PROGRESS_SECONDS)
    for t, user in enumerate(stream.users[:n_rounds].tolist()):
        offered = environment.features[stream.items[t]]
        before = generator_state(reference.rng_)
        picks[t] = reference.choose(user, offered)
        for k, policy in enumerate(others):
            if t < skip:
                follow(policy, user, offered, picks[t])
                continue
            row = policy.choose(user, offered)
            wrong[k] += row != picks[t] and not _is_best(reference, before, user, offered, row)
        for policy in (reference, *others):
            policy.learn(user, offered[picks[t]], float(stream.rewards[t, picks[t]]))
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
    """Let `policy` draw the random numbers of a round in which only `row` is on offer."""
    policy.choose(user, offered[row : row + 1])


def _is_best(policy: Rule, before: np.ndarray, user: int, offered: np.ndarray, row: int) -> bool:
    """Whether the policy, with the generator it had `before`, would take `row` if put first."""
    after = policy.rng_
    policy.rng_ = restored_generator(before)
    first = policy.choose(user, np.concatenate([offered[row : row + 1], offered]))
    policy.rng_ = after
    return first == 0


def _means(environment: Environment, policy: Policy) -> np.ndarray:
    return np.array([policy.posterior.mean(user) for user in range(environment.size[0])])
