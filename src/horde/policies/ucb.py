"""Upper confidence bounds: LINUCB-IND, LINUCB-SIN, GOBLIN and GOBLIN++."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from horde.checks import require_not_negative, require_one_of
from horde.kernels.rounds import play_upper
from horde.kernels.scores import linear_scores, pick
from horde.policies.base import (
    Policy,
    Probabilities,
    Rule,
    certain,
    width_factor,
    width_factors,
)
from horde.problem import Problem, Rounds


@dataclass(eq=False)
class UCB(Rule):
    """Choose argmax_x x^T w_i + alpha sqrt(x^T (P^-1)_ii x).

    Parameters
    ----------
    posterior : Posterior
        What is believed about the users' preferences.
    alpha : float
        Discount alpha of the confidence width, at least 0.
    ucb_log : bool
        Whether alpha grows as sqrt(log(t + 1)), t the round counted from 1.
    """

    alpha: float = 0.01
    ucb_log: bool = False

    def start(self, problem: Problem) -> Self:
        """Forget everything learned; refuse a negative alpha."""
        require_not_negative(alpha=self.alpha)
        require_one_of((True, False), ucb_log=self.ucb_log)
        return super().start(problem)

    def choose(self, user: int, features: np.ndarray) -> int:
        """Return the row of the largest upper confidence bound."""
        return pick(self._bounds(user, features))

    def scores(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return the upper confidence bound of each row of `features` (K, d), shape (K,)."""
        with self.posterior.unchanged():
            return self._bounds(user, features)

    def probabilities(
        self, user: int, features: np.ndarray, n_samples: int = 1000
    ) -> Probabilities:
        """Return 1 for the row of the largest upper confidence bound, and 0 for the others."""
        return certain(self.scores(user, features))

    def play(self, rounds: Rounds, picks: np.ndarray) -> None:
        """Play several rounds in compiled code, where the posterior allows it."""
        arrays = self.arrays(rounds, blocks=self.alpha != 0)
        if arrays is None:
            return Policy.play(self, rounds, picks)
        factors = width_factors(self.alpha, self.ucb_log, self.round_, len(picks))
        self.take_over(play_upper(rounds, picks, factors, arrays), rounds, picks, arrays)

    def _bounds(self, user: int, features: np.ndarray) -> np.ndarray:
        scores = linear_scores(features, self.posterior.mean(user))
        if self.alpha == 0:
            return scores
        factor = width_factor(self.alpha, self.ucb_log, self.round_ + 1)
        return scores + factor * np.sqrt(self.posterior.variances(user, features))
