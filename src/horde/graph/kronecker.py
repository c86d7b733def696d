"""Stochastic Kronecker graphs of any size and density, and facts that describe them.

A graph of 2^k users has each pair u < v linked independently, with a probability that is the
product, over the k binary digits, of the initiator's entry at (u's digit, v's digit): entry (u, v)
of the initiator's k-th Kronecker power. The sampler is exact: pairs with equally many digits 00,
01 or 10, and 11 are equally likely, so each such class gets a binomial number of edges, which are
then drawn without replacement. There are fewer than k^2 classes, and the cost is linear in the
edges.
"""

from collections.abc import Iterator
from math import comb

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from horde.errors import ConfigError
from horde.graph.precision import adjacency
from horde.kernels.kronecker import local_clustering, pairs_of_ranks
from horde.machine import require_memory

# Bytes that an edge takes while it is drawn, and while the adjacency matrix is made; measured.
BYTES_DRAWN, BYTES_KEPT = 50, 75
# Clustering coefficients are averaged over at most this many users.
CLUSTERING_SAMPLE = 2_000


def scaled_initiator(
    shape: list[list[float]], levels: int, density: float
) -> tuple[float, float, float]:
    """Scale an initiator's shape so that the expected share of linked pairs is `density`.

    Parameters
    ----------
    shape : list of lists, 2 x 2
        Symmetric, entries at least 0; only their proportions matter.
    levels : int
        Kronecker power k, in [1, 30]: the graph has 2^k users.
    density : float
        Expected edges over pairs of users, in (0, 1].

    Returns
    -------
    zero, differ, one : float
        Probabilities of the initiator [[zero, differ], [differ, one]].

    Raises
    ------
    ConfigError
        If the shape is no symmetric 2 x 2 matrix of weights, or so uneven that an entry would
        exceed 1.
    """
    weights = np.array(shape, dtype=np.float64)
    square = weights.shape == (2, 2) and weights[0, 1] == weights[1, 0]
    if not square or weights.min() < 0 or weights[0, 1] == 0:
        raise ConfigError(
            f"the Kronecker initiator {shape} must be a symmetric 2 x 2 matrix of weights, "
            "none negative, with a positive weight off the diagonal"
        )
    if not (1 <= levels <= 30 and 0 < density <= 1):
        raise ConfigError(
            f"a Kronecker graph needs 2 to 2^30 users and a density in (0, 1], "
            f"not 2^{levels} users and {density}"
        )
    pairs = (weights.sum() ** levels - np.trace(weights) ** levels) / 2
    scale = (density * comb(2**levels, 2) / pairs) ** (1 / levels)
    if scale * weights.max() > 1:
        raise ConfigError(
            f"the Kronecker initiator {shape} is too uneven for density {density} at "
            f"2^{levels} users: its largest entry would be {scale * weights.max():.3f}, more "
            "than 1; choose entries closer to each other, or a lower density"
        )
    zero, differ, one = (float(scale * weights[at]) for at in ((0, 0), (0, 1), (1, 1)))
    return zero, differ, one


def pair_classes(levels: int) -> Iterator[tuple[int, int, int]]:
    """Yield the classes of pairs u != v: how many digits are 00, 01 or 10, and 11."""
    for n_differ in range(1, levels + 1):
        for n_zero in range(levels - n_differ + 1):
            yield n_zero, n_differ, levels - n_differ - n_zero


def sample_edges(
    initiator: tuple[float, float, float], levels: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw the edges of a stochastic Kronecker graph.

    Parameters
    ----------
    initiator : tuple of three floats
        Probabilities, as `scaled_initiator` returns them.
    levels : int
        Kronecker power k.
    rng : numpy.random.Generator
        The source of all randomness.

    Returns
    -------
    ndarray of int32, shape (m, 2)
        Distinct pairs u < v, sorted.
    """
    zero, differ, one = initiator
    drawn = []
    for n_zero, n_differ, n_one in pair_classes(levels):
        arrangements = comb(levels, n_differ) * comb(levels - n_differ, n_zero)
        size = arrangements << (n_differ - 1)
        chance = zero**n_zero * differ**n_differ * one**n_one
        ranks = rng.choice(size, rng.binomial(size, chance), replace=False, shuffle=False)
        pairs = pairs_of_ranks(ranks.astype(np.int64), n_zero, n_differ, n_one, arrangements)
        drawn.append(pairs[:, 0] << levels | pairs[:, 1])
    codes = np.sort(np.concatenate(drawn))
    return np.column_stack([codes >> levels, codes & ((1 << levels) - 1)]).astype(np.int32)


def kronecker_graph(
    n_users: int, density: float, shape: list[list[float]], rng: np.random.Generator
) -> sparse.csr_matrix:
    """Draw a stochastic Kronecker graph of any number of users.

    Where `n_users` is no power of two, the next power's graph is drawn and `n_users` of its users,
    chosen uniformly, are kept with the edges among them: the expected density stays the same.

    Parameters
    ----------
    n_users : int
        Number of users n, from 2 to 2^30.
    density : float
        Expected edges over pairs of users, in (0, 1].
    shape : list of lists, 2 x 2
        The initiator's shape, see `scaled_initiator`.
    rng : numpy.random.Generator
        The source of all randomness.

    Returns
    -------
    scipy.sparse.csr_matrix, shape (n, n)
        Adjacency matrix: 0/1, symmetric, zero diagonal.

    Raises
    ------
    ConfigError
        As `scaled_initiator`, or if the graph does not fit into memory.
    """
    levels = (n_users - 1).bit_length()
    initiator = scaled_initiator(shape, levels, density)
    drawn, kept = density * comb(1 << levels, 2), density * comb(n_users, 2)
    require_memory(
        BYTES_DRAWN * drawn + BYTES_KEPT * kept,
        f"a Kronecker graph of {n_users:,} users and about {kept:,.0f} edges",
        "choose fewer users or a lower density.",
    )
    edges = sample_edges(initiator, levels, rng)
    if n_users < 1 << levels:
        label = np.full(1 << levels, -1, dtype=np.int32)
        kept = rng.choice(1 << levels, n_users, replace=False, shuffle=False)
        label[np.sort(kept)] = np.arange(n_users, dtype=np.int32)
        edges = label[edges]
        edges = edges[(edges >= 0).all(axis=1)]
    return adjacency(edges, n_users)


def describe(graph: sparse.csr_matrix, rng: np.random.Generator) -> dict[str, float | None]:
    """Return facts that describe a graph.

    Parameters
    ----------
    graph : scipy.sparse.csr_matrix, shape (n, n)
        Adjacency matrix: 0/1, symmetric, zero diagonal.
    rng : numpy.random.Generator
        Chooses the users whose clustering is measured, where there are many.

    Returns
    -------
    dict
        ``users``, ``edges``, ``density`` (edges over pairs), the degrees' ``degree_mean``,
        ``degree_q25``, ``degree_median``, ``degree_q75``, ``degree_q99``, ``degree_max``,
        ``isolated`` (users without a neighbour), ``components``, ``largest_component`` (users),
        ``second_component`` (users), and ``clustering``: the mean local clustering coefficient of
        users with two neighbours or more (of `CLUSTERING_SAMPLE` of them at most; None if none).
    """
    n_users, degrees = graph.shape[0], np.diff(graph.indptr)
    _, component = csgraph.connected_components(graph, directed=False)
    sizes = np.sort(np.bincount(component))[::-1].tolist()
    q25, median, q75, q99 = np.quantile(degrees, [0.25, 0.5, 0.75, 0.99]).tolist()
    users = np.flatnonzero(degrees >= 2)
    if len(users) > CLUSTERING_SAMPLE:
        users = np.sort(rng.choice(users, CLUSTERING_SAMPLE, replace=False))
    clustering = local_clustering(graph.indptr, graph.indices, users)
    return {
        "users": n_users,
        "edges": graph.nnz // 2,
        "density": graph.nnz / 2 / comb(n_users, 2),
        "degree_mean": float(degrees.mean()),
        "degree_q25": q25,
        "degree_median": median,
        "degree_q75": q75,
        "degree_q99": q99,
        "degree_max": int(degrees.max()),
        "isolated": int((degrees == 0).sum()),
        "components": len(sizes),
        "largest_component": sizes[0],
        "second_component": sizes[1] if len(sizes) > 1 else 0,
        "clustering": float(clustering.mean()) if len(users) else None,
    }


def degree_distribution(graph: sparse.csr_matrix) -> list[tuple[int, int, int]]:
    """Count the users by degree, in classes 0, 1, 2-3, 4-7, ...

    Parameters
    ----------
    graph : scipy.sparse.csr_matrix, shape (n, n)
        Adjacency matrix: 0/1, symmetric, zero diagonal.

    Returns
    -------
    list of (lowest degree, highest degree, users)
        Ascending, up to the class of the largest degree.
    """
    degrees = np.diff(graph.indptr)
    rows, low, high = [], 0, 0
    while low <= degrees.max():
        rows.append((low, high, int(((degrees >= low) & (degrees <= high)).sum())))
        low, high = high + 1, 2 * high + 1
    return rows
