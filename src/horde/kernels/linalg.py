"""Dense d x d linear algebra for one user's block, without BLAS.

Loops are ordered so that the inner one runs over independent elements: the compiler vectorises it
without reordering any sum, hence the same digits on every processor.
"""

import numpy as np

from horde.kernels.jit import jit

# Observations may outweigh the prior by this factor: beyond, doubles keep too few of its digits.
LARGEST = 1e13


@jit
def dot(x, y):
    """Return x^T y over (d,), in four interleaved partial sums (no long chain of additions)."""
    d = len(x)
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = d - d % 4
    for j in range(0, whole, 4):
        s0 += x[j] * y[j]
        s1 += x[j + 1] * y[j + 1]
        s2 += x[j + 2] * y[j + 2]
        s3 += x[j + 3] * y[j + 3]
    for j in range(whole, d):
        s0 += x[j] * y[j]
    return (s0 + s1) + (s2 + s3)


@jit
def within(values, limit):
    """Return whether all of `values` lie in [-limit, limit]; NaN does not."""
    flat = values.reshape(-1)
    inside = True
    for k in range(len(flat)):
        inside &= abs(flat[k]) <= limit
    return inside


@jit
def fits(x, total, sigma2, weakest):
    """Return whether x x^T / sigma2 can be added to A / sigma2 without the prior's digits lost.

    `total` is the trace of A / sigma2 and `weakest` the prior's precision. False for NaN.
    """
    return total + dot(x, x) / sigma2 <= LARGEST * weakest


@jit
def trace(matrix):
    """Return the sum of the diagonal of `matrix` (d, d)."""
    total = 0.0
    for j in range(len(matrix)):
        total += matrix[j, j]
    return total


@jit
def inner(p, q):
    """Return the sum of the products p_ik q_ik of two (n, d) arrays, summed by columns first."""
    n, d = p.shape
    sums = np.zeros(d)
    for i in range(n):
        for k in range(d):
            sums[k] += p[i, k] * q[i, k]
    return sums.sum()


@jit
def add_symmetric_times(out, matrix, vector):
    """Add matrix @ vector to `out` (d,), for a symmetric matrix (d, d) read by rows."""
    d = len(vector)
    whole = d - d % 4
    # Four rows at a time: `out` is loaded and stored a quarter as often.
    for j in range(0, whole, 4):
        v0, v1, v2, v3 = vector[j], vector[j + 1], vector[j + 2], vector[j + 3]
        for k in range(d):
            out[k] += (
                matrix[j, k] * v0
                + matrix[j + 1, k] * v1
                + matrix[j + 2, k] * v2
                + matrix[j + 3, k] * v3
            )
    for j in range(whole, d):
        factor = vector[j]
        for k in range(d):
            out[k] += matrix[j, k] * factor


@jit
def symmetric_times(matrix, vector):
    """Return matrix @ vector for a symmetric matrix (d, d), read by rows."""
    product = np.zeros(len(vector))
    add_symmetric_times(product, matrix, vector)
    return product


@jit
def add_outer(matrix, x, weight):
    """Add weight * x x^T to `matrix` (d, d) in place."""
    d = len(x)
    for j in range(d):
        factor = weight * x[j]
        for k in range(d):
            matrix[j, k] += factor * x[k]


@jit
def downdate_inverse(inverse, x, sigma2):
    """Update `inverse` = M^-1 (d, d) in place to (M + x x^T / sigma2)^-1 (Sherman-Morrison)."""
    u = symmetric_times(inverse, x)
    add_outer(inverse, u, -1.0 / (sigma2 + dot(x, u)))


@jit
def quadratic_forms(matrix, features):
    """Return x^T matrix x, at least 0, for each row x of `features` (K, d); matrix symmetric."""
    n_items, d = features.shape
    forms, product = np.empty(n_items), np.empty(d)
    for k in range(n_items):
        product[:] = 0.0
        add_symmetric_times(product, matrix, features[k])
        forms[k] = max(dot(features[k], product), 0.0)
    return forms


@jit
def cholesky(matrix):
    """Return the lower triangular C with C C^T = `matrix` (d, d), symmetric positive definite."""
    d = matrix.shape[0]
    # Right-looking on the transposed factor: row j of `upper` is column j of C.
    upper = matrix.copy()
    for first in range(0, d, 4):
        after = min(first + 4, d)
        for j in range(first, after):
            pivot = np.sqrt(upper[j, j])
            for k in range(j, d):
                upper[j, k] /= pivot
            for i in range(j + 1, after):
                factor = upper[j, i]
                for k in range(i, d):
                    upper[i, k] -= factor * upper[j, k]
        # Four pivots at a time: a row is loaded and stored a quarter as often, of the same digits.
        # After the last pivots, fewer than four perhaps, no row is left.
        for i in range(after, d):
            f0, f1, f2, f3 = (
                upper[first, i],
                upper[first + 1, i],
                upper[first + 2, i],
                upper[first + 3, i],
            )
            for k in range(i, d):
                upper[i, k] = (
                    upper[i, k]
                    - f0 * upper[first, k]
                    - f1 * upper[first + 1, k]
                    - f2 * upper[first + 2, k]
                    - f3 * upper[first + 3, k]
                )
    lower = np.zeros((d, d))
    for j in range(d):
        for k in range(j, d):
            lower[k, j] = upper[j, k]
    return lower


@jit
def inverse_quadratic_forms(lower, features):
    """Return x^T (C C^T)^-1 x = |C^-1 x|^2 for each row x of `features` (K, d); C lower."""
    n_items, d = features.shape
    solved = np.empty((d, n_items))
    solved[:] = features.T
    solve_lower(lower, solved)
    forms = np.zeros(n_items)
    for j in range(d):
        for k in range(n_items):
            forms[k] += solved[j, k] * solved[j, k]
    return forms


@jit
def solve_lower(lower, columns):
    """Solve C Y = `columns` (d, m) in place, C lower triangular (d, d)."""
    d, m = columns.shape
    for j in range(d):
        pivot = lower[j, j]
        for k in range(m):
            columns[j, k] /= pivot
        for i in range(j + 1, d):
            factor = lower[i, j]
            for k in range(m):
                columns[i, k] -= factor * columns[j, k]


@jit
def solve_lower_transposed(lower, vector):
    """Solve C^T y = vector by back substitution, C lower triangular (d, d)."""
    d = len(vector)
    y = vector.copy()
    for j in range(d - 1, -1, -1):
        y[j] /= lower[j, j]
        for k in range(j):
            y[k] -= lower[j, k] * y[j]
    return y


@jit
def normal_draw(mean, factor, normals, scale):
    """Return mean + sqrt(scale) C^-T z (d,), C the lower triangular `factor` (d, d).

    With z standard normal in `normals` (d,), this is a draw from N(mean, scale (C C^T)^-1).
    """
    return mean + np.sqrt(scale) * solve_lower_transposed(factor, normals)


@jit
def inverse_factor(covariance):
    """Return the lower triangular C with C C^T = `covariance`^-1 (d, d)."""
    return cholesky(inverse_spd(covariance))


@jit
def inverse_spd(matrix):
    """Return the inverse of a symmetric positive definite matrix (d, d), exactly symmetric."""
    return inverse_from_cholesky(cholesky(matrix))


@jit
def inverse_from_cholesky(lower):
    """Return (C C^T)^-1, exactly symmetric, for a lower triangular C (d, d)."""
    d = len(lower)
    half = np.eye(d)
    solve_lower(lower, half)
    inverse = np.zeros((d, d))
    for i in range(d):
        row = half[i]
        for j in range(i + 1):
            factor = row[j]
            for k in range(j + 1):
                inverse[j, k] += factor * row[k]
    for i in range(d):
        for j in range(i):
            inverse[j, i] = inverse[i, j]
    return inverse
