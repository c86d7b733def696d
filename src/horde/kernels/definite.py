"""Large symmetric positive definite matrices without BLAS: determinant, inverse and product.

As in `horde.kernels.linalg` no sum is reordered, hence the same digits on every processor.
"""

import math

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.linalg import cholesky, inverse_from_cholesky, solve_lower

# Largest number of rows of a block: so many columns of it stay in the cache.
BLOCK = 64
LOG_2 = 0.6931471805599453


@jit
def factorise(matrix):
    """Return the Cholesky factor of a matrix by blocks, and its log-determinant.

    Parameters
    ----------
    matrix : ndarray of float64, shape (n, n)
        Symmetric; read on and above the diagonal.

    Returns
    -------
    factors : ndarray of float64, shape (m, m)
        With C C^T the matrix: the diagonal blocks of C, and C^T to their right. Rows of the
        identity make n up to m, a multiple of the block.
    logdet : float
        log|matrix|; NaN where it is not positive definite in doubles, and `factors` is meaningless.
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
        factors[first:last, first:last] = lower
        for k in range(last, len(factors), size):
            part = factors[first:last, k : k + size].copy()
            solve_lower(lower, part)
            factors[first:last, k : k + size] = part
        left = factors[first:last, last:].T.copy()
        subtract_product(factors, last, True, left, factors, first, last)
    return factors, 2.0 * log_product(roots)


@jit
def inverse_from(factors, n):
    """Return the inverse (n, n), exactly symmetric, from what `factorise` returned: spoils it."""
    size = block_of(n)
    for first in range(len(factors) - size, -1, -size):
        last = first + size
        lower = factors[first:last, first:last].copy()
        # Its transpose is lower triangular, too, once rows and columns are in reverse order.
        reverse = lower[::-1, ::-1].T.copy()
        upper = factors[first:last, last:].copy()
        # With B = C^-T `upper` and W the inverse from `last` on, which is there already: -B W
        # beside it, and the inverse of C C^T plus B W B^T in the corner.
        beside = np.zeros_like(upper)
        for k in range(0, upper.shape[1], size):
            part = upper[::-1, k : k + size].copy()
            solve_lower(reverse, part)
            upper[:, k : k + size] = part[::-1]
            subtract_product(beside, 0, False, part[::-1].copy(), factors, last + k, last)
        corner = inverse_from_cholesky(lower)
        subtract_product(corner, 0, True, beside, upper.T.copy(), 0, 0)
        for i in range(size):
            corner[i, :i] = corner[:i, i]
        factors[first:last, first:last] = corner
        factors[first:last, last:] = beside
        factors[last:, first:last] = beside.T
    return factors if len(factors) == n else factors[:n, :n].copy()


@jit
def block_of(n):
    """Return the number of rows of a block: a multiple of four, since four are read at a time."""
    rows = -(-n // -(-n // BLOCK))
    return rows + -rows % 4


@jit
def subtract_product(matrix, corner, symmetric, A, B, row, column):
    """Subtract A B from the part of `matrix` right of and below element (corner, corner), in place.

    Parameters
    ----------
    matrix : ndarray of float64, two axes
    corner : int
    symmetric : bool
        Whether what is below the part's diagonal may stay as it is.
    A : ndarray of float64, shape (m, q)
        m and q are multiples of four, which is not checked.
    B : ndarray of float64, two axes
        The factor, (q, p), is right of and below element (row, column).
    row, column : int
    """
    m, q = A.shape
    p = B.shape[1] - column
    for i in range(0, m, 4):
        # Four rows of A and four of B at a time: what is loaded serves four times.
        first = i if symmetric else 0
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
