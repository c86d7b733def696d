"""What the policies of a benchmark play on: a prepared dataset, or a synthetic problem."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from horde.data import dataset as datasets
from horde.graph.kronecker import kronecker_graph
from horde.graph.precision import Precision, laplacian
from horde.policies import registry
from horde.policies.base import Policy
from horde.problem import Problem
from horde.random import draws, generator
from horde.simulation.stream import Stream, make_stream
from horde.simulation.synthetic import linear_stream, smooth_preferences, unit_contexts


@dataclass(frozen=True)
class Arena:
    """Graph, items and rounds.

    Attributes
    ----------
    name : str
        Key of the policies' draws.
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
        """Numbers of users n, features d and edges."""
        return self.precision.n_users, self.features.shape[1], self.precision.n_edges

    def start(self, policy: str, params: dict, seed: int = 0) -> Policy:
        """Make a policy and start it here."""
        n_users, n_features, _ = self.size
        draw = draws(self.name, seed)
        problem = Problem(n_users, n_features, self.stream.n_rounds, draw, self.precision)
        return registry.make(policy, **params).start(problem)


@dataclass(frozen=True)
class Prepared:
    """A prepared dataset and the stream of a seed.

    Attributes
    ----------
    path : path
        File of the dataset (`horde.data.dataset`).
    rounds, offered, seed : int
        Of the stream (`horde.simulation.stream.make_stream`).
    """

    path: Path
    rounds: int
    offered: int = 25
    seed: int = 0

    def make(self) -> Arena:
        """Load and draw."""
        data = datasets.load(self.path)
        stream = make_stream(data, self.seed, self.rounds, self.offered)
        return Arena(data.name, data.precision(), data.features, stream)


@dataclass(frozen=True)
class Synthetic:
    """A stochastic Kronecker graph, unit contexts, smooth preferences and linear ratings.

    Attributes
    ----------
    n, d : int
        Numbers of users and features.
    density : float
        Expected edges over pairs of users.
    rounds, offered, items, seed : int
        Number of rounds, items offered in each, of how many; seed of all draws.
    shape : tuple
        Shape of the graph's initiator (`horde.graph.kronecker.Initiator.scaled`).
    """

    n: int
    d: int
    density: float
    rounds: int
    offered: int = 25
    items: int = 1000
    seed: int = 0
    shape: tuple = ((0.9, 0.6), (0.6, 0.5))

    def make(self) -> Arena:
        """Draw graph, contexts, preferences and stream."""
        rng = generator("bench", self.seed, "arena")
        graph = kronecker_graph(self.n, self.density, self.shape, rng)
        features = unit_contexts(self.items, self.d, rng)
        preferences = smooth_preferences(graph, self.d, 3, rng)
        stream = linear_stream(features, preferences, 0.1, self.rounds, self.offered, rng)
        return Arena("bench", laplacian(graph), features, stream)
