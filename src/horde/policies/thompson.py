"""Thompson sampling: G-TS, TS-IND and TS-SIN (Section 4.2)."""

from typing import Self

import numpy as np

from horde.checks import require_not_negative
from horde.kernels.scores import pick_linear
from horde.policies.base import Rule
from horde.posteriors.base import Posterior
from horde.problem import Problem


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

    def __init__(self, posterior: Posterior, scale: float = 0.01):
        super().__init__(posterior)
        self.scale = scale

    def start(self, problem: Problem) -> Self:
        """Forget everything learned; refuse a negative scale."""
        require_not_negative(scale=self.scale)
        return super().start(problem)

    def choose(self, user: int, features: np.ndarray) -> int:
        """Return the row of the largest score under the round's draw."""
        return pick_linear(features, self.posterior.sample(user, self.rng_, self.scale))
