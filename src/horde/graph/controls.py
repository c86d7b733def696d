"""Graphs to compare the given one with, and the prior precision matrices made from them.

What a policy gains from a graph may come from friends, or from any users at all. These graphs tell
the two apart: they keep the number of edges, or the degrees, and change who is joined to whom.
"""

import numpy as np
from scipy import sparse

from horde.errors import ConfigError
from horde.graph.precision import Precision, adjacency, identity, laplacian
from horde.kernels.rewiring import swap_edges
from horde.random import Draws

GRAPHS = (
    *("given", "unnormalised", "rewired", "permuted"),
    *("none", "none-2", "oracle", "given+mean"),
)
# Swaps tried per edge. Overlap with the given graph and degree correlations no longer change then.
SWAPS = 20


def prior(
    graph: str,
    edges: np.ndarray,
    likes: sparse.csr_matrix,
    draws: Draws,
    weights: np.ndarray | None = None,
) -> Precision:
    """Return the prior precision over the users that a kind of graph gives.

    Parameters
    ----------
    graph : str
        One of `GRAPHS`. ``given``: L = L_G + I of the friendships. ``unnormalised``: the same
        without dividing L_G by degrees. ``rewired`` and ``permuted``: the same of
        `rewired` or `permuted` friendships, drawn anew for each seed. ``none``: L = I, as for
        isolated users. ``none-2``: L = 2 I, with the diagonal of connected users. ``oracle``: L of
        the users with the most `similar` likes, which knows the test rewards. ``given+mean``: L
        around a common mean, see `with_mean`; it has one more user, who is never served.
    edges : ndarray of int, shape (m, 2)
        The given friendships, each once.
    likes : scipy.sparse.csr_matrix, shape (n, n_items)
        1 where a user likes an item.
    draws : callable
        Generators by purpose; ``rewired`` and ``permuted`` are used.
    weights : ndarray of float64, shape (m,), optional
        Weight of each friendship, which it keeps when it is rewired or permuted.

    Raises
    ------
    ConfigError
        If there is no such kind.
    """
    n = likes.shape[0]
    if graph == "none":
        return identity(n)
    if graph == "none-2":
        return Precision.from_scipy(2.0 * sparse.identity(n))
    if graph == "rewired":
        edges = rewired(edges, draws("rewired"))
    elif graph == "permuted":
        edges = permuted(edges, draws("permuted"))
    elif graph == "oracle":
        edges, weights = similar(likes, len(edges)), None
    elif graph not in GRAPHS:
        raise ConfigError(f"graph is {graph!r}, but must be one of {', '.join(GRAPHS)}.")
    L = laplacian(adjacency(edges, n, weights), normalised=graph != "unnormalised")
    return with_mean(L) if graph == "given+mean" else L


def rewired(edges: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a random simple graph in which every user has as many friends as before.

    A swap takes two edges (a, b) and (c, d) and makes (a, d) and (c, b) of them, unless a user
    would befriend itself, or two users twice. `SWAPS` swaps per edge are tried.

    Parameters
    ----------
    edges : ndarray of int, shape (m, 2)
        Pairs of different users, each once.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int64, shape (m, 2)
    """
    edges = np.array(edges, dtype=np.int64)
    if len(edges) > 1:
        graph = adjacency(edges, edges.max() + 1)
        pairs = rng.integers(len(edges), size=(SWAPS * len(edges), 2))
        turned = rng.random(len(pairs)) < 0.5
        swap_edges(edges, graph.indptr, graph.indices, pairs, turned)
    return edges


def permuted(edges: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the same graph with its users permuted; users without friends stay without.

    Parameters
    ----------
    edges : ndarray of int, shape (m, 2)
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (m, 2)
    """
    connected, places = np.unique(edges, return_inverse=True)
    return rng.permutation(connected)[places].reshape(-1, 2)


def similar(likes: sparse.csr_matrix, n_edges: int) -> np.ndarray:
    """Join users to those whose likes have the largest cosine with theirs.

    Each user ranks the others who share a like with it; equal cosines go by number. A pair counts
    by the better of its two ranks, equal ones by cosine: the best `n_edges` pairs are the union,
    both ways, of every user's nearest ones.

    Parameters
    ----------
    likes : scipy.sparse.csr_matrix, shape (n, n_items)
        0/1.
    n_edges : int
        Number of edges; fewer if fewer pairs share a like.

    Returns
    -------
    ndarray of int64, shape (m, 2)
        Pairs i < j.
    """
    # Sums of ones, square root and division are exact or correctly rounded: no processor differs.
    common = (likes @ likes.T).toarray()
    own = np.maximum(common.diagonal(), 1.0)
    cosines = common / np.sqrt(own[:, None] * own)
    np.fill_diagonal(cosines, 0.0)
    order = np.argsort(-cosines, axis=1, kind="stable")
    ranks = np.argsort(order, axis=1)
    first, second = np.nonzero(np.triu(cosines))
    best = np.minimum(ranks[first, second], ranks[second, first])
    chosen = np.lexsort((-cosines[first, second], best))[:n_edges]
    return np.column_stack([first[chosen], second[chosen]])


def with_mean(L: Precision) -> Precision:
    """Return the prior that also pulls users towards a common mean mu, itself around 0.

    It is sum_i |w_i - mu|^2 + sum_ij (L_G)_ij w_i^T w_j + |mu|^2: a field of n + 1 users with block
    L = L_G + I for the n, -1 between each of them and the last, mu, and n + 1 on its diagonal.

    Parameters
    ----------
    L : Precision
        L_G + I of n users.

    Returns
    -------
    Precision
        Of n + 1 users; the last one, mu, is never served.
    """
    n = L.n_users
    arm = sparse.csr_matrix(np.full((n, 1), -1.0))
    return Precision.from_scipy(sparse.bmat([[L.to_scipy(), arm], [arm.T, [[n + 1.0]]]]))
