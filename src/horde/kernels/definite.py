"""Large symmetric positive definite matrices without BLAS: determinant, inverse and product.

As in `horde.kernels.linalg`, the inner loops run over independent elements, hence the same digits
on every processor. Blocks are of a size that stays in the cache.
"""

import math

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.linalg import cholesky, inverse_from_cholesky

# Largest number of rows eliminated at a time; a multiple of four.
BLOCK = 64
LOG_2 = 0.6931471805599453


@jit
def eliminate(matrix):
    """Factorise a matrix as L D L^T by blocks of rows.

    Parameters
    ----------
    matrix : ndarray of float64, shape (n, n)
        Symmetric; read on and above the diagonal.

    Returns
    -------
    factors : ndarray of float64, shape (m, m)
        D^-1 in the diagonal blocks, L^T to their right. Rows of the identity make n up to m, a
        multiple of the block.
    logdet : float
        log|matrix|; NaN where it is not positive definite, and `factors` without meaning.
    """
    n = len(matrix)
    size = block_of(n)
    factors = np.eye(n + -n % size)
    factors[:n, :n] = matrix
    roots = np.ones(len(factors))
    for first in range(0, len(factors), size):
        last = first + size
        lower = cholesky(factors[first:last, first:last].copy())
        for k in range(size):
            roots[first + k] = lower[k, k]
            # NaN fails too.
            if not lower[k, k] > 0.0:
                return factors, np.nan
        inverse = inverse_from_cholesky(lower)
        right = factors[first:last, last:].T.copy()
        left = np.zeros_like(right)
        subtract_product(left, 0, right, -inverse, 0, 0)
        subtract_product(factors, last, left, factors, first, last)
        factors[first:last, first:last] = inverse
        factors[first:last, last:] = left.T
    return factors, 2.0 * log_product(roots)


@jit
def inverse_from(factors, n):
    """Return the inverse (n, n), exactly symmetric, from what `eliminate` returned: spoils it."""
    size = block_of(n)
    for first in range(len(factors) - size, -1, -size):
        last = first + size
        upper = factors[first:last, last:].copy()
        # W, the inverse from `last` on, is there already. Left of it comes -L^T W.
        beside = np.zeros_like(upper)
        for k in range(last, len(factors), size):
            part = upper[:, k - last : k - last + size].copy()
            subtract_product(beside, 0, part, factors, k, last)
        corner = factors[first:last, first:last].copy()
        subtract_product(corner, 0, beside, upper.T.copy(), 0, 0)
        for i in range(size):
            corner[i, :i] = corner[:i, i]
        factors[first:last, first:last] = corner
        factors[first:last, last:] = beside
        factors[last:, first:last] = beside.T
    return factors[:n, :n].copy()


@jit
def block_of(n):
    """Return the number of rows of a block: a multiple of four, since four are read at a time."""
    return min(n + -n % 4, BLOCK)


@jit
def subtract_product(matrix, corner, A, B, row, column):
    """Subtract A B from the part of `matrix` right of and below element (corner, corner), in place.

    Where `corner` is not 0, the part is symmetric: what is below its diagonal does not count.

    Parameters
    ----------
    matrix : ndarray of float64, two axes
    corner : int
    A : ndarray of float64, shape (m, q)
        m and q are multiples of four.
    B : ndarray of float64, two axes
        The factor, (q, p), is right of and below element (row, column).
    row, column : int
    """
    m, q = A.shape
    p = B.shape[1] - column
    for i in range(0, m, 4):
        # Four rows of A and four of B at a time: their factors stay in registers.
        first = i if corner else 0
        c0 = matrix[corner + i][corner + first : corner + p]
        c1 = matrix[corner + i + 1][corner + first : corner + p]
        c2 = matrix[corner + i + 2][corner + first : corner + p]
        c3 = matrix[corner + i + 3][corner + first : corner + p]
        for k in range(0, q, 4):
            t0, t1, t2, t3 = A[i, k], A[i, k + 1], A[i, k + 2], A[i, k + 3]
            u0, u1, u2, u3 = A[i + 1, k], A[i + 1, k + 1], A[i + 1, k + 2], A[i + 1, k + 3]
            v0, v1, v2, v3 = A[i + 2, k], A[i + 2, k + 1], A[i + 2, k + 2], A[i + 2, k + 3]
            w0, w1, w2, w3 = A[i + 3, k], A[i + 3, k + 1], A[i + 3, k + 2], A[i + 3, k + 3]
            b0 = B[row + k][column + first :]
            b1 = B[row + k + 1][column + first :]
            b2 = B[row + k + 2][column + first :]
            b3 = B[row + k + 3][column + first :]
            for j in range(p - first):
                c0[j] -= t0 * b0[j] + t1 * b1[j] + t2 * b2[j] + t3 * b3[j]
                c1[j] -= u0 * b0[j] + u1 * b1[j] + u2 * b2[j] + u3 * b3[j]
                c2[j] -= v0 * b0[j] + v1 * b1[j] + v2 * b2[j] + v3 * b3[j]
                c3[j] -= w0 * b0[j] + w1 * b1[j] + w2 * b2[j] + w3 * b3[j]


@jit
def gram(rows):
    """Return rows @ rows^T (n, n), exactly symmetric, for `rows` (n, d)."""
    n, d = rows.shape
    product, columns = np.zeros((n, n)), rows.T.copy()
    for i in range(n):
        for k in range(d):
            factor = rows[i, k]
            for j in range(n):
                product[i, j] += factor * columns[k, j]
    return product


@jit
def log_product(values):
    """Return log of the product of positive `values`: libraries round a logarithm differently."""
    mantissa, exponent = 1.0, 0
    for value in values:
        mantissa, more = math.frexp(mantissa * value)
        exponent += more
    if mantissa < 0.7:
        mantissa, exponent = 2.0 * mantissa, exponent - 1
    # log m = 2 artanh z, with m in [0.7, 1.4) and hence |z| < 0.18.
    z = (mantissa - 1.0) / (mantissa + 1.0)
    series = 0.0
    for k in range(23, 0, -2):
        series = 1.0 / k + z * z * series
    return exponent * LOG_2 + 2.0 * z * series
