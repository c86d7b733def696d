"""Figures that describe a graph of users."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from horde.graph.precision import Precision, adjacency, laplacian
from horde.random import generator

# Up to here Tr(L^-1) is computed from a dense inverse (a second), above from random signs, of which
# there are at least SIGNS: as many probes of n signs.
DENSE_USERS = 4_000
SIGNS = 32 * DENSE_USERS
HALVINGS = 30
DECIMALS = 6


def graph_statistics(edges: np.ndarray, n_users: int, weights: np.ndarray | None = None) -> dict:
    """Describe an undirected graph.

    Parameters
    ----------
    edges : ndarray of int, shape (m, 2)
        Pairs of users.
    n_users : int
        Number of users n.
    weights : ndarray of float64, shape (m,), optional
        Weight of each pair, for the traces.

    Returns
    -------
    dict
        Edges, density, degrees (quantiles, and the number of users of each degree), components,
        isolated users, Tr(L)/n and Tr(L^-1)/n (Theorems 1 and 2); can be written as JSON.
    """
    matrix = adjacency(edges, n_users, weights)
    degrees = np.diff(matrix.indptr)
    n_edges = matrix.nnz // 2
    _, component = connected_components(matrix, directed=False)
    sizes = np.bincount(component)
    precision = laplacian(matrix)
    at = ("min", "q25", "median", "q75", "max")
    quantiles = np.quantile(degrees, [0, 0.25, 0.5, 0.75, 1]).tolist()
    users = np.bincount(degrees).tolist()
    return {
        "edges": n_edges,
        "density": round(n_edges / max(n_users * (n_users - 1) / 2, 1), 9),
        "degree": dict(zip(at, quantiles, strict=True))
        | {"mean": round(float(degrees.mean()), DECIMALS)},
        "users_by_degree": {str(degree): count for degree, count in enumerate(users) if count},
        "components": len(sizes),
        "largest_component": int(sizes.max()),
        "isolated_users": int((degrees == 0).sum()),
        "trace_over_n": round(float(precision.diagonal.mean()), DECIMALS),
        "trace_of_inverse_over_n": round(mean_inverse_diagonal(precision), DECIMALS),
    }


def mean_inverse_diagonal(precision: Precision) -> float:
    """Return Tr(L^-1)/n; above 4,000 users an estimate from random signs (Hutchinson)."""
    n = precision.n_users
    if n <= DENSE_USERS:
        return float(np.linalg.inv(precision.to_scipy().toarray()).trace() / n)
    L, rng = precision.to_scipy(), generator("graph_statistics", 0, "probes")
    probes = 2.0 * rng.integers(0, 2, size=(n, -(-SIGNS // n))) - 1.0
    solved = np.zeros_like(probes)
    # L's spectrum lies in [1, 3], so each step halves the error.
    for _ in range(HALVINGS):
        solved += (probes - L @ solved) / 2
    return float((probes * solved).sum() / probes.size)
