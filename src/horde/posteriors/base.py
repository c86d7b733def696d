"""The contract between a posterior and the policies that choose with it, and arrays by slot."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

import numpy as np

from horde.errors import ConfigError, DataError
from horde.problem import Problem
from horde.state import Stateful


class Posterior(Stateful, ABC):
    """The posterior N(w, P^-1) of all users' preferences given the observations so far.

    P = blockdiag(A_i)/sigma^2 + lambda L kron I_d and P w = b/sigma^2, where A_i sums x x^T and
    b_i sums r x over user i's observations (Section 3.2). Like a policy, it stores
    its hyper-parameters, `start` allocates the state, and `LEARNED` names it.
    """

    @abstractmethod
    def start(self, problem: Problem) -> Self:
        """Go back to the prior."""

    @abstractmethod
    def mean(self, user: int) -> np.ndarray:
        """Return the mean w_i of one user, shape (d,); a view, valid until the next call."""

    @abstractmethod
    def variances(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return x^T (P^-1)_ii x for each row x of `features`, shape (K,), not negative."""

    @abstractmethod
    def sample(self, user: int, normal: np.random.Generator, scale: float) -> np.ndarray:
        """Draw the user's part of a sample of N(w, scale * P^-1), shape (d,)."""

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Undo, at the end of a `with` block, what `mean` and `sample` did to the solution.

        A posterior that is solved approximately may go on solving when it is asked. Others, as
        here, have nothing to undo.
        """
        yield

    @abstractmethod
    def observe(self, user: int, x: np.ndarray, reward: float) -> None:
        """Add the observation (x, reward) of one user."""

    def join(self, problem: Problem) -> None:
        """Take in the new users of a larger problem; ConfigError if this posterior cannot.

        The mean and the covariance are afterwards those of `problem` with the same observations.
        """
        raise ConfigError(
            f"The posterior {type(self).__name__} cannot take in users after its start: choose "
            "another solver, or start on the larger problem and learn again."
        )

    def arrays(self, users: np.ndarray, blocks: bool) -> tuple | None:
        """Return all that compiled rounds need, a tuple of `horde.kernels.posteriors`.

        None, as here, means that there are no kernels for it: rounds are then played one by one.

        Parameters
        ----------
        users : ndarray of int, shape (T,)
            Users that may be observed before `played` is called.
        blocks : bool
            Whether `variances` or `sample` are needed, too, not `mean` alone.
        """
        return None

    def played(self, arrays: tuple) -> None:
        """Take over what compiled rounds have changed besides the contents of arrays."""


def too_long(x: np.ndarray) -> DataError:
    """Return the error for a context vector x (d,) whose observation the prior does not survive."""
    return DataError(
        f"A context of largest entry {np.abs(x).max():.3g} outweighs the prior so far that the "
        "prior's digits are lost: scale the contexts to lengths of about 1, or raise lam or sigma."
    )


def lengthened(array: np.ndarray, n_rows: int, value: float = 0) -> np.ndarray:
    """Return a copy of `array` with rows of `value` added, up to `n_rows` rows."""
    longer = np.full((n_rows, *array.shape[1:]), value, array.dtype)
    longer[: len(array)] = array
    return longer


class Slots(Stateful):
    """Arrays with one row a slot, which double when full.

    Each array is an attribute; it has spare rows, and a new one takes its place when it is full:
    do not keep it beyond the next `open`.

    Attributes
    ----------
    used : int
        Number of slots that are open.
    """

    def __init__(self):
        self.used, self.capacity = 0, 16
        self._names: list[str] = []

    def add(self, name: str, shape: tuple[int, ...], dtype: type = np.float64) -> None:
        """Add an array with one row of `shape` a slot, zero at first."""
        setattr(self, name, np.zeros((self.capacity, *shape), dtype))
        self._names.append(name)

    def rows(self, name: str) -> np.ndarray:
        """Return the rows of an array that belong to an open slot."""
        return getattr(self, name)[: self.used]

    def reserve(self, count: int) -> None:
        """Make room for `count` more slots."""
        needed = self.used + count
        if needed > self.capacity:
            self.capacity = max(2 * self.capacity, needed, 16)
            for name in self._names:
                old = getattr(self, name)
                larger = np.zeros((self.capacity, *old.shape[1:]), old.dtype)
                larger[: self.used] = old[: self.used]
                setattr(self, name, larger)

    def open(self) -> int:
        """Open a slot, its rows zero, and return its number."""
        self.reserve(1)
        self.used += 1
        return self.used - 1

    def state(self) -> dict[str, np.ndarray]:
        """Return the rows of all arrays that belong to an open slot."""
        return {name: self.rows(name).copy() for name in self._names}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned, and the set of arrays that there were."""
        for name in {*self._names} - {*state}:
            delattr(self, name)
        self._names = list(state)
        for name, array in state.items():
            setattr(self, name, array.copy())
        self.used = self.capacity = len(array)
