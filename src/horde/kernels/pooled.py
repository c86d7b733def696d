"""Ridge problems whose common mean mu is unknown, too (`horde.posteriors.pooled`).

Arguments shared by these kernels: `inverse` is M_i^-1 (d, d) of one user and `own` its ridge
estimate g_i (d,); `covariance` is S^-1 (d, d), `total` the right side lambda sum_i g_i (d,), and
`common` the mean S^-1 total of mu (d,).
"""

import numpy as np

from horde.kernels import rank_one
from horde.kernels.jit import jit
from horde.kernels.linalg import dot, downdate_inverse, symmetric_times


@jit
def mean(inverse, own, lam, common):
    """Return w_i = g_i + lambda M_i^-1 mu (d,)."""
    return own + lam * symmetric_times(inverse, common)


@jit
def block(inverse, lam, covariance):
    """Return the covariance M_i^-1 + lambda^2 M_i^-1 S^-1 M_i^-1 of w_i (d, d)."""
    d = len(inverse)
    half = np.empty((d, d))
    for j in range(d):
        half[j] = symmetric_times(covariance, inverse[j])
    result = inverse.copy()
    for j in range(d):
        row = symmetric_times(inverse, half[j])
        for k in range(d):
            result[j, k] += lam * lam * row[k]
    return result


@jit
def observe(slot, x, reward, lam, sigma2, gram, rhs, inverse, means, covariance, total, common):
    """Add the observation (x, reward) to the problem of `slot`, in place.

    The arguments up to `means` are those of `horde.kernels.rank_one.observe`.

    Returns
    -------
    bool
        Whether it was added: not if x is too long (`horde.kernels.linalg.fits`).
    """
    u = symmetric_times(inverse[slot], x)
    before = means[slot].copy()
    if not rank_one.observe(slot, x, reward, lam, sigma2, gram, rhs, inverse, means):
        return False
    # M_i^-1 has lost u u^T / (sigma^2 + x^T u), of which S gains lambda^2 times as much.
    downdate_inverse(covariance, lam * u, sigma2 + dot(x, u))
    for k in range(len(x)):
        total[k] += lam * (means[slot, k] - before[k])
    common[:] = symmetric_times(covariance, total)
    return True
