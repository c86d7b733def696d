"""Random graphs G(n, p), from sums, products and comparisons only: the same on every machine."""

import numpy as np


def erdos_renyi(n_users: int, probability: float, rng: np.random.Generator) -> np.ndarray:
    """Draw the undirected edges of G(n, p): each pair independently, with probability p.

    Time and memory grow with the number of edges, not of pairs: the gaps between the drawn pairs
    are geometric, and are read off a table of the powers of 1 - p.

    Parameters
    ----------
    n_users : int
        Number of users n.
    probability : float
        p, at least 0; 1 or more gives the complete graph.
    rng : numpy.random.Generator
        The source of all randomness.

    Returns
    -------
    ndarray of int64, shape (m, 2)
        Pairs (i, j) with i > j.
    """
    n_pairs = n_users * (n_users - 1) // 2
    if probability >= 1:
        return _pairs(np.arange(n_pairs), n_users)
    if probability == 0 or n_pairs == 0:
        return np.empty((0, 2), dtype=np.int64)
    # P(gap >= k) = (1 - p)^k; no double below 1 is drawn past the end of this table.
    powers = np.cumprod(np.full(int(40 / probability), 1 - probability))
    chunk = int(1.1 * probability * n_pairs) + 100
    positions, last = [], -1
    while last < n_pairs:
        gaps = np.searchsorted(-powers, -rng.random(chunk))
        positions.append(last + np.cumsum(gaps + 1))
        last = positions[-1][-1]
    positions = np.concatenate(positions)
    return _pairs(positions[positions < n_pairs], n_users)


def _pairs(positions: np.ndarray, n_users: int) -> np.ndarray:
    """Return the pairs at `positions` of the list (1,0), (2,0), (2,1), (3,0), ..."""
    users = np.arange(n_users)
    starts = users * (users - 1) // 2
    larger = np.searchsorted(starts, positions, side="right") - 1
    return np.column_stack([larger, positions - starts[larger]])
