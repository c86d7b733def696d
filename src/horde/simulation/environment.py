"""The environment of a policy: the users' graph, the items and the rounds."""

import os
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from horde import files
from horde.data import dataset as datasets
from horde.graph.precision import Precision
from horde.policies import memory
from horde.policies.base import Policy
from horde.problem import Problem
from horde.random import draws
from horde.simulation.stream import Stream, make_stream


@dataclass(frozen=True)
class Environment:
    """Graph, items and rounds.

    Attributes
    ----------
    name : str
        Key of the policies' random draws.
    precision : Precision
        L.
    features : ndarray of float64, shape (n_items, d)
        Context vectors.
    stream : Stream
        The rounds.
    """

    name: str
    precision: Precision
    features: np.ndarray
    stream: Stream

    @property
    def size(self) -> tuple[int, int, int]:
        """Return the numbers of users n, features d and edges."""
        return self.precision.n_users, self.features.shape[1], self.precision.n_edges

    def offer(self, t: int) -> tuple[int, np.ndarray, np.ndarray]:
        """Return user, contexts (K, d) and rewards (K,) of the items offered in round `t`."""
        stream = self.stream
        return int(stream.users[t]), self.features[stream.items[t]], stream.rewards[t]

    def problem(self, seed: int = 0) -> Problem:
        """Return what a policy is told at its start, with the random draws of a seed."""
        n_users, n_features, _ = self.size
        draw = draws(self.name, seed)
        return Problem(n_users, n_features, self.stream.n_rounds, draw, self.precision)

    def start(self, policy: str, params: dict, seed: int = 0) -> Policy:
        """Make a policy and start it here; raise ConfigError if it does not fit into memory."""
        return memory.start(policy, params, self.problem(seed))

    def save(self, path: str | os.PathLike) -> None:
        """Write the environment to one npz file, for another process."""
        arrays = vars(self.precision) | vars(self.stream)
        files.save_arrays(path, name=np.array(self.name), features=self.features, **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Self:
        """Read what `save` wrote."""
        arrays = files.load_arrays(path)
        precision, stream = (
            kind(**{field.name: arrays[field.name] for field in fields(kind)})
            for kind in (Precision, Stream)
        )
        return cls(str(arrays["name"]), precision, arrays["features"], stream)


def dataset_environment(
    path: str | os.PathLike, rounds: int, offered: int = 25, seed: int = 0
) -> Environment:
    """Return a prepared dataset with the stream of a seed.

    Parameters
    ----------
    path : path
        As `horde.data.dataset.Dataset.save` wrote it.
    rounds, offered, seed : int
        Arguments of the stream (`horde.simulation.stream.make_stream`).
    """
    data = datasets.load(path)
    stream = make_stream(data, seed, rounds, offered)
    return Environment(data.name, data.precision(), data.features, stream)
