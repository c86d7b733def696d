"""Synthetic problems: unit contexts, preferences that are smooth over a graph, linear ratings."""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from horde.graph.kronecker import kronecker_graph
from horde.graph.precision import laplacian
from horde.machine import require_memory
from horde.random import generator
from horde.simulation.environment import Environment
from horde.simulation.stream import Stream


def unit_contexts(n_items: int, n_features: int, rng: np.random.Generator) -> np.ndarray:
    """Draw context vectors uniformly from the unit sphere.

    Returns
    -------
    ndarray of float64, shape (n_items, n_features)
        Rows of norm 1, within the bound of Assumption 1.
    """
    return _unit_rows(rng.standard_normal((n_items, n_features)))


def smooth_preferences(
    graph: sparse.csr_matrix, n_features: int, steps: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw preferences w* that vary smoothly over a graph.

    Each user's vector starts with independent standard normal numbers. Each step moves it half-way
    to the mean of the neighbours' vectors. At the end it is scaled to norm 1.

    Parameters
    ----------
    graph : scipy.sparse.csr_matrix, shape (n, n)
        Adjacency matrix: 0/1, symmetric, zero diagonal.
    n_features : int
        Length d of a user's vector.
    steps : int
        Number of steps, at least 0. More steps give smoother preferences; 0 ignores the graph.
    rng : numpy.random.Generator
        The source of all randomness.

    Returns
    -------
    ndarray of float64, shape (n, d)
        Rows of norm 1, within the bound of Assumption 1.
    """
    preferences = rng.standard_normal((graph.shape[0], n_features))
    degrees = np.diff(graph.indptr)
    connected = degrees > 0
    for _ in range(steps):
        means = graph @ preferences / np.maximum(degrees, 1)[:, None]
        preferences[connected] += 0.5 * (means - preferences)[connected]
    return _unit_rows(preferences)


def linear_stream(
    features: np.ndarray,
    preferences: np.ndarray,
    noise: float,
    n_rounds: int,
    n_offered: int,
    rng: np.random.Generator,
) -> Stream:
    """Draw rounds whose ratings are linear in the context: r = x^T w*_i + noise * normal.

    Parameters
    ----------
    features : ndarray of float64, shape (n_items, d)
        Context vectors of the items.
    preferences : ndarray of float64, shape (n, d)
        The users' true preferences w*.
    noise : float
        Standard deviation of a rating, at least 0.
    n_rounds : int
        Number of rounds T.
    n_offered : int
        Number K of different items offered per round, at most n_items.
    rng : numpy.random.Generator
        The source of all randomness.

    Returns
    -------
    Stream
        Users and items are uniform; ``expected`` is x^T w*_i, ``rewards`` are the noisy ratings.
    """
    users = rng.integers(len(preferences), size=n_rounds, dtype=np.int32)
    items = np.empty((n_rounds, n_offered), dtype=np.int32)
    for t in range(n_rounds):
        items[t] = rng.choice(len(features), n_offered, replace=False)
    expected = np.zeros((n_rounds, n_offered))
    # Sum column by column, so that the order does not depend on the processor.
    for j in range(features.shape[1]):
        expected += features[items, j] * preferences[users, j][:, None]
    rewards = expected + noise * rng.standard_normal(expected.shape)
    return Stream(users, items, rewards, expected)


def linear_environment(
    name: str,
    graph: sparse.csr_matrix,
    n_features: int,
    params: dict,
    n_rounds: int,
    n_offered: int,
    draw: Callable[[str], np.random.Generator],
) -> Environment:
    """Draw unit contexts, smooth preferences and linear ratings for a graph.

    Parameters
    ----------
    name : str
        Key of the policies' random draws.
    graph : scipy.sparse.csr_matrix, shape (n, n)
        Adjacency matrix: 0/1, symmetric, zero diagonal.
    n_features : int
        Number of features d.
    params : dict
        ``items``, the number of items; ``smoothing``, the steps of `smooth_preferences`; ``noise``,
        the standard deviation of a rating.
    n_rounds, n_offered : int
        Numbers of rounds T and of items K offered per round.
    draw : callable
        Returns the generator of a purpose: ``contexts``, ``preferences``, then ``stream``.

    Raises
    ------
    ConfigError
        If the problem does not fit into memory.
    """
    n_users = graph.shape[0]
    # Four arrays of preferences exist at a time, and five numbers per offered item.
    require_memory(
        32 * n_users * n_features + 40 * n_rounds * n_offered,
        f"a problem of {n_users:,} users, {n_features:,} features and {n_rounds:,} rounds",
        "choose fewer users, features or rounds.",
    )
    features = unit_contexts(params["items"], n_features, draw("contexts"))
    preferences = smooth_preferences(graph, n_features, params["smoothing"], draw("preferences"))
    stream = linear_stream(
        features, preferences, params["noise"], n_rounds, n_offered, draw("stream")
    )
    return Environment(name, laplacian(graph), features, stream)


def kronecker_environment(
    n: int, d: int, density: float, rounds: int, offered: int = 25, items: int = 1000
) -> Environment:
    """Draw the synthetic problem of ``horde bench``, on a stochastic Kronecker graph.

    Parameters
    ----------
    n, d : int
        Numbers of users and features.
    density : float
        Expected share of joined pairs of users.
    rounds, offered, items : int
        Numbers of rounds, of items offered per round, and of items in total.
    """
    rng = generator("bench", 0, "arena")
    graph = kronecker_graph(n, density, [[0.9, 0.6], [0.6, 0.5]], rng)
    params = {"items": items, "smoothing": 3, "noise": 0.1}
    return linear_environment("bench", graph, d, params, rounds, offered, lambda purpose: rng)


def _unit_rows(matrix: np.ndarray) -> np.ndarray:
    squares = np.zeros(len(matrix))
    for j in range(matrix.shape[1]):
        squares += matrix[:, j] ** 2
    return matrix / np.sqrt(squares)[:, None]
