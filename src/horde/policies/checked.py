"""A policy that checks what it is given, for callers whose arrays nobody has checked before."""

from typing import Any, Self

import numpy as np

from horde.kernels.linalg import within
from horde.policies.base import Policy
from horde.problem import Problem

# Beyond, the square of a number overflows, or that of a sum.
LARGEST = 1e100
NOT_FINITE = "NaN or infinity, or a number above 1e100"


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
        By `choose` and `learn`, if an argument has a wrong type, shape or range or is not finite,
        or if all rounds of the problem were played; by `restore`, if the state is one of another
        policy, of other settings or of a problem of another size. Nothing has changed then.
    """

    def __init__(self, policy: Policy):
        self.policy = policy

    def start(self, problem: Problem) -> Self:
        """Forget everything learned and get ready for round 0 of `problem`."""
        self.policy.start(problem)
        self.problem_, self.round_ = problem, 0
        size = problem.n_users, problem.n_features, problem.n_rounds
        self.made_for_ = f"{_params(self.policy)} (n, d, T) = {size}"
        return self

    def choose(self, user: int, features: np.ndarray) -> int:
        """Return the row of the chosen item in `features` (K, d)."""
        self._check_turn(user)
        features, d = _floats(features, "features"), self.problem_.n_features
        if features.ndim != 2 or len(features) == 0 or features.shape[1] != d:
            raise ValueError(
                f"features: shape {features.shape}, but must be (K, {d}), K at least 1"
            )
        _check_finite(features, "features")
        return self.policy.choose(int(user), features)

    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Learn from the reward of the item just chosen, whose context is `x` (d,)."""
        self._check_turn(user)
        x = _floats(x, "x")
        if x.shape != (self.problem_.n_features,):
            raise ValueError(f"x: shape {x.shape}, but must be ({self.problem_.n_features},)")
        _check_finite(x, "x")
        if type(reward) is not float:
            reward = _floats(reward, "reward")
            if reward.ndim:
                raise ValueError(f"reward: shape {reward.shape}, but must be a number")
        if not abs(reward) <= LARGEST:
            raise ValueError(f"reward: holds {NOT_FINITE}")
        self.policy.learn(int(user), x, float(reward))
        self.round_ += 1

    def state(self) -> dict[str, np.ndarray]:
        """Return all that was learned, in how many rounds, and what it was learned by."""
        own = {"made_for": np.array(self.made_for_), "rounds_played": np.array(self.round_)}
        return own | self.policy.state()

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""
        made_for = str(state.get("made_for"))
        if made_for != self.made_for_:
            raise ValueError(f"the state of {made_for}, but this is {self.made_for_}")
        self.round_ = int(state["rounds_played"])
        own = ("made_for", "rounds_played")
        self.policy.restore({key: value for key, value in state.items() if key not in own})

    def learned(self) -> dict[str, np.ndarray]:
        """Return what is a finished run keeps besides its curve; mostly nothing."""
        return self.policy.learned()

    def notes(self) -> list[str]:
        """Return what the log of a finished run should say; mostly nothing."""
        return self.policy.notes()

    def _check_turn(self, user: int) -> None:
        n, n_rounds = self.problem_.n_users, self.problem_.n_rounds
        if self.round_ >= n_rounds:
            raise ValueError(f"all {n_rounds} rounds of the problem were played")
        if not isinstance(user, (int, np.integer)) or not 0 <= user < n:
            raise ValueError(f"user: {user!r}, but must be a whole number from 0 to {n - 1}")


def _floats(values: Any, name: str) -> np.ndarray:
    """Return an array of floats in C order: `values` itself where it is one."""
    if type(values) is np.ndarray and values.dtype == np.float64 and values.flags.c_contiguous:
        return values
    try:
        return np.asarray(values, dtype=float, order="C")
    except (TypeError, ValueError):
        raise ValueError(f"{name}: must be numbers, of one length in each row") from None


def _check_finite(values: np.ndarray, name: str) -> None:
    if not within(values, LARGEST):
        raise ValueError(f"{name}: holds {NOT_FINITE}")


def _params(part: Any) -> str:
    """Write what a policy, or a part of it, was made with: not what `start` allocates."""
    if not hasattr(part, "__dict__"):
        return repr(part)
    given = (f"{key}={_params(value)}" for key, value in vars(part).items() if key[-1] != "_")
    return f"{type(part).__name__}({', '.join(given)})"
