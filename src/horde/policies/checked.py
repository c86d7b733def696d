"""A policy that checks what it is given, for callers whose arrays nobody has checked before."""

from typing import Self

import numpy as np

from horde.policies.base import Policy
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
        By `choose` and `learn`, if an argument has a wrong shape or range or is not finite, or if
        all rounds of the problem were played; nothing has changed then. By `restore`, if the state
        is not one of this policy; it must be started again then.
    """

    def __init__(self, policy: Policy):
        self.policy = policy

    def start(self, problem: Problem) -> Self:
        """Forget everything learned and get ready for round 0 of `problem`."""
        self.policy.start(problem)
        self.problem_, self.round_ = problem, 0
        return self

    def choose(self, user: int, features: np.ndarray) -> int:
        """Return the row of the chosen item in `features` (K, d)."""
        if self.round_ >= self.problem_.n_rounds:
            raise ValueError(f"all {self.problem_.n_rounds} rounds of the problem were played")
        features = _finite(features, "features")
        d = self.problem_.n_features
        if features.ndim != 2 or len(features) == 0 or features.shape[1] != d:
            raise ValueError(
                f"features: shape {features.shape}, but must be (K, {d}), K at least 1"
            )
        return self.policy.choose(self._user(user), features)

    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Learn from the reward of the item just chosen, whose context is `x` (d,)."""
        x, d = _finite(x, "x"), self.problem_.n_features
        if x.shape != (d,):
            raise ValueError(f"x: shape {x.shape}, but must be ({d},)")
        self.policy.learn(self._user(user), x, float(_finite(reward, "reward")))
        self.round_ += 1

    def state(self) -> dict[str, np.ndarray]:
        """Return all that was learned, and the number of rounds."""
        return {"rounds_played": np.array(self.round_), **self.policy.state()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""
        try:
            self.round_ = int(state["rounds_played"])
            self.policy.restore({key: state[key] for key in state if key != "rounds_played"})
        except KeyError as error:
            raise ValueError(
                f"the state of another policy, or of other settings: no {error}"
            ) from error

    def learned(self) -> dict[str, np.ndarray]:
        """Return what is kept of a finished run beside its curve; mostly nothing."""
        return self.policy.learned()

    def notes(self) -> list[str]:
        """Return what the log of a finished run should say; mostly nothing."""
        return self.policy.notes()

    def _user(self, user: int) -> int:
        n = self.problem_.n_users
        if int(user) != user or not 0 <= user < n:
            raise ValueError(f"user: {user}, but must be a whole number from 0 to {n - 1}")
        return int(user)


def _finite(values: np.ndarray, name: str) -> np.ndarray:
    """Return C-contiguous floats."""
    values = np.asarray(values, dtype=float, order="C")
    if not np.isfinite(values).all():
        raise ValueError(f"{name}: holds NaN or infinity")
    return values
