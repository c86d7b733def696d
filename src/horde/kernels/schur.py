"""Marginal covariance blocks D_i = (P^-1)_ii by a Schur complement one hop around the user.

With v_j = (Lambda^-1)_jj, Lambda = lambda L the prior:

    (A_i/sigma^2 + Lambda_ii I)^-1  <=  D_i  <=  (A_i/sigma^2 + I/v_i)^-1

in the order of symmetric matrices: a neighbour is known exactly on the left, and by its prior alone
on the right. In between, each neighbour j counts as well known as its own data make it,

    D_i^-1 ~ A_i/sigma^2 + Lambda_ii I - kappa_i sum_j Lambda_ij^2 G_j,
    G_j = (A_j/sigma^2 + I/v_j)^-1,
    kappa_i = (Lambda_ii - 1/v_i) / sum_j Lambda_ij^2 v_j.

kappa_i makes the form exact while the neighbours have no data. Because G_j is at most v_j I, the
sum never exceeds (Lambda_ii - 1/v_i) I: the form stays inside the two sides, hence positive
definite, for any positive definite Lambda.
"""

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.linalg import cholesky, downdate_inverse, inverse_spd

# Relative tolerance of the pushes that find (Lambda^-1)_jj. The error of a block stays within 0.1 %
# by it, as that of the one-hop form itself mostly does.
TOLERANCE = 4e-3


@jit
def prior_variance(user, prior, work):
    """Return v = (Lambda^-1)_ii of one user by scalar pushes (Gauss-Seidel) around it.

    Solves Lambda x = e_i until every |r_j| / Lambda_jj is within TOLERANCE / Lambda_ii, then
    returns x_i + x^T r, whose error is of second order in the tolerance.

    Parameters
    ----------
    user : int
        The user i.
    prior : tuple
        Lambda, see `horde.kernels.precision`.
    work : tuple (x (n,), r (n,), touched int32 (n,), queue int32 (n,), seen bool (n,), \
queued bool (n,))
        Work space; all but `touched` and `queue` are zero before and after.
    """
    diagonal, indptr, indices, weights = prior
    x, r, touched, queue, seen, queued = work
    bar = TOLERANCE / diagonal[user]
    r[user] = 1.0
    seen[user] = queued[user] = True
    touched[0] = queue[0] = user
    n_touched, head, tail = 1, 0, 1
    while head < tail:
        i = np.int64(queue[head % len(queue)])
        head += 1
        queued[i] = False
        step = r[i] / diagonal[i]
        x[i] += step
        r[i] = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if not seen[j]:
                seen[j] = True
                touched[n_touched] = j
                n_touched += 1
            r[j] -= weights[e] * step
            if abs(r[j]) > bar * diagonal[j] and not queued[j]:
                queued[j] = True
                queue[tail % len(queue)] = j
                tail += 1
    variance = x[user]
    for j in touched[:n_touched]:
        variance += x[j] * r[j]
        x[j] = r[j] = 0.0
        seen[j] = False
    return variance


@jit
def calibrate(user, prior, calibration):
    """Fill in v of `user` and its neighbours, and kappa of `user`, where still NaN.

    `calibration` is a tuple (v (n,), kappa (n,), work), the rest as for `prior_variance`.
    """
    variances, factors, work = calibration
    if not np.isnan(factors[user]):
        return
    diagonal, indptr, indices, weights = prior
    if np.isnan(variances[user]):
        variances[user] = prior_variance(user, prior, work)
    total = 0.0
    for e in range(indptr[user], indptr[user + 1]):
        j = np.int64(indices[e])
        if np.isnan(variances[j]):
            variances[j] = prior_variance(j, prior, work)
        total += weights[e] * weights[e] * variances[j]
    gap = max(diagonal[user] - 1.0 / variances[user], 0.0)
    factors[user] = gap / total if total > 0.0 else 0.0


@jit
def neighbour_block(block, variance):
    """Return G = (A/sigma^2 + I/v)^-1 (d, d) from `block` = A/sigma^2 and v."""
    matrix = block.copy()
    for k in range(len(matrix)):
        matrix[k, k] += 1.0 / variance
    return inverse_spd(matrix)


@jit
def observe(row, user, x, sigma2, blocks, covariances, prior, calibration):
    """Add x x^T / sigma2 to the data of G of `user`, whose slot is `row`, after `blocks` has it."""
    if covariances[row, 0, 0] == 0.0:
        calibrate(user, prior, calibration)
        covariances[row] = neighbour_block(blocks[row], calibration[0][user])
    else:
        downdate_inverse(covariances[row], x, sigma2)


@jit
def marginal_factor(user, slot, blocks, covariances, prior, calibration):
    """Return the lower triangular C (d, d), where C C^T is the one-hop form of D_i^-1.

    `covariances` (m, d, d) holds G_j by slot.
    The user's v and kappa are filled in, see `calibrate`, and G_j where it is still zero.
    """
    calibrate(user, prior, calibration)
    variances, factors, _ = calibration
    diagonal, indptr, indices, weights = prior
    d = blocks.shape[1]
    matrix = np.zeros((d, d))
    alone = 0.0
    for e in range(indptr[user], indptr[user + 1]):
        j = indices[e]
        share = factors[user] * weights[e] * weights[e]
        if slot[j] < 0:
            alone += share * variances[j]
            continue
        block = covariances[slot[j]]
        # Not known since the prior was changed.
        if block[0, 0] == 0.0:
            block[:] = neighbour_block(blocks[slot[j]], variances[j])
        for a in range(d):
            for b in range(d):
                matrix[a, b] -= share * block[a, b]
    for a in range(d):
        matrix[a, a] += diagonal[user] - alone
    if slot[user] >= 0:
        block = blocks[slot[user]]
        for a in range(d):
            for b in range(d):
                matrix[a, b] += block[a, b]
    return cholesky(matrix)
