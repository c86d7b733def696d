"""Posteriors kept by rank-one updates: stacked ridge problems, and GOBLIN's dense covariance.

GOBLIN's (Cesa-Bianchi et al., 2013) is one (dn) x (dn) matrix, kept by Sherman-Morrison.
"""

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.linalg import (
    add_outer,
    cholesky,
    dot,
    downdate_inverse,
    fits,
    inverse_spd,
    normal_draw,
    symmetric_times,
    trace,
)


@jit
def observe(slot, x, reward, lam, sigma2, gram, rhs, inverse, mean):
    """Add the observation (x, reward) to problem `slot`, in place.

    With A and b the sums of x x^T and r x, the stacks hold A/sigma2 in `gram` (m, d, d), b/sigma2
    in `rhs` (m, d), (lambda I + A/sigma2)^-1 in `inverse` (m, d, d) and its product with b/sigma2
    in `mean` (m, d); `x` is (d,).

    Returns
    -------
    bool
        Whether it was added: not if x is too long (`horde.kernels.linalg.fits`).
    """
    if not fits(x, trace(gram[slot]), sigma2, lam):
        return False
    add_outer(gram[slot], x, 1.0 / sigma2)
    for j in range(len(x)):
        rhs[slot, j] += reward / sigma2 * x[j]
    downdate_inverse(inverse[slot], x, sigma2)
    mean[slot] = symmetric_times(inverse[slot], rhs[slot])
    return True


@jit
def marginal_sample(gram, lam, mean, normals, scale):
    """Return a draw (d,) from N(mean, scale (gram + lam I)^-1), made of standard `normals` (d,)."""
    precision = gram.copy()
    for j in range(len(mean)):
        precision[j, j] += lam
    return normal_draw(mean, cholesky(precision), normals, scale)


@jit
def prior_covariance(prior, d):
    """Return Lambda^-1 kron I_d (n d, n d); `prior` as in `horde.kernels.precision`."""
    diagonal, indptr, indices, weights = prior
    n = len(diagonal)
    matrix = np.zeros((n, n))
    for i in range(n):
        matrix[i, i] = diagonal[i]
        for e in range(indptr[i], indptr[i + 1]):
            matrix[i, indices[e]] = weights[e]
    inverse = inverse_spd(matrix)
    covariance = np.zeros((n * d, n * d))
    for i in range(n):
        for j in range(n):
            for k in range(d):
                covariance[i * d + k, j * d + k] = inverse[i, j]
    return covariance


@jit
def learn_densely(covariance, w, user, x, reward, sigma2):
    """Update the covariance (n d, n d) and the mean `w` (n, d) by one observation, in place."""
    n, d = w.shape
    u = np.zeros(n * d)
    for j in range(d):
        row = covariance[user * d + j]
        for k in range(n * d):
            u[k] += x[j] * row[k]
    gain = sigma2 + dot(x, u[user * d : (user + 1) * d])
    error = (reward - dot(x, w[user])) / gain
    for i in range(n):
        for k in range(d):
            w[i, k] += error * u[i * d + k]
    for j in range(n * d):
        factor = u[j] / gain
        row = covariance[j]
        for k in range(n * d):
            row[k] -= factor * u[k]
