"""Kernels for stochastic Kronecker graphs: from ranks to pairs of users, and clustering."""

import numpy as np

from horde.kernels.jit import jit


@jit
def pairs_of_ranks(ranks, n_zero, n_differ, n_one, arrangements):
    """Return the pairs of users that have these ranks within one class of pairs.

    Parameters
    ----------
    ranks : ndarray of int64, shape (m,)
        In [0, arrangements * 2^(n_differ - 1)).
    n_zero, n_differ, n_one : int
        The class: how many binary digits of the two users are both 0, differ (at least 1), are
        both 1.
    arrangements : int
        The multinomial coefficient of the three numbers.

    Returns
    -------
    ndarray of int64, shape (m, 2)
        Users u < v, distinct for distinct ranks.
    """
    pairs = np.empty((len(ranks), 2), dtype=np.int64)
    for e in range(len(ranks)):
        orientation = ranks[e] & ((np.int64(1) << (n_differ - 1)) - 1)
        rank = ranks[e] >> (n_differ - 1)
        zeros, differing, ones, completions = n_zero, n_differ, n_one, arrangements
        u, v = np.int64(0), np.int64(0)
        for left in range(n_zero + n_differ + n_one, 0, -1):
            u, v = 2 * u, 2 * v
            # Of the completions, the share zeros/left goes on with a digit that is 0 in both, ...
            with_zero = completions * zeros // left
            with_differ = completions * differing // left
            if rank < with_zero:
                zeros -= 1
                completions = with_zero
            elif rank < with_zero + with_differ:
                rank -= with_zero
                completions = with_differ
                # The first digit that differs makes u the smaller one; the others are free.
                flip = 0
                if differing < n_differ:
                    flip = orientation & 1
                    orientation >>= 1
                u, v = u + flip, v + 1 - flip
                differing -= 1
            else:
                rank -= with_zero + with_differ
                completions -= with_zero + with_differ
                u, v = u + 1, v + 1
                ones -= 1
        pairs[e, 0] = u
        pairs[e, 1] = v
    return pairs


@jit
def local_clustering(indptr, indices, users):
    """Return, for each of `users`, the share of pairs of its neighbours that are linked.

    `indptr`, `indices` are the sparse rows of a symmetric adjacency matrix without self-loops;
    every one of `users` has two neighbours or more.
    """
    is_neighbour = np.zeros(len(indptr) - 1, dtype=np.bool_)
    clustering = np.empty(len(users))
    for position in range(len(users)):
        neighbours = indices[indptr[users[position]] : indptr[users[position] + 1]]
        is_neighbour[neighbours] = True
        links = 0
        for j in neighbours:
            for k in indices[indptr[j] : indptr[j + 1]]:
                links += is_neighbour[k]
        is_neighbour[neighbours] = False
        degree = len(neighbours)
        clustering[position] = links / (degree * (degree - 1))
    return clustering
