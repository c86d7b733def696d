"""Conjugate gradients preconditioned by the diagonal blocks M_i = A_i/sigma^2 + Lambda_ii I.

For L = L_G + I the preconditioned spectrum lies in [1/2, 3/2] whatever the data, lambda and n.
The matrix itself is never read: M p follows p's own recurrence, since M z = r, and what is left of
P is the off-diagonal part of the prior. So one pass over the inverse blocks is all an iteration
costs beyond plain vectors.
"""

import numpy as np

from horde.kernels.cg import advance, turn
from horde.kernels.jit import jit
from horde.kernels.precision import add_neighbours
from horde.kernels.small import add_symmetric_times, inner


@jit
def precondition(r, z, slot, inverses, diagonal):
    """Write z = M^-1 r (n, d) and return r^T z; `inverses` (m, d, d) holds M_i^-1 by slot."""
    n, d = r.shape
    sums = np.zeros(d)
    for i in range(n):
        row = z[i]
        if slot[i] >= 0:
            row[:] = 0.0
            add_symmetric_times(row, inverses[slot[i]], r[i])
        else:
            for k in range(d):
                row[k] = r[i, k] / diagonal[i]
        for k in range(d):
            sums[k] += r[i, k] * row[k]
    return sums.sum()


@jit
def apply(p, mp, q, prior):
    """Write q = P p = M p + off-diagonal p from `mp` = M p, and return p^T q; all (n, d)."""
    n, d = p.shape
    sums = np.zeros(d)
    for i in range(n):
        row = q[i]
        for k in range(d):
            row[k] = mp[i, k]
        add_neighbours(row, p, i, prior)
        for k in range(d):
            sums[k] += p[i, k] * row[k]
    return sums.sum()


@jit
def preconditioned_gradients(w, r, bar, slot, inverses, prior, work):
    """Run block-Jacobi PCG from iterate w with residual r, both in place, until |r| <= bar.

    Parameters
    ----------
    w, r : (n, d)
        Iterate, and its residual.
    bar : float
        Norm of the residual at which to stop.
    slot, inverses, prior
        M^-1 and the prior, see `precondition` and `horde.kernels.precision`.
    work : (4, n, d)
        Work space.

    Returns
    -------
    int
        Number of iterations made.
    """
    # By index: unpacked, they would not be known to be contiguous, hence not be vectorised.
    p, mp, q, z = work[0], work[1], work[2], work[3]
    iterations = 0
    if inner(r, r) <= bar * bar:
        return iterations
    rz = precondition(r, p, slot, inverses, prior[0])
    mp[:] = r
    while True:
        alpha = rz / apply(p, mp, q, prior)
        iterations += 1
        if advance(w, r, p, q, alpha) <= bar * bar:
            return iterations
        after = precondition(r, z, slot, inverses, prior[0])
        turn(p, z, after / rz)
        turn(mp, r, after / rz)
        rz = after
