"""GOBLIN's dense (dn) x (dn) covariance, kept by Sherman-Morrison (Cesa-Bianchi et al., 2013)."""

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.small import dot, inverse_spd


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
