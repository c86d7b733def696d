"""The posteriors that compiled rounds choose with: tuples of arrays, and what they all can do.

`mean`, `variances`, `sample` and `observe` compile to the kernels of the tuple that they are given.
Another posterior needs a tuple of its own and four kernels, entered below.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import overload

from horde.kernels import pooled, push, rank_one, schur
from horde.kernels.jit import jit
from horde.kernels.linalg import (
    fits,
    inverse_factor,
    inverse_quadratic_forms,
    normal_draw,
    quadratic_forms,
    trace,
)


class RidgeArrays(NamedTuple):
    """Stacked ridge problems, see `horde.posteriors.ridge`.

    Attributes
    ----------
    slots : ndarray of int32, shape (n,) or (1,)
        Each user's problem, 0 while it has no data; or the one of all users.
    used : ndarray of int64, shape (1,)
        Number of open slots; the arrays hold as many as the rounds may open.
    lam, sigma2 : float
        lambda and sigma^2.
    gram, rhs, inverse, mean : ndarray
        See `horde.kernels.rank_one.observe`.
    """

    slots: np.ndarray
    used: np.ndarray
    lam: float
    sigma2: float
    gram: np.ndarray
    rhs: np.ndarray
    inverse: np.ndarray
    mean: np.ndarray


class PooledArrays(NamedTuple):
    """Stacked ridge problems around a common mean, see `horde.posteriors.pooled`.

    Attributes
    ----------
    ridge : RidgeArrays
        The users' problems, with slots (n,).
    covariance, total, common : ndarray
        See `horde.kernels.pooled`.
    """

    ridge: RidgeArrays
    covariance: np.ndarray
    total: np.ndarray
    common: np.ndarray


class FieldArrays(NamedTuple):
    """A Gaussian Markov random field whose mean is kept by local pushes.

    Attributes
    ----------
    state, local : tuple
        See `horde.kernels.push`.
    tolerance : float
        Relative tolerance of a correction.
    used : ndarray of int64, shape (1,)
        Number of open slots; the arrays hold as many as the rounds may open.
    owners : ndarray of int32, shape (m,)
        User of each slot.
    blocks, rhs : ndarray, shapes (m, d, d) and (m, d)
        A_i/sigma^2 and b_i/sigma^2 by slot.
    sigma2 : float
        sigma^2.
    squares : ndarray of float64, shape (1,)
        |b|^2 / sigma^4.
    covariances : ndarray, shape (m, d, d), or (0, 0, 0) where no widths are asked for
        The G_j of `horde.kernels.schur`, by slot.
    calibration : tuple
        The last argument of `horde.kernels.schur.calibrate`.
    """

    state: tuple
    local: tuple
    tolerance: float
    used: np.ndarray
    owners: np.ndarray
    blocks: np.ndarray
    rhs: np.ndarray
    sigma2: float
    squares: np.ndarray
    covariances: np.ndarray
    calibration: tuple


@jit
def ridge_slot(ridge, user):
    """Return the slot of `user`."""
    return ridge.slots[user if len(ridge.slots) > 1 else 0]


@jit
def ridge_open(ridge, user):
    """Return the slot of `user`, opened if it has none."""
    slot = ridge_slot(ridge, user)
    if slot == 0:
        slot = ridge.used[0]
        ridge.used[0] += 1
        ridge.slots[user if len(ridge.slots) > 1 else 0] = slot
        for k in range(ridge.inverse.shape[1]):
            ridge.inverse[slot, k, k] = 1.0 / ridge.lam
    return slot


@jit
def pooled_block(pool, user):
    """Return (P^-1)_ii (d, d)."""
    ridge = pool.ridge
    return pooled.block(ridge.inverse[ridge_slot(ridge, user)], ridge.lam, pool.covariance)


@jit
def field_factor(field, user):
    """Return the lower triangular C with C C^T = D_i^-1 (d, d), by the one-hop form."""
    slot, _, prior = field.local[:3]
    return schur.marginal_factor(
        user, slot, field.blocks, field.covariances, prior, field.calibration
    )


def mean(posterior, user):
    """Return the mean w_i (d,) of one user, valid until the next observation."""
    raise TypeError(f"no compiled mean for {posterior!r}")


def _ridge_mean(ridge, user):
    return ridge.mean[ridge_slot(ridge, user)]


def _pooled_mean(pool, user):
    ridge, slot = pool.ridge, ridge_slot(pool.ridge, user)
    return pooled.mean(ridge.inverse[slot], ridge.mean[slot], ridge.lam, pool.common)


def _field_mean(field, user):
    push.refine(user, field.state, field.local, field.tolerance)
    return field.state[0][user]


def variances(posterior, user, features):
    """Return x^T (P^-1)_ii x for each row x of `features` (K, d)."""
    raise TypeError(f"no compiled variances for {posterior!r}")


def _ridge_variances(ridge, user, features):
    return quadratic_forms(ridge.inverse[ridge_slot(ridge, user)], features)


def _pooled_variances(pool, user, features):
    return quadratic_forms(pooled_block(pool, user), features)


def _field_variances(field, user, features):
    return inverse_quadratic_forms(field_factor(field, user), features)


def sample(posterior, user, normals, scale):
    """Return a draw (d,) from N(w_i, scale (P^-1)_ii); `normals` (d,) are standard normal."""
    raise TypeError(f"no compiled sample for {posterior!r}")


def _ridge_sample(ridge, user, normals, scale):
    slot = ridge_slot(ridge, user)
    return rank_one.marginal_sample(ridge.gram[slot], ridge.lam, ridge.mean[slot], normals, scale)


def _pooled_sample(pool, user, normals, scale):
    return normal_draw(mean(pool, user), inverse_factor(pooled_block(pool, user)), normals, scale)


def _field_sample(field, user, normals, scale):
    factor = field_factor(field, user)
    return normal_draw(mean(field, user), factor, normals, scale)


def observe(posterior, user, x, reward):
    """Add the observation (x, reward) of one user; False, and not added, if x is too long."""
    raise TypeError(f"no compiled observe for {posterior!r}")


def _ridge_observe(ridge, user, x, reward):
    slot = ridge_open(ridge, user)
    stacks = ridge.gram, ridge.rhs, ridge.inverse, ridge.mean
    return rank_one.observe(slot, x, reward, ridge.lam, ridge.sigma2, *stacks)


def _pooled_observe(pool, user, x, reward):
    ridge, slot = pool.ridge, ridge_open(pool.ridge, user)
    stacks = ridge.gram, ridge.rhs, ridge.inverse, ridge.mean
    top = pool.covariance, pool.total, pool.common
    return pooled.observe(slot, x, reward, ridge.lam, ridge.sigma2, *stacks, *top)


def _field_observe(field, user, x, reward):
    slot, inverses, prior = field.local[:3]
    row, weakest = slot[user], prior[0][user]
    total = trace(field.blocks[row]) if row >= 0 else 0.0
    if not fits(x, total, field.sigma2, weakest):
        return False
    if row < 0:
        row = field.used[0]
        field.used[0] += 1
        slot[user], field.owners[row] = row, user
        for k in range(len(x)):
            inverses[row, k, k] = 1.0 / weakest
    data = field.blocks, field.rhs, field.state, field.local
    field.squares[0] += push.learn_locally(
        user, row, x, reward, field.sigma2, *data, field.tolerance
    )
    if len(field.covariances) > 0:
        widths = field.blocks, field.covariances, prior, field.calibration
        schur.observe(row, user, x, field.sigma2, *widths)
    return True


def _compile(function, *kernels):
    """Have compiled rounds call, for `function`, the kernel of the posterior that it is given."""
    of_kind = dict(zip((RidgeArrays, PooledArrays, FieldArrays), kernels, strict=True))

    @overload(function, inline="always", strict=False)
    def kernel(posterior, *_):
        return of_kind.get(posterior.instance_class)


_compile(mean, _ridge_mean, _pooled_mean, _field_mean)
_compile(variances, _ridge_variances, _pooled_variances, _field_variances)
_compile(sample, _ridge_sample, _pooled_sample, _field_sample)
_compile(observe, _ridge_observe, _pooled_observe, _field_observe)
