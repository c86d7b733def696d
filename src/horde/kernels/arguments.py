"""Checks of one round's arguments, each in one call.

They are compiled for the types they accept, and raise TypeError for any other: the dispatch of the
call tests types and memory order at no cost. Whole numbers are the exception, a fraction would be
cut to one.
"""

from numba import types

from horde.kernels.jit import jit
from horde.kernels.linalg import within

# Beyond, the square of a number overflows, or that of a sum.
LARGEST = 1e100


def _floats(n_axes):
    """Return the types of float64 arrays in C order, those that may be written and others."""
    return [
        types.Array(types.float64, n_axes, "C", readonly=readonly) for readonly in (False, True)
    ]


@jit(
    signatures=[
        types.boolean(array, types.int64, types.int64, types.int64, types.int64)
        for array in _floats(2)
    ]
)
def usable_offer(features, user, rounds_left, n_users, n_features):
    """Return whether `user` can be served in this round with one of the rows of `features`."""
    n_items, d = features.shape
    return (
        rounds_left > 0
        and 0 <= user < n_users
        and n_items > 0
        and d == n_features
        and within(features, LARGEST)
    )


@jit(
    signatures=[
        types.boolean(array, types.float64, types.int64, types.int64, types.int64, types.int64)
        for array in _floats(1)
    ]
)
def usable_observation(x, reward, user, rounds_left, n_users, n_features):
    """Return whether `reward` of the context `x` can be learned for `user` in this round."""
    return (
        rounds_left > 0
        and 0 <= user < n_users
        and len(x) == n_features
        and abs(reward) <= LARGEST
        and within(x, LARGEST)
    )
