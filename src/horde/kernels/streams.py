"""Rounds of a stream, from uniform numbers: integers only, hence exact everywhere."""

import numpy as np

from horde.kernels.jit import jit


@jit
def draw_rounds(uniforms, eligible, indptr, liked, n_items, n_offered):
    """Draw the user and the offered items of each round.

    Parameters
    ----------
    uniforms : ndarray of float64, shape (T, K + 2)
        In [0, 1). A row gives the user, the liked item, the place of that item, and by a partial
        Fisher-Yates shuffle the K - 1 others.
    eligible : ndarray of int32
        Users to draw from; each likes something.
    indptr, liked : ndarray
        Liked items in compressed sparse rows, ascending within a user.
    n_items, n_offered : int
        Numbers of items, and of items offered in a round, K <= n_items.

    Returns
    -------
    users : ndarray of int32, shape (T,)
    items : ndarray of int32, shape (T, K)
    rewards : ndarray of uint8, shape (T, K)
        1 where the user likes the item.
    """
    n_rounds = len(uniforms)
    users = np.empty(n_rounds, dtype=np.int32)
    items = np.empty((n_rounds, n_offered), dtype=np.int32)
    rewards = np.zeros((n_rounds, n_offered), dtype=np.uint8)
    pool = np.arange(n_items).astype(np.int32)
    swaps = np.empty(n_offered - 1, dtype=np.int64)
    for t in range(n_rounds):
        draws = uniforms[t]
        # floor(u m) <= m - 1 for every double u < 1: the product cannot round up to m.
        user = eligible[int(draws[0] * len(eligible))]
        own = liked[indptr[user] : indptr[user + 1]]
        item = own[int(draws[1] * len(own))]
        place = int(draws[2] * n_offered)
        _draw_others(draws[3:], item, pool, swaps, place, items[t])
        users[t] = user
        for k in range(n_offered):
            rewards[t, k] = _contains(own, items[t, k])
    return users, items, rewards


@jit
def _draw_others(draws, item, pool, swaps, place, offered):
    """Fill `offered` (K,): `item` at `place`, elsewhere others without replacement.

    `pool` lists all items in ascending order, and does so again on return.
    """
    last = len(pool) - 1
    pool[item], pool[last] = pool[last], pool[item]
    for k in range(len(draws)):
        j = k + int(draws[k] * (last - k))
        pool[k], pool[j] = pool[j], pool[k]
        swaps[k] = j
        offered[k + (k >= place)] = pool[k]
    offered[place] = item
    for k in range(len(draws) - 1, -1, -1):
        j = swaps[k]
        pool[k], pool[j] = pool[j], pool[k]
    pool[item], pool[last] = pool[last], pool[item]


@jit
def _contains(ascending, value):
    """Whether `value` is among `ascending`, by bisection."""
    position = np.searchsorted(ascending, value)
    return position < len(ascending) and ascending[position] == value
