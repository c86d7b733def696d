"""The contract between a policy and its caller, and what the rules over a posterior share."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from horde.errors import ConfigError
from horde.kernels.scores import linear_scores, pick
from horde.posteriors.base import Posterior, too_long
from horde.problem import Problem, Rounds
from horde.state import Stateful

# Logarithms are rounded to so many decimals, so that every mathematical library agrees.
DIGITS = 9


class Probabilities(NamedTuple):
    """With what probability a policy chooses each of K items.

    Attributes
    ----------
    values : ndarray of float64, shape (K,)
        Probabilities; they sum to 1.
    errors : ndarray of float64, shape (K,)
        Their standard errors; 0 where the values are exact.
    """

    values: np.ndarray
    errors: np.ndarray


def exact(values: np.ndarray) -> Probabilities:
    """Return these probabilities (K,), with errors of 0."""
    return Probabilities(values, np.zeros(len(values)))


def uniform(n_offered: int) -> Probabilities:
    """Return the probabilities of a uniform choice among K items."""
    return exact(np.full(n_offered, 1.0 / n_offered))


def certain(scores: np.ndarray) -> Probabilities:
    """Return the probabilities of the choice by `scores` (K,): 1 for the best, 0 for the others."""
    values = np.zeros(len(scores))
    values[pick(scores)] = 1.0
    return exact(values)


class Policy(Stateful, ABC):
    """A bandit policy: chooses one of K items for a user, then learns from the reward.

    Its hyper-parameters are stored as they are given, mostly as the fields of a dataclass. `start`
    checks them and allocates everything that is learned, in attributes whose names end in ``_``.
    For each round the caller calls `choose` once and then `learn` once with the chosen row.

    A policy of the same arguments that is started on the same problem and restores the `state` of
    another goes on exactly as that one would. `LEARNED` names what it needs for that.
    """

    @abstractmethod
    def start(self, problem: Problem) -> Self:
        """Forget everything learned and get ready for round 0 of `problem`.

        Raises
        ------
        ConfigError
            If a hyper-parameter is out of range or the problem lacks something needed (a graph).
        """

    @abstractmethod
    def choose(self, user: int, features: np.ndarray) -> int:
        """Choose an item for `user`.

        Parameters
        ----------
        user : int
            The served user, in [0, n).
        features : ndarray of float64, shape (K, d), C-contiguous
            Context vectors of the offered items, one row each.

        Returns
        -------
        int
            Row of the chosen item. Ties go to the lowest row.
        """

    @abstractmethod
    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Learn from the reward of the item just chosen.

        Parameters
        ----------
        user : int
            The served user.
        x : ndarray of float64, shape (d,)
            Context vector of the chosen item.
        reward : float
            Its rating r.
        """

    def scores(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return what the policy ranks the offered items by, float64, shape (K,).

        Where randomness decides, its part is left out. Nothing changes, so that what the policy
        chooses later does not depend on such calls.

        Parameters
        ----------
        user, features
            As for `choose`.

        Raises
        ------
        ConfigError
            If the policy does not define it.
        """
        raise ConfigError(f"{type(self).__name__} defines no scores; write the method `scores`")

    def probabilities(
        self, user: int, features: np.ndarray, n_samples: int = 1000
    ) -> Probabilities:
        """Return the probabilities of what `choose` would return now, given all that was learned.

        Nothing changes, as for `scores`.

        Parameters
        ----------
        user, features
            As for `choose`.
        n_samples : int
            Samples where probabilities are estimated (Thompson sampling), at least 1.

        Raises
        ------
        ConfigError
            If the policy does not define it.
        """
        raise ConfigError(
            f"{type(self).__name__} defines no probabilities; write the method `probabilities`"
        )

    def join(self, problem: Problem) -> None:
        """Take in the new users of a larger problem, and keep all that was learned.

        Afterwards the policy believes what it would, had it been started on `problem` and learned
        from the same observations. Items need no such call: their contexts come with each choice.

        Parameters
        ----------
        problem : Problem
            As many users as before or more, of whom the first are those from before, and their
            graph; friendships between old users may be new, too. Of the rest, only d matters.

        Raises
        ------
        ConfigError
            If this policy cannot take in users, or the problem is not as described. Nothing has
            changed then.
        """
        raise ConfigError(
            f"{type(self).__name__} cannot take in users after its start: start it on the larger "
            "problem, and let it learn again."
        )

    def play(self, rounds: Rounds, picks: np.ndarray) -> None:
        """Play several rounds, as `choose` and `learn` would one after another.

        A policy may replace it by a compiled loop. A subclass that replaces `choose` or `learn`,
        but not `play`, gets this one.

        Parameters
        ----------
        rounds : Rounds
            T rounds.
        picks : ndarray of int32, shape (T,)
            Receives the rows of the chosen items.
        """
        self.play_singly(rounds, picks)

    def play_singly(self, rounds: Rounds, picks: np.ndarray) -> None:
        """Play several rounds by `choose` and `learn`, one after another."""
        for t, user in enumerate(rounds.users.tolist()):
            offered = rounds.features[rounds.items[t]]
            row = picks[t] = self.choose(user, offered)
            self.learn(user, offered[row], float(rounds.rewards[t, row]))

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        own = vars(cls)
        if "play" not in own and ("choose" in own or "learn" in own):
            cls.play = Policy.play

    def learned(self) -> dict[str, np.ndarray]:
        """Return what a finished run keeps besides its curve; mostly nothing."""
        return {}

    def notes(self) -> list[str]:
        """Return lines for the log of a finished run; mostly none."""
        return []


@dataclass(eq=False)
class Rule(Policy):
    """A choice rule over a posterior; a subclass adds choices, probabilities and checks in `start`.

    Parameters
    ----------
    posterior : Posterior
        What is believed about the users' preferences.

    Attributes
    ----------
    purpose : str
        Class attribute: what this rule draws random numbers for (see `horde.random`).
    """

    LEARNED = ("round_", "rng_", "posterior")
    purpose = "exploration"

    posterior: Posterior

    def start(self, problem: Problem) -> Self:
        """Forget everything learned and get ready for round 0 of `problem`."""
        self.posterior.start(problem)
        self.rng_ = problem.draws(self.purpose)
        self.size_ = problem.n_users, problem.n_features
        self.round_ = 0
        return self

    def scores(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T w_i for each row x of `features` (K, d), shape (K,)."""
        with self.posterior.unchanged():
            return linear_scores(features, self.posterior.mean(user))

    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Pass the observation on to the posterior."""
        self.posterior.observe(user, x, reward)
        self.round_ += 1

    def join(self, problem: Problem) -> None:
        """Take in the new users of a larger problem, where the posterior can."""
        n_users, d = self.size_
        if problem.n_users < n_users or problem.n_features != d:
            raise ConfigError(
                f"The larger problem has {problem.n_users} users and {problem.n_features} "
                f"features, but must have {n_users} users or more, and {d} features."
            )
        self.posterior.join(problem)
        self.size_ = problem.n_users, d

    def play_singly(self, rounds: Rounds, picks: np.ndarray) -> None:
        """Play several rounds one after another, or raise DataError if they are unusable."""
        rounds.require_usable(*self.size_)
        super().play_singly(rounds, picks)

    def arrays(self, rounds: Rounds, blocks: bool) -> tuple | None:
        """Return `Posterior.arrays` for these rounds, or raise DataError if they are unusable."""
        rounds.require_usable(*self.size_)
        return self.posterior.arrays(rounds.users, blocks)

    def take_over(self, played: int, rounds: Rounds, picks: np.ndarray, arrays: tuple) -> None:
        """Take note of what compiled rounds did, and raise DataError if not all were `played`."""
        self.posterior.played(arrays)
        self.round_ += played
        if played < len(rounds.users):
            raise too_long(rounds.features[rounds.items[played, picks[played]]])


def width_factors(alpha: float, ucb_log: bool, played: int, n_rounds: int) -> np.ndarray:
    """Return the `width_factor` of each of `n_rounds` rounds after the first `played`, (n,)."""
    if not ucb_log:
        return np.full(n_rounds, float(alpha))
    numbers = range(played + 1, played + n_rounds + 1)
    return np.array([width_factor(alpha, ucb_log, t) for t in numbers])


def width_factor(alpha: float, ucb_log: bool, round_number: int) -> float:
    """Return what a confidence width is multiplied by in a round.

    Parameters
    ----------
    alpha : float
        Discount alpha of the width.
    ucb_log : bool
        Whether alpha is multiplied by sqrt(log(t + 1)), to nine decimals.
    round_number : int
        Number t of the round, counted from 1.
    """
    if not ucb_log:
        return float(alpha)
    return alpha * round(math.sqrt(math.log(round_number + 1)), DIGITS)
