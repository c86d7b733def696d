"""Epoch-greedy: G-EG, EG-IND and EG-SIN (Section 4.1)."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from horde.checks import require_one_of, require_positive
from horde.errors import ConfigError
from horde.kernels.rounds import play_epoch_greedy
from horde.kernels.scores import pick_linear
from horde.policies.base import Policy, Probabilities, Rule, certain, uniform
from horde.problem import Problem, Rounds


def exploration_schedule(
    exploration: str, fraction: float, sqrt_constant: float, n_rounds: int
) -> np.ndarray:
    """Say which rounds explore.

    Parameters
    ----------
    exploration : {"interleaved", "front", "sqrt"}
        ``interleaved``: one round explores, round(1/fraction) - 1 rounds exploit, and so on;
        ``front``: the first fraction of the rounds explores;
        ``sqrt``: the q-th exploration round is followed by max(1, floor(sqrt(q)/sqrt_constant))
        rounds of exploitation.
    fraction : float
        Share of exploration rounds, in (0, 1]; not used by ``sqrt``.
    sqrt_constant : float
        Positive; used by ``sqrt`` only.
    n_rounds : int
        Number of rounds T.

    Returns
    -------
    ndarray of bool, shape (T,)
    """
    explores = np.zeros(n_rounds, dtype=bool)
    if exploration == "interleaved":
        explores[:: round(1 / fraction)] = True
    elif exploration == "front":
        explores[: round(fraction * n_rounds)] = True
    else:
        start, epoch = 0, 1
        while start < n_rounds:
            explores[start] = True
            start += 1 + max(1, math.floor(math.sqrt(epoch) / sqrt_constant))
            epoch += 1
    return explores


@dataclass(eq=False)
class EpochGreedy(Rule):
    """Explore uniformly in scheduled rounds, else choose argmax_x x^T w_i.

    Parameters
    ----------
    posterior : Posterior
        What is believed about the users' preferences.
    exploration : {"interleaved", "front", "sqrt"}
        Which rounds explore; see `exploration_schedule`.
    fraction : float
        Share of exploration rounds, in (0, 1].
    sqrt_constant : float
        Constant of the ``sqrt`` schedule, positive.
    learn_from : {"all", "exploration"}
        Rounds that are learned from: all, as in the paper's experiments, or those of exploration,
        as in its theory.
    """

    exploration: str = "interleaved"
    fraction: float = 0.1
    sqrt_constant: float = 1.0
    learn_from: str = "all"

    def start(self, problem: Problem) -> Self:
        """Forget everything learned and lay out the schedule of all T rounds."""
        require_one_of(("interleaved", "front", "sqrt"), exploration=self.exploration)
        require_one_of(("all", "exploration"), learn_from=self.learn_from)
        require_positive(fraction=self.fraction, sqrt_constant=self.sqrt_constant)
        if self.fraction > 1:
            raise ConfigError(f"fraction is {self.fraction!r}, but must be at most 1.")
        self.explores_ = exploration_schedule(
            self.exploration, self.fraction, self.sqrt_constant, problem.n_rounds
        )
        return super().start(problem)

    def choose(self, user: int, features: np.ndarray) -> int:
        """Return a random row in an exploration round, else that of the largest mean score."""
        if self.explores():
            return int(self.rng_.random() * len(features))
        return pick_linear(features, self.posterior.mean(user))

    def probabilities(
        self, user: int, features: np.ndarray, n_samples: int = 1000
    ) -> Probabilities:
        """Return 1/K each in an exploration round, else 1 for the row of the largest mean score."""
        if self.explores():
            return uniform(len(features))
        return certain(self.scores(user, features))

    def explores(self, n_rounds: int = 1) -> np.ndarray:
        """Say which of the next rounds explore (n_rounds,). Beyond round T the schedule goes on."""
        last = self.round_ + n_rounds
        while last > len(self.explores_):
            self.explores_ = np.append(self.explores_, self._later(len(self.explores_)))
        return self.explores_[self.round_ : last]

    def _later(self, n_rounds: int) -> np.ndarray:
        """Return as many rounds again as the first `n_rounds`, at least one."""
        more = max(n_rounds, 1)
        if self.exploration == "front":
            return np.zeros(more, dtype=bool)
        given = self.exploration, self.fraction, self.sqrt_constant
        return exploration_schedule(*given, n_rounds + more)[n_rounds:]

    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Learn from the reward, unless this round is not to be learned from."""
        if self.learn_from == "all" or self.explores():
            self.posterior.observe(user, x, reward)
        self.round_ += 1

    def play(self, rounds: Rounds, picks: np.ndarray) -> None:
        """Play several rounds in compiled code, where the posterior allows it."""
        arrays = self.arrays(rounds, blocks=False)
        if arrays is None:
            return Policy.play(self, rounds, picks)
        explores = self.explores(len(picks))
        learns = explores if self.learn_from == "exploration" else np.ones_like(explores)
        uniforms = self.rng_.random(explores.sum())
        played = play_epoch_greedy(rounds, picks, explores, uniforms, learns, arrays)
        self.take_over(played, rounds, picks, arrays)
