"""Ridge regression by rank-one updates: one d x d problem of many kept in stacked arrays."""

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.small import (
    add_outer,
    cholesky,
    downdate_inverse,
    solve_lower_transposed,
    symmetric_times,
)


@jit
def observe(slot, x, reward, sigma2, gram, rhs, inverse, mean):
    """Add the observation (x, reward) to problem `slot`, in place.

    With A and b the sums of x x^T and r x, the stacks hold A/sigma2 in `gram` (m, d, d), b/sigma2
    in `rhs` (m, d), (lambda I + A/sigma2)^-1 in `inverse` (m, d, d) and its product with b/sigma2
    in `mean` (m, d); `x` is (d,).
    """
    add_outer(gram[slot], x, 1.0 / sigma2)
    for j in range(len(x)):
        rhs[slot, j] += reward / sigma2 * x[j]
    downdate_inverse(inverse[slot], x, sigma2)
    mean[slot] = symmetric_times(inverse[slot], rhs[slot])


@jit
def marginal_sample(gram, lam, mean, normals, scale):
    """Return mean + sqrt(scale) C^-T z, C the lower Cholesky factor of `gram` + lam I.

    With z standard normal in `normals` (d,), this is a draw from N(mean, scale (gram + lam I)^-1);
    `gram` is (d, d), `mean` and the result (d,).
    """
    precision = gram.copy()
    for j in range(len(mean)):
        precision[j, j] += lam
    deviation = solve_lower_transposed(cholesky(precision), normals)
    return mean + np.sqrt(scale) * deviation
