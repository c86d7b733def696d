"""Products with the posterior precision P = blockdiag(A_i)/sigma^2 + Lambda kron I_d.

Arguments shared by the kernels of the Gaussian Markov random field:

prior : tuple (diagonal (n,), indptr (n + 1,), indices (nnz,), weights (nnz,))
    Lambda = lambda L (or lambda V) as its diagonal and its off-diagonal compressed sparse rows.
slot : int32 (n,)
    A user's row in the arrays that hold a block a user, or -1 where nothing was observed yet.
blocks : float64 (m, d, d)
    A_i / sigma^2 of the observed users.
"""

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.small import add_outer, add_symmetric_times, dot


@jit
def add_neighbours(out, p, user, prior):
    """Add sum_j Lambda_ij p_j over the neighbours j of `user` to `out` (d,); p is (n, d)."""
    _, indptr, indices, weights = prior
    d = p.shape[1]
    start, stop = indptr[user], indptr[user + 1]
    paired = stop - (stop - start) % 2
    for e in range(start, paired, 2):
        i, j = indices[e], indices[e + 1]
        a, b = weights[e], weights[e + 1]
        for k in range(d):
            out[k] += a * p[i, k] + b * p[j, k]
    for e in range(paired, stop):
        i, a = indices[e], weights[e]
        for k in range(d):
            out[k] += a * p[i, k]


@jit
def precision_times(p, out, slot, blocks, prior):
    """Write P p into `out` and return p^T P p; both arrays are (n, d)."""
    n, d = p.shape
    diagonal = prior[0]
    products = np.zeros(d)
    for i in range(n):
        row = out[i]
        here = p[i]
        for k in range(d):
            row[k] = diagonal[i] * here[k]
        add_neighbours(row, p, i, prior)
        if slot[i] >= 0:
            add_symmetric_times(row, blocks[slot[i]], here)
        for k in range(d):
            products[k] += here[k] * row[k]
    return products.sum()


@jit
def residual(w, out, slot, blocks, rhs, prior):
    """Write b/sigma^2 - P w into `out` (n, d); `rhs` (m, d) holds b_i/sigma^2 by slot."""
    n, d = w.shape
    precision_times(w, out, slot, blocks, prior)
    for i in range(n):
        for k in range(d):
            out[i, k] = -out[i, k]
        if slot[i] >= 0:
            for k in range(d):
                out[i, k] += rhs[slot[i], k]


@jit
def learn(user, row, x, reward, sigma2, blocks, rhs, w, r):
    """Add the observation (x, reward) of `user`, whose slot is `row`, to the data and residual.

    Parameters
    ----------
    user, row : int
        The user, and its slot.
    x : (d,)
        Context vector.
    reward, sigma2 : float
        Rating, and the variance of a rating.
    blocks, rhs : (m, d, d), (m, d)
        A_i/sigma^2 and b_i/sigma^2 by slot, updated.
    w, r : (n, d)
        Mean, and its residual, updated at `user` alone.

    Returns
    -------
    float
        What the observation adds to |b|^2 / sigma^4.
    """
    error = (reward - dot(x, w[user])) / sigma2
    before = dot(rhs[row], rhs[row])
    for k in range(len(x)):
        rhs[row, k] += reward / sigma2 * x[k]
        r[user, k] += error * x[k]
    add_outer(blocks[row], x, 1.0 / sigma2)
    return dot(rhs[row], rhs[row]) - before
