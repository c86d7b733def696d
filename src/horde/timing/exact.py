"""How exactly policies pick: in step with a reference, whose picks all learn from.

Left to themselves, two runs drift apart after one differing pick, and nothing is compared any more.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from horde.policies.base import Policy
from horde.policies.rule import Rule
from horde.random import generator_state, restored_generator
from horde.simulation.environment import Arena

# Settings that make a policy on a graph the reference.
REFERENCE = {"solver": "pcg", "tolerance": 1e-10}


@dataclass(frozen=True)
class Agreement:
    """How one policy compares with the reference.

    Attributes
    ----------
    rounds : int
        Rounds that were compared.
    wrong : int
        Those in which it would have picked a row that is not among the reference's best ones.
    error : float
        ||w - w*|| / ||w*|| at the end, over the means of all users; w* are the reference's.
    """

    rounds: int
    wrong: int
    error: float

    @property
    def share(self) -> float:
        """Share of the reference's picks that it repeats, in [0, 1]."""
        return 1 - self.wrong / self.rounds


def compare(
    arena: Arena,
    reference: Rule,
    others: list[Policy],
    n_rounds: int,
    skip: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[np.ndarray, list[Agreement]]:
    """Play the first rounds of the arena by the reference's picks.

    Parameters
    ----------
    arena : Arena
    reference : Rule
        Started; picks.
    others : list of Policy
        Started; choose in every round, and learn from what the reference picked.
    n_rounds : int
        Number of rounds, at most the stream's.
    skip : int
        First rounds in which the others do not choose, less than `n_rounds`.
    progress : callable
        Told after each round how many were played.

    Returns
    -------
    picks : ndarray of int32, shape (n_rounds,)
        The reference's.
    agreements : list of Agreement
        One for each of the others. Ties count as equal picks.
    """
    stream = arena.stream
    picks = np.zeros(n_rounds, dtype=np.int32)
    wrong = [0] * len(others)
    for t, user in enumerate(stream.users[:n_rounds].tolist()):
        offered = arena.features[stream.items[t]]
        before = generator_state(reference.rng_)
        picks[t] = reference.choose(user, offered)
        for k, policy in enumerate(others):
            row = _choose(policy, user, offered, picks[t], only_draw=t < skip)
            wrong[k] += row != picks[t] and not _is_best(reference, before, user, offered, row)
        for policy in (reference, *others):
            policy.learn(user, offered[picks[t]], float(stream.rewards[t, picks[t]]))
        progress(t + 1)
    errors = _errors(arena.size[0], reference, others)
    return picks, [
        Agreement(n_rounds - skip, count, error) for count, error in zip(wrong, errors, strict=True)
    ]


def follow(policy: Policy, user: int, offered: np.ndarray, row: int) -> int:
    """Make `policy` draw its random numbers of a round, as if `row` were all that is on offer."""
    policy.choose(user, offered[row : row + 1])
    return row


def _choose(policy: Policy, user: int, offered: np.ndarray, row: int, only_draw: bool) -> int:
    if only_draw:
        return follow(policy, user, offered, row)
    return policy.choose(user, offered)


def _is_best(policy: Rule, before: np.ndarray, user: int, offered: np.ndarray, row: int) -> bool:
    """Whether the policy, with the generator it had `before`, would take `row` if put first."""
    after = policy.rng_
    policy.rng_ = restored_generator(before)
    first = policy.choose(user, np.concatenate([offered[row : row + 1], offered]))
    policy.rng_ = after
    return first == 0


def _errors(n_users: int, reference: Rule, others: list[Policy]) -> list[float]:
    exact = _means(n_users, reference)
    size = np.linalg.norm(exact)
    return [float(np.linalg.norm(_means(n_users, policy) - exact) / size) for policy in others]


def _means(n_users: int, policy: Policy) -> np.ndarray:
    return np.array([policy.posterior.mean(user) for user in range(n_users)])
