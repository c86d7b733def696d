"""CLUB's graph: deleting edges between users who differ, and finding what falls apart."""

import numpy as np

from horde.kernels.jit import jit


@jit
def delete_until_split(
    user, alpha2, slots, means, bounds, indptr, degrees, neighbours, marks, queues
):
    """Delete edges (user, j) with ||w_user - w_j|| > alpha2 (CB_user + CB_j), up to a split.

    Parameters
    ----------
    user : int
        Whose edges are looked at.
    alpha2 : float
        Factor on the confidence bounds.
    slots : ndarray of int32, shape (n,)
        Row of each user in `means`.
    means : ndarray of float64, shape (m, d)
        Each user's own estimate w.
    bounds : ndarray of float64, shape (n,)
        CB of each user.
    indptr, degrees, neighbours : ndarray
        The graph: user i's neighbours are ``neighbours[indptr[i]:indptr[i] + degrees[i]]``;
        degrees and neighbours change in place.
    marks, queues : ndarray of int8, shape (n,), and of int32, shape (2, n)
        Working space; marks are zero before and after.

    Returns
    -------
    ndarray of int32
        Users of one of the two parts that the last deletion made of a cluster, about the smaller
        one; empty once no edge of `user` is left to delete.
    """
    position = indptr[user]
    while position < indptr[user] + degrees[user]:
        other = neighbours[position]
        gap = _distance(means[slots[user]], means[slots[other]])
        if gap > alpha2 * (bounds[user] + bounds[other]):
            _remove(user, other, indptr, degrees, neighbours)
            _remove(other, user, indptr, degrees, neighbours)
            part = _separated(user, other, indptr, degrees, neighbours, marks, queues)
            if len(part) > 0:
                return part
        else:
            position += 1
    return queues[0, :0].copy()


@jit
def add_blocks(slots, gram, rhs, gram_sum, rhs_sum):
    """Add the blocks gram[s] (d, d) and rhs[s] (d,) of every s in `slots` to the sums, in place."""
    blocks, block_sum = gram.reshape(len(gram), -1), gram_sum.reshape(-1)
    for slot in slots:
        for j in range(len(rhs_sum)):
            rhs_sum[j] += rhs[slot, j]
        for j in range(len(block_sum)):
            block_sum[j] += blocks[slot, j]


@jit
def _distance(first, second):
    """Return ||first - second|| of two vectors (d,)."""
    total = 0.0
    for j in range(len(first)):
        gap = first[j] - second[j]
        total += gap * gap
    return np.sqrt(total)


@jit
def _remove(user, other, indptr, degrees, neighbours):
    """Take `other` off the list of `user`; the last one on it takes the free place."""
    last = indptr[user] + degrees[user] - 1
    position = indptr[user]
    while neighbours[position] != other:
        position += 1
    neighbours[position] = neighbours[last]
    neighbours[last] = other
    degrees[user] -= 1


@jit
def _separated(first, second, indptr, degrees, neighbours, marks, queues):
    """Return the part of `first` or of `second` if no path joins them, else nothing.

    Two searches take turns, so that the time is that of the smaller part or of their meeting.
    """
    heads = np.zeros(2, dtype=np.int64)
    tails = np.ones(2, dtype=np.int64)
    queues[0, 0], queues[1, 0] = first, second
    marks[first], marks[second] = 1, 2
    side, met = 0, False
    while not met and heads[side] < tails[side]:
        user = queues[side, heads[side]]
        heads[side] += 1
        for position in range(indptr[user], indptr[user] + degrees[user]):
            other = neighbours[position]
            if marks[other] == 0:
                marks[other] = side + 1
                queues[side, tails[side]] = other
                tails[side] += 1
            elif marks[other] != side + 1:
                met = True
        if heads[side] < tails[side]:
            side = 1 - side
    for queue in range(2):
        for position in range(tails[queue]):
            marks[queues[queue, position]] = 0
    return queues[side, : 0 if met else tails[side]].copy()
