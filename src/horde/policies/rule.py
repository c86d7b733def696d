"""What the choice rules over a posterior have in common."""

from typing import Self

import numpy as np

from horde.files import nest, unnest
from horde.policies.base import Policy
from horde.posteriors.base import Posterior
from horde.problem import Problem
from horde.random import generator_state, restored_generator


class Rule(Policy):
    """A choice rule over a posterior; a subclass adds `choose`, and checks in `start`.

    Parameters
    ----------
    posterior : Posterior
        What is believed about the users' preferences.

    Attributes
    ----------
    purpose : str
        Class attribute: what this rule draws random numbers for (see `horde.random`).
    """

    purpose = "exploration"

    def __init__(self, posterior: Posterior):
        self.posterior = posterior

    def start(self, problem: Problem) -> Self:
        """Forget everything learned and get ready for round 0 of `problem`."""
        self.posterior.start(problem)
        self.rng_ = problem.draws(self.purpose)
        self.round_ = 0
        return self

    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Hand the observation to the posterior."""
        self.posterior.observe(user, x, reward)
        self.round_ += 1

    def state(self) -> dict[str, np.ndarray]:
        """Return the posterior's state, the generator's and the number of rounds learned."""
        return {
            "round": np.array(self.round_),
            "rng": generator_state(self.rng_),
            **nest("posterior", self.posterior.state()),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""
        self.round_ = int(state["round"])
        self.rng_ = restored_generator(state["rng"])
        self.posterior.restore(unnest("posterior", state))
