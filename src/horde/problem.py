"""The information that a policy receives before the first round."""

from dataclasses import dataclass

from horde.graph.precision import Precision
from horde.random import Draws


@dataclass(frozen=True)
class Problem:
    """The information that a policy receives before the first round.

    Attributes
    ----------
    n_users : int
        Number of users n.
    n_features : int
        Length d of a context vector.
    n_rounds : int
        Number of rounds T that will be played (front-loaded exploration needs it).
    draws : callable
        ``draws(purpose)`` gives the policy's random generator for that purpose
        (see `horde.random`): ``exploration``, ``posterior``, ``club_graph``.
    precision : Precision or None
        Prior precision L over the users; None if no graph is known.
    """

    n_users: int
    n_features: int
    n_rounds: int
    draws: Draws
    precision: Precision | None = None
