"""Kernels of the graphical lasso: free set, coordinate descent sweeps, optimality residual.

Matrices are dense, n x n, symmetric and C-contiguous. `ceiling` bounds the multiplier of a positive
coupling: it equals the penalty where couplings have any sign, and is infinite where they must be
attractive (off-diagonals <= 0).
"""

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.linalg import dot

# Columns of U are read this many at a time: a cache line holds eight doubles.
BLOCK = 8


@jit
def gather_columns(matrix, first, count, columns):
    """Copy `count` columns of `matrix`, from `first` on, to the first rows of `columns`."""
    for k in range(matrix.shape[0]):
        for r in range(count):
            columns[r, k] = matrix[k, first + r]


@jit
def violation(x, gradient, penalty, ceiling):
    """Return the distance of 0 from the subgradient of one off-diagonal entry.

    `gradient` is that of the smooth part, S_ij - W_ij; `x` is X_ij.
    """
    if x > 0.0:
        return abs(gradient + ceiling)
    if x < 0.0:
        return abs(gradient - penalty)
    return max(gradient - penalty, -gradient - ceiling, 0.0)


@jit
def free_set(S, W, X, scale, penalty, ceiling):
    """Return the entries worth moving, and how far the whole is from optimal.

    Parameters
    ----------
    S, W, X : ndarray of float64, shape (n, n)
        Covariance, inverse of X, precision.
    scale : ndarray of float64, shape (n,)
        sqrt(S_ii): entry ij of the gradient is measured in units of scale_i scale_j.
    penalty, ceiling : float
        Multiplier bounds of negative and of positive couplings.

    Returns
    -------
    indptr : ndarray of int64, shape (n + 1,)
        Row i's entries are at ``indptr[i]:indptr[i + 1]``; the first is the diagonal.
    columns : ndarray of int32
        Columns j >= i: the diagonal, X_ij != 0, and those whose subgradient excludes 0.
    residual : float
        Largest distance of 0 from the subgradient, in units of scale_i scale_j.
    """
    n = S.shape[0]
    indptr = np.zeros(n + 1, dtype=np.int64)
    columns = np.empty(8 * n, dtype=np.int32)
    residual = 0.0
    count = 0
    for i in range(n):
        if count + n - i > len(columns):
            larger = np.empty(2 * len(columns) + n, dtype=np.int32)
            larger[:count] = columns[:count]
            columns = larger
        columns[count] = i
        count += 1
        residual = max(residual, abs(S[i, i] - W[i, i]) / (scale[i] * scale[i]))
        for j in range(i + 1, n):
            v = violation(X[i, j], S[i, j] - W[i, j], penalty, ceiling)
            residual = max(residual, v / (scale[i] * scale[j]))
            if v > 0.0 or X[i, j] != 0.0:
                columns[count] = j
                count += 1
        indptr[i + 1] = count
    return indptr, columns[:count].copy(), residual


@jit
def entries(matrix, indptr, columns):
    """Return matrix[i, j] for each listed entry."""
    values = np.empty(len(columns))
    for i in range(len(indptr) - 1):
        for p in range(indptr[i], indptr[i + 1]):
            values[p] = matrix[i, columns[p]]
    return values


@jit
def scatter(values, indptr, columns, matrix):
    """Write each listed value to matrix[i, j] and matrix[j, i], in place."""
    for i in range(len(indptr) - 1):
        for p in range(indptr[i], indptr[i + 1]):
            matrix[i, columns[p]] = values[p]
            matrix[columns[p], i] = values[p]


@jit
def penalised_best(x, gradient, curvature, penalty, ceiling):
    """Return the minimiser z of g (z - x) + a (z - x)^2 / 2 + p max(-z, 0) + c max(z, 0)."""
    unpenalised = x - gradient / curvature
    if unpenalised < 0.0:
        return min(unpenalised + penalty / curvature, 0.0)
    return max(unpenalised - ceiling / curvature, 0.0)


@jit
def move(W, i, j, left, change, right, U, bent, columns_of_U, top):
    """Add `left` to D_ii, `change` to D_ij and `right` to D_jj; only `left` counts where i = j.

    U = D W, bent = diag(W D W) and `columns_of_U`, the transposed columns of U from `top` on, are
    updated in place.
    """
    own, other = W[i], W[j]
    row, row_other = U[i], U[j]
    if i == j:
        for k in range(len(own)):
            row[k] += left * own[k]
            bent[k] += left * own[k] * own[k]
    else:
        for k in range(len(own)):
            row[k] += left * own[k] + change * other[k]
            row_other[k] += change * own[k] + right * other[k]
            bent[k] += (left * own[k] + 2.0 * change * other[k]) * own[k]
            bent[k] += right * other[k] * other[k]
    for r in range(min(BLOCK, len(own) - top)):
        columns_of_U[r, i] = row[top + r]
        columns_of_U[r, j] = row_other[top + r]


@jit
def sweep(W, U, bent, indptr, columns, s, x, step, penalty, ceiling, least):
    """Run one pass of coordinate descent for the Newton direction D over the free set.

    D minimises Tr((S - W) D) + Tr(W D W D)/2 + penalty of X + D. Each D_ij is moved together with
    D_ii and D_jj, which are not penalised, to the minimum over all three. Alone it could hardly
    move where W has one eigenvalue far above the others, as the users have much in common.

    Parameters
    ----------
    W : ndarray of float64, shape (n, n)
        Inverse of X.
    U : ndarray of float64, shape (n, n)
        D W, kept up to date in place.
    bent : ndarray of float64, shape (n,)
        The diagonal of W D W, kept up to date in place.
    indptr, columns : ndarray
        The free set, as `free_set` lists it.
    s, x : ndarray of float64, shape (len(columns),)
        S and X there.
    step : ndarray of float64, shape (len(columns),)
        D there, changed in place.
    penalty, ceiling : float
        Multiplier bounds of negative and of positive couplings.
    least : float
        A move whose Tr(W D W D) is below this is left out, unless it makes an entry of X + D zero.

    Returns
    -------
    float
        Sum of the moves' Tr(W D W D), about twice what the pass takes off the model.
    """
    n = W.shape[0]
    gain = 0.0
    columns_of_U = np.empty((BLOCK, n))
    for top in range(0, n, BLOCK):
        rows = min(BLOCK, n - top)
        gather_columns(U, top, rows, columns_of_U)
        for r in range(rows):
            i = top + r
            own = W[i]
            first = indptr[i]
            # Its exact value takes off what rounding has added.
            bent[i] = dot(own, columns_of_U[r])
            curvature = own[i] * own[i]
            change = (own[i] - s[first] - bent[i]) / curvature
            gain += curvature * change * change
            step[first] += change
            move(W, i, i, change, 0.0, 0.0, U, bent, columns_of_U, top)
            for p in range(first + 1, indptr[i + 1]):
                j = columns[p]
                last = indptr[j]
                # The gradient G at ii, ij and jj, and the inverse M of W's block of i and j.
                g_i = s[first] - own[i] + bent[i]
                g = s[p] - own[j] + dot(W[j], columns_of_U[r])
                g_j = s[last] - W[j, j] + bent[j]
                determinant = own[i] * W[j, j] - own[j] * own[j]
                m_i, m, m_j = W[j, j] / determinant, -own[j] / determinant, own[i] / determinant
                # Without the penalty, the block of D would change by -M G M.
                inverse = m_i * m_j + m * m
                free = -(m_i * m * g_i + inverse * g + m * m_j * g_j)
                at = x[p] + step[p]
                change = penalised_best(at, -free / inverse, 1.0 / inverse, penalty, ceiling) - at
                if change == 0.0:
                    continue
                # The penalty's slope, which is part of G at the minimum.
                g += (free - change) / inverse
                left = -(m_i * m_i * g_i + 2.0 * m_i * m * g + m * m * g_j)
                right = -(m * m * g_i + 2.0 * m * m_j * g + m_j * m_j * g_j)
                gained = -(g_i * left + 2.0 * g * change + g_j * right)
                if gained < least and at + change != 0.0:
                    continue
                gain += gained
                step[first] += left
                step[p] += change
                step[last] += right
                move(W, i, j, left, change, right, U, bent, columns_of_U, top)
    return gain


@jit
def penalty_of(x, indptr, columns, penalty, ceiling):
    """Return the penalty of both triangles, for upper-triangle entries `x`.

    Infinite if a positive coupling is met while only attractive ones are allowed.
    """
    total = 0.0
    for i in range(len(indptr) - 1):
        for p in range(indptr[i], indptr[i + 1]):
            if columns[p] != i and x[p] != 0.0:
                total += 2.0 * (ceiling * x[p] if x[p] > 0.0 else -penalty * x[p])
    return total


@jit
def linear_of(gradient, step, indptr, columns):
    """Return Tr(G D) for symmetric G and D given on the upper triangle."""
    total = 0.0
    for i in range(len(indptr) - 1):
        for p in range(indptr[i], indptr[i + 1]):
            total += (1.0 if columns[p] == i else 2.0) * gradient[p] * step[p]
    return total


@jit
def dual_point(S, W, X, penalty, ceiling):
    """Return a dual-feasible matrix near W, once that is scaled to the diagonal of S.

    It is S + U, with U_ij in [-penalty, ceiling] and U_ii = 0. Where X_ij is not zero, the solution
    has U_ij at the end of the interval that its sign says. There, W_ij - S_ij moves towards this
    end, at most as far as log|S + U| grows by it alone: what the distance adds to the duality gap
    is then of second order.
    """
    n = S.shape[0]
    scale = np.sqrt(np.diag(S) / np.diag(W))
    point = np.empty((n, n))
    for i in range(n):
        for j in range(i):
            factor = scale[i] * scale[j]
            gap = min(max(factor * W[i, j] - S[i, j], -penalty), ceiling)
            x = X[i, j]
            if x != 0.0:
                end = ceiling if x > 0.0 else -penalty
                most = abs(x) * factor / (X[i, i] * X[j, j] + x * x)
                gap += min(max(end - gap, -most), most)
            point[i, j] = point[j, i] = S[i, j] + gap
        point[i, i] = S[i, i]
    return point
