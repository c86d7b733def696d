"""Noise xi ~ N(0, P) for sampling by perturbation: the prior's part and the data's part."""

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.precision import add_neighbours


@jit
def append_row(factor, x, weight):
    """Update the upper triangular `factor` R (d, d) in place to R'^T R' = R^T R + weight x x^T.

    Givens rotations of the new row into R: right from the zero matrix on, as no diagonal element
    is ever divided by.
    """
    d = len(x)
    row = np.sqrt(weight) * x
    for j in range(d):
        if row[j] == 0.0:
            continue
        length = np.sqrt(factor[j, j] * factor[j, j] + row[j] * row[j])
        c = factor[j, j] / length
        s = row[j] / length
        for k in range(j, d):
            above = factor[j, k]
            factor[j, k] = c * above + s * row[k]
            row[k] = c * row[k] - s * above


@jit
def data_noise(owners, factors, y, out):
    """Add Phi^T y / sigma ~ N(0, A_i/sigma^2) to each observed user's row of `out` (n, d).

    Parameters
    ----------
    owners : int32 (m,)
        User of each slot.
    factors : (m, d, d)
        R_i with R_i^T R_i = A_i/sigma^2, by slot.
    y : (m, d)
        Standard normal.
    out : (n, d)
        Added to.
    """
    d = out.shape[1]
    for row in range(len(owners)):
        target = out[owners[row]]
        # All of each row, zeros included: loops of one length are vectorised best.
        for j in range(d):
            for k in range(d):
                target[k] += y[row, j] * factors[row, j, k]


@jit
def centred_times(p, out, prior, centre, half):
    """Write (Lambda - centre I) p / half into `out`; both (n, d)."""
    n, d = p.shape
    for i in range(n):
        row = out[i]
        row[:] = 0.0
        add_neighbours(row, p, i, prior)
        for k in range(d):
            row[k] = (row[k] + (prior[0][i] - centre) * p[i, k]) / half


@jit
def advance_chebyshev(before, now, total, coefficient, prior, centre, half):
    """Turn T_{m-2} z (`before`) into T_m z in place, given T_{m-1} z (`now`); all (n, d).

    Adds `coefficient` times it to `total`: one pass over the arrays for the three of them.
    """
    n, d = now.shape
    row = np.empty(d)
    for i in range(n):
        row[:] = 0.0
        add_neighbours(row, now, i, prior)
        shift = prior[0][i] - centre
        for k in range(d):
            value = 2.0 * ((row[k] + shift * now[i, k]) / half) - before[i, k]
            before[i, k] = value
            total[i, k] += coefficient * value


@jit
def chebyshev(coefficients, z, prior, low, high):
    """Return sum_m c_m T_m(Lambda~) z, with Lambda~ the prior mapped from [low, high] to [-1, 1].

    Parameters
    ----------
    coefficients : (M,)
        Chebyshev coefficients c_0, c_1, ..., at least two.
    z : (n, d)
        Multiplied on the left by the polynomial of Lambda.
    prior : tuple
        Lambda, see `horde.kernels.precision`.
    low, high : float
        An interval that holds the spectrum of Lambda.
    """
    n, d = z.shape
    centre, half = (high + low) / 2.0, (high - low) / 2.0
    before = z.copy()
    now = np.empty((n, d))
    centred_times(before, now, prior, centre, half)
    total = coefficients[0] * before + coefficients[1] * now
    for m in range(2, len(coefficients)):
        advance_chebyshev(before, now, total, coefficients[m], prior, centre, half)
        before, now = now, before
    return total


@jit
def lanczos(prior, start, steps):
    """Return the diagonal and off-diagonal of the Lanczos matrix of Lambda from `start` (n,).

    Without reorthogonalisation, which the extreme eigenvalues do not need. Stops early where the
    Krylov space is exhausted.
    """
    n = len(start)
    alphas = np.zeros(steps)
    betas = np.zeros(steps)
    before = np.zeros((n, 1))
    now = (start / np.sqrt((start * start).sum())).reshape((n, 1))
    product = np.zeros((n, 1))
    for m in range(steps):
        centred_times(now, product, prior, 0.0, 1.0)
        alphas[m] = (product * now).sum()
        product -= alphas[m] * now
        if m > 0:
            product -= betas[m - 1] * before
        betas[m] = np.sqrt((product * product).sum())
        if betas[m] < 1e-10 * abs(alphas[0]):
            return alphas[: m + 1], betas[:m]
        before, now = now, product / betas[m]
    return alphas, betas[: steps - 1]
