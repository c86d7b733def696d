"""Thompson sampling: G-TS, TS-IND and TS-SIN (Section 4.2)."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from horde.checks import require_not_negative, require_whole
from horde.kernels.rounds import play_thompson
from horde.kernels.scores import pick_linear
from horde.policies.base import Policy, Probabilities, Rule, certain
from horde.problem import Problem, Rounds
from horde.random import derived


@dataclass(eq=False)
class Thompson(Rule):
    """Choose argmax_x x^T w for one draw of w from N(w_i, scale (P^-1)_ii) a round.

    Parameters
    ----------
    posterior : Posterior
        What is believed about the users' preferences.
    scale : float
        Factor on the posterior variance (its reshaping), at least 0.
    """

    purpose = "posterior"

    scale: float = 0.01

    def start(self, problem: Problem) -> Self:
        """Forget everything learned; refuse a negative scale."""
        require_not_negative(scale=self.scale)
        return super().start(problem)

    def choose(self, user: int, features: np.ndarray) -> int:
        """Return the row of the largest score under the round's draw."""
        if self.scale == 0:
            return pick_linear(features, self.posterior.mean(user))
        return pick_linear(features, self.posterior.sample(user, self.rng_, self.scale))

    def probabilities(
        self, user: int, features: np.ndarray, n_samples: int = 1000
    ) -> Probabilities:
        """Estimate by Monte Carlo how probable each row of `features` (K, d) is to be chosen.

        The share p of `n_samples` draws N in which a row is the best, and its standard error
        sqrt(q (1 - q) / N) with q = (N p + 1) / (N + 2), which is not 0 where p is. The draws
        depend on what the policy's own generator would draw next, but do not move it.

        Raises
        ------
        ConfigError
            If `n_samples` is not a whole number of at least 1.
        """
        require_whole(n_samples=n_samples)
        if self.scale == 0:
            return certain(self.scores(user, features))
        normal, counts = derived(self.rng_), np.zeros(len(features))
        with self.posterior.unchanged():
            for _ in range(n_samples):
                w = self.posterior.sample(user, normal, self.scale)
                counts[pick_linear(features, w)] += 1
        smoothed = (counts + 1) / (n_samples + 2)
        errors = np.sqrt(smoothed * (1 - smoothed) / n_samples)
        return Probabilities(counts / n_samples, errors)

    def play(self, rounds: Rounds, picks: np.ndarray) -> None:
        """Play several rounds in compiled code, where the posterior allows it."""
        arrays = self.arrays(rounds, blocks=self.scale != 0)
        if arrays is None:
            return Policy.play(self, rounds, picks)
        n_normals = 0 if self.scale == 0 else rounds.features.shape[1]
        normals = self.rng_.standard_normal((len(picks), n_normals))
        played = play_thompson(rounds, picks, normals, float(self.scale), arrays)
        self.take_over(played, rounds, picks, arrays)
