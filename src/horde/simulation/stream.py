"""Streams: the served user and the offered items of each round, the same for all policies."""

from dataclasses import dataclass

import numpy as np

from horde.data.dataset import Dataset
from horde.errors import ConfigError, DataError
from horde.kernels.streams import draw_rounds
from horde.problem import Rounds
from horde.random import generator


@dataclass(frozen=True)
class Stream:
    """T rounds of K offered items each.

    Attributes
    ----------
    users : ndarray of int32, shape (T,)
        The user served in each round.
    items : ndarray of int32, shape (T, K)
        The offered items, in the offered order.
    rewards : ndarray, shape (T, K)
        The reward of each offered item.
    expected : ndarray, shape (T, K)
        Expected rewards, which define regret; for likes, the same 0/1 array as `rewards`.
    """

    users: np.ndarray
    items: np.ndarray
    rewards: np.ndarray
    expected: np.ndarray

    @property
    def n_rounds(self) -> int:
        """Number of rounds T."""
        return len(self.users)

    @property
    def n_offered(self) -> int:
        """Number K of items offered per round."""
        return self.items.shape[1]

    def rounds(self, features: np.ndarray, first: int, last: int) -> Rounds:
        """Return the rounds from `first` to before `last`, with the items' `features`."""
        return Rounds(self.users, self.items, self.rewards, features).part(first, last)


def make_stream(
    dataset: Dataset, seed: int, n_rounds: int, n_offered: int, purpose: str = "stream"
) -> Stream:
    """Draw the stream of (dataset, seed, purpose).

    In each round, a user is drawn uniformly among those who like something, and then one of the
    user's liked items. K - 1 further items are drawn without replacement from all others; some may
    be liked too. The K items are offered in random order. The reward is 1 for a liked item, else 0.
    A longer stream begins with the rounds of a shorter one.

    Parameters
    ----------
    dataset : Dataset
        Provides items and likes; its name keys the draws.
    seed : int
        Seed of the run.
    n_rounds, n_offered : int
        T >= 1 and K >= 1.
    purpose : str
        ``stream``, or ``validation`` for the stream of tuning.

    Returns
    -------
    Stream

    Raises
    ------
    ConfigError
        If T or K is below 1, or K is more than the number of items.
    DataError
        If nobody likes anything.
    """
    if n_rounds < 1:
        raise ConfigError(f"A stream of {n_rounds} rounds: ask for at least one.")
    if not 1 <= n_offered <= dataset.n_items:
        raise ConfigError(
            f"{n_offered} items per round are requested, but dataset {dataset.name!r} has "
            f"{dataset.n_items}: offer between 1 and that many."
        )
    eligible = np.flatnonzero(np.diff(dataset.liked_indptr)).astype(np.int32)
    if len(eligible) == 0:
        raise DataError(f"No user of dataset {dataset.name!r} likes any item: check its pairs.")
    uniforms = generator(dataset.name, seed, purpose).random((n_rounds, n_offered + 2))
    users, items, rewards = draw_rounds(
        uniforms, eligible, dataset.liked_indptr, dataset.liked_items, dataset.n_items, n_offered
    )
    return Stream(users, items, rewards, rewards)
