"""Plain conjugate gradients on P w = b/sigma^2, the paper's solver (Section 3.3)."""

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.precision import precision_times
from horde.kernels.small import inner


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
        if rr == 0.0:
            return
        alpha = rr / precision_times(p, q, owners, blocks, prior)
        left = advance(w, r, p, q, alpha)
        turn(p, r, left / rr)
        rr = left
