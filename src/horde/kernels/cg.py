"""Conjugate gradients on P w = b/sigma^2: plain, the paper's solver (Section 3.3), and PCG.

PCG preconditions by the diagonal blocks M_i = A_i/sigma^2 + Lambda_ii I. For L = L_G + I the
preconditioned spectrum lies in [1/2, 3/2] whatever the data, lambda and n. It never reads the
matrix itself: M p follows p's own recurrence, since M z = r, and what is left of P is the
off-diagonal part of the prior. So an iteration costs one pass over the inverse blocks beyond
plain vectors.
"""

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.linalg import add_symmetric_times, inner
from horde.kernels.precision import add_neighbours, precision_times


@jit
def advance(w, r, p, q, alpha):
    """Step w += alpha p, r -= alpha q, all (n, d), and return the squares of the new r."""
    n, d = r.shape
    sums = np.zeros(d)
    for i in range(n):
        for k in range(d):
            w[i, k] += alpha * p[i, k]
            left = r[i, k] - alpha * q[i, k]
            r[i, k] = left
            sums[k] += left * left
    return sums.sum()


@jit
def turn(p, z, beta):
    """Set the next direction p = z + beta p; both (n, d)."""
    n, d = p.shape
    for i in range(n):
        for k in range(d):
            p[i, k] = z[i, k] + beta * p[i, k]


@jit
def conjugate_gradients(w, r, iterations, owners, blocks, prior, work):
    """Run `iterations` steps of plain CG from the iterate w with residual r, both in place.

    Parameters
    ----------
    w, r : (n, d)
        Iterate, and its residual b/sigma^2 - P w.
    iterations : int
        Number of steps; fewer only when the residual vanishes.
    owners, blocks, prior
        P, see `horde.kernels.precision`.
    work : (2, n, d)
        Work space.
    """
    # By index: unpacked, they would not be known to be contiguous, hence not be vectorised.
    p, q = work[0], work[1]
    rr = inner(r, r)
    p[:] = r
    for _ in range(iterations):
        curvature = precision_times(p, q, owners, blocks, prior)
        # The residual has vanished, or is so small that its squares underflow.
        if not curvature > 0.0:
            return
        left = advance(w, r, p, q, rr / curvature)
        turn(p, r, left / rr)
        rr = left


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
def preconditioned_gradients(w, r, bar, most, slot, inverses, prior, work):
    """Run block-Jacobi PCG from iterate w with residual r, both in place, until |r| <= bar.

    Parameters
    ----------
    w, r : (n, d)
        Iterate, and its residual.
    bar : float
        Norm of the residual at which to stop.
    most : int
        Number of iterations allowed.
    slot, inverses, prior
        M^-1 and the prior, see `precondition` and `horde.kernels.precision`.
    work : (4, n, d)
        Work space.

    Returns
    -------
    int
        Number of iterations made; -1 if they did not suffice, or overflowed.
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
        left = advance(w, r, p, q, alpha)
        if left <= bar * bar:
            return iterations
        if iterations >= most or not left < np.inf:
            return -1
        after = precondition(r, z, slot, inverses, prior[0])
        turn(p, z, after / rz)
        turn(mp, r, after / rz)
        rz = after
