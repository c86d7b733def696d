"""Products with the posterior precision P = blockdiag(A_i)/sigma^2 + Lambda kron I_d.

Arguments shared by the kernels of the Gaussian Markov random field:

prior : tuple (diagonal (n,), indptr (n + 1,), indices (nnz,), weights (nnz,))
    Lambda = lambda L (or lambda V) as its diagonal and its off-diagonal compressed sparse rows.
slot : int32 (n,)
    A user's row in the arrays that hold a block a user, or -1 where nothing was observed yet.
owners : int32 (m,)
    The observed users, by slot: the row of their block.
blocks : float64 (m or more, d, d)
    A_i / sigma^2 of the observed users, by slot.
"""

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.linalg import add_outer, add_symmetric_times, dot, inner

# Power steps spent on the bound of a norm.
SWEEPS = 20


@jit
def add_neighbours(out, p, user, prior):
    """Add sum_j Lambda_ij p_j over the neighbours j of `user` to `out` (d,); p is (n, d)."""
    _, indptr, indices, weights = prior
    d = p.shape[1]
    start, stop = indptr[user], indptr[user + 1]
    whole = stop - (stop - start) % 4
    # Four neighbours at a time: `out` is loaded and stored a quarter as often.
    for e in range(start, whole, 4):
        j0, j1, j2, j3 = indices[e], indices[e + 1], indices[e + 2], indices[e + 3]
        a0, a1, a2, a3 = weights[e], weights[e + 1], weights[e + 2], weights[e + 3]
        for k in range(d):
            out[k] += (a0 * p[j0, k] + a1 * p[j1, k]) + (a2 * p[j2, k] + a3 * p[j3, k])
    for e in range(whole, stop):
        j, a = indices[e], weights[e]
        for k in range(d):
            out[k] += a * p[j, k]


@jit
def jacobi_norm_bound(prior, enough):
    """Return an upper bound on the norm of D^-1/2 |Lambda - D| D^-1/2, D the diagonal of Lambda.

    Below 1 it proves that Lambda is positive definite. The bound is max_i (N u)_i / u_i, which
    holds for every positive vector u. It starts from the roots of the numbers of neighbours, for
    which it is 1/2 where Lambda is a multiple of L_G + I. At most SWEEPS power steps lower it
    until it is `enough`.
    """
    diagonal, indptr, indices, weights = prior
    n = len(diagonal)
    scale = 1.0 / np.sqrt(diagonal)
    u, after = np.empty(n), np.empty(n)
    for i in range(n):
        u[i] = np.sqrt(max(indptr[i + 1] - indptr[i], 1))
    bound = np.inf
    for _ in range(SWEEPS):
        largest = 0.0
        for i in range(n):
            total = 0.0
            for e in range(indptr[i], indptr[i + 1]):
                total += abs(weights[e]) * scale[indices[e]] * u[indices[e]]
            total *= scale[i]
            largest = max(largest, total / u[i])
            after[i] = u[i] + total
        bound = min(bound, largest)
        if bound <= enough:
            break
        u[:] = after / after.max()
    return bound


@jit
def precision_times(p, out, owners, blocks, prior):
    """Write P p into `out` and return p^T P p; both arrays are (n, d)."""
    n, d = p.shape
    diagonal = prior[0]
    for i in range(n):
        row = out[i]
        for k in range(d):
            row[k] = diagonal[i] * p[i, k]
        add_neighbours(row, p, i, prior)
    # The blocks in the order of memory, whose traffic is what bounds this.
    for s in range(len(owners)):
        add_symmetric_times(out[owners[s]], blocks[s], p[owners[s]])
    return inner(p, out)


@jit
def residual(users, w, out, slot, blocks, rhs, prior):
    """Write b_i/sigma^2 - (P w)_i into `out` (n, d) for every i in `users`."""
    d = w.shape[1]
    row = np.empty(d)
    for i in users:
        for k in range(d):
            row[k] = prior[0][i] * w[i, k]
        add_neighbours(row, w, i, prior)
        if slot[i] >= 0:
            add_symmetric_times(row, blocks[slot[i]], w[i])
        for k in range(d):
            out[i, k] = (rhs[slot[i], k] if slot[i] >= 0 else 0.0) - row[k]


@jit
def changed_rows(before, prior):
    """Return the users, int64, whose row of `prior` is not the one of `before`, or is new.

    `before` is a prior of as many users or fewer.
    """
    diagonal, indptr, indices, weights = prior
    old_diagonal, old_indptr, old_indices, old_weights = before
    changed = np.ones(len(diagonal), dtype=np.bool_)
    for i in range(len(old_diagonal)):
        start, n_entries = indptr[i], indptr[i + 1] - indptr[i]
        old = old_indptr[i]
        same = diagonal[i] == old_diagonal[i] and old_indptr[i + 1] - old == n_entries
        if same:
            for e in range(n_entries):
                same &= indices[start + e] == old_indices[old + e]
                same &= weights[start + e] == old_weights[old + e]
        changed[i] = not same
    return np.flatnonzero(changed)


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
