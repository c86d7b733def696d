"""A policy that checks what it is given, for callers whose arrays nobody has checked before."""

from dataclasses import replace
from typing import Any, Self

import numpy as np

from horde.kernels.arguments import LARGEST, usable_observation, usable_offer
from horde.policies.base import Policy, Probabilities
from horde.problem import Problem


class Checked(Policy):
    """Any policy, with its arguments checked before compiled code, which checks none, sees them.

    The workflow checks its data once, when it reads them, and needs no such wrapper.

    Parameters
    ----------
    policy : Policy
        The policy that chooses and learns.

    Raises
    ------
    ValueError
        By `choose`, `learn`, `scores` and `probabilities`, if an argument has a wrong type, shape
        or range or is not finite, or if all rounds of the problem were played; by `restore`, if
        the state is one of another policy, of other settings or of a problem of another size.
        Nothing has changed then.
    """

    def __init__(self, policy: Policy):
        self.policy = policy

    def start(self, problem: Problem) -> Self:
        """Forget everything learned and get ready for round 0 of `problem`."""
        self.policy.start(problem)
        self.problem_, self.left_ = problem, problem.n_rounds
        self.n_, self.d_ = problem.n_users, problem.n_features
        return self

    def join(self, problem: Problem) -> None:
        """Take in the new users of a larger problem; the number of rounds stays."""
        self.policy.join(problem)
        self.problem_ = replace(problem, n_rounds=self.problem_.n_rounds)
        self.n_ = problem.n_users

    def choose(self, user: int, features: np.ndarray) -> int:
        """Return the row of the chosen item in `features` (K, d)."""
        return self.policy.choose(*self._offered(user, features))

    def scores(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return what the policy ranks the rows of `features` (K, d) by, shape (K,)."""
        return self.policy.scores(*self._offered(user, features))

    def probabilities(
        self, user: int, features: np.ndarray, n_samples: int = 1000
    ) -> Probabilities:
        """Return the probabilities of what `choose` would return now."""
        return self.policy.probabilities(*self._offered(user, features), n_samples)

    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Learn from the reward of the item just chosen, whose context is `x` (d,)."""
        if type(user) is not int:
            user = self._whole(user)
        try:
            usable = usable_observation(x, reward, user, self.left_, self.n_, self.d_)
        except (TypeError, OverflowError):
            usable = False
        if not usable:
            x, reward = self._observation(user, x, reward)
        self.policy.learn(user, x, float(reward))
        self.left_ -= 1

    @property
    def made_for_(self) -> str:
        """What the policy was made with, and the size of its problem."""
        size = self.n_, self.d_, self.problem_.n_rounds
        made_for = f"{_params(self.policy)} (n, d, T) = {size}"
        precision = self.problem_.precision
        return made_for if precision is None else f"{made_for} on graph {precision.digest}"

    def state(self) -> dict[str, np.ndarray]:
        """Return all that was learned, in how many rounds, and what it was learned by."""
        own = {"made_for": np.array(self.made_for_), "rounds_played": np.array(self.round_)}
        return own | self.policy.state()

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""
        made_for = str(state.get("made_for"))
        if made_for != self.made_for_:
            raise ValueError(f"the state of {made_for}, but this is {self.made_for_}")
        self.left_ = self.problem_.n_rounds - int(state["rounds_played"])
        own = ("made_for", "rounds_played")
        self.policy.restore({key: value for key, value in state.items() if key not in own})

    def learned(self) -> dict[str, np.ndarray]:
        """Return what is a finished run keeps besides its curve; mostly nothing."""
        return self.policy.learned()

    def notes(self) -> list[str]:
        """Return what the log of a finished run should say; mostly nothing."""
        return self.policy.notes()

    @property
    def round_(self) -> int:
        """Number of rounds played."""
        return self.problem_.n_rounds - self.left_

    def _offered(self, user: int, features: np.ndarray) -> tuple[int, np.ndarray]:
        if type(user) is not int:
            user = self._whole(user)
        try:
            usable = usable_offer(features, user, self.left_, self.n_, self.d_)
        except (TypeError, OverflowError):
            usable = False
        if not usable:
            features = self._offer(user, features)
        return user, features

    def _whole(self, user: Any) -> int:
        if not isinstance(user, (int, np.integer)):
            raise ValueError(self._wrong_user(user))
        return int(user)

    def _wrong_user(self, user: Any) -> str:
        return f"user: {user!r}, but must be a whole number from 0 to {self.n_ - 1}"

    # The two functions below see what the kernels found unusable: wrong, or to be converted.

    def _offer(self, user: int, features: Any) -> np.ndarray:
        self._check_turn(user)
        features = _floats(features, "features")
        if features.ndim != 2 or len(features) == 0 or features.shape[1] != self.d_:
            raise ValueError(
                f"features: shape {features.shape}, but must be (K, {self.d_}), K at least 1"
            )
        return _finite(features, "features")

    def _observation(self, user: int, x: Any, reward: Any) -> tuple[np.ndarray, np.ndarray]:
        self._check_turn(user)
        x, reward = _floats(x, "x"), _floats(reward, "reward")
        if x.shape != (self.d_,):
            raise ValueError(f"x: shape {x.shape}, but must be ({self.d_},)")
        if reward.ndim:
            raise ValueError(f"reward: shape {reward.shape}, but must be a number")
        return _finite(x, "x"), _finite(reward, "reward")

    def _check_turn(self, user: int) -> None:
        if not self.left_:
            raise ValueError(f"all {self.problem_.n_rounds} rounds of the problem were played")
        if not 0 <= user < self.n_:
            raise ValueError(self._wrong_user(user))


def _floats(values: Any, name: str) -> np.ndarray:
    """Return an array of floats in C order."""
    try:
        return np.asarray(values, dtype=float, order="C")
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}: must be numbers, of one length in each row") from None


def _finite(values: np.ndarray, name: str) -> np.ndarray:
    # NaN is in no interval.
    if not (np.abs(values) <= LARGEST).all():
        raise ValueError(f"{name}: holds NaN or infinity, or a number above 1e100")
    return values


def _params(part: Any) -> str:
    """Write what a policy, or a part of it, was made with: not what `start` allocates."""
    if not hasattr(part, "__dict__"):
        return repr(part)
    given = (f"{key}={_params(value)}" for key, value in vars(part).items() if key[-1] != "_")
    return f"{type(part).__name__}({', '.join(given)})"
