"""Time the graphical lasso: `horde bench --glasso n=1892,rank=25,density=0.05`."""

import time
import warnings

import numpy as np

from horde.graph import glasso
from horde.kernels.glasso import dual_point
from horde.machine import require_memory
from horde.policies.memory import LASSO, NUMBER

# Movement of the means between the two solves, as a share of their spread.
MOVE = 0.2
# Largest number of users for scikit-learn's solver, which takes minutes above it.
COMPARED = 500
# Repetitions of each timed solve in the comparison; the minimum counts.
REPEATS = 3


def problem(n: int, rank: int, signal: float) -> tuple[np.ndarray, np.ndarray]:
    """Draw normal means of users at two times.

    Parameters
    ----------
    n : int
        Number of users.
    rank : int
        Number of features d.
    signal : float
        Mean of lambda |w_i|^2, positive; the identity contributes 1.

    Returns
    -------
    tuple of two ndarray of float64, shape (n, rank)
        sqrt(lambda) w_i minus its average over users.
    """
    rng = np.random.default_rng(0)
    spread = np.sqrt(signal / rank)
    means = spread * rng.normal(size=(n, rank))
    moved = means + MOVE * spread * rng.normal(size=(n, rank))
    return means - means.mean(axis=0), moved - moved.mean(axis=0)


def measure(n: int, rank: int, density: float, signal: float) -> dict[str, object]:
    """Time a search for lambda_2, a first solve and a warm solve, as in L-EG.

    Parameters
    ----------
    n, rank, signal
        As for `problem`; S is a matrix of this rank plus the identity.
    density : float
        Density of the first estimate, in (0, 1].

    Returns
    -------
    dict
        ``search_seconds`` (lambda_2 and V together), ``first_seconds`` (at that lambda_2, from
        the diagonal), ``warm_seconds`` and, of the last two solves, density, duality gap (nats per
        user), optimality residual, steps and convergence. For at most `COMPARED` users, also the
        values of `against_sklearn`.

    Raises
    ------
    ConfigError
        If the problem does not fit into memory.
    """
    require_memory(
        NUMBER * (LASSO * n * n + 4 * n * rank),
        f"the graphical lasso of {n:,} users",
        "choose fewer users.",
    )
    before, after = problem(n, rank, signal)
    S = before @ before.T + np.eye(n)
    # Load the compiled code.
    glasso.solve(S[:40, :40].copy(), 0.05)
    searched, search = _timed(glasso.solve_to_density, S, density)
    penalty = searched.penalty
    first, cold = _timed(glasso.solve, S, penalty)
    moved = after @ after.T + glasso.inverse(first.precision)
    again, warm = _timed(glasso.solve, moved, penalty, start=first.precision)
    found = {"search_seconds": search, "first_seconds": cold, "warm_seconds": warm}
    for name, estimate in (("first", first), ("warm", again)):
        for quality in ("density", "gap", "residual", "steps", "converged"):
            found[f"{name}_{quality}"] = getattr(estimate, quality)
    if n <= COMPARED:
        found |= against_sklearn(S, penalty)
    return found


def against_sklearn(S: np.ndarray, penalty: float) -> dict[str, float]:
    """Time scikit-learn's solver with its defaults, and ours to the same duality gap.

    Parameters
    ----------
    S : ndarray of float64, shape (n, n)
        Covariance; positive definite.
    penalty : float
        lambda_2, positive.

    Returns
    -------
    dict
        ``sklearn_seconds``, ``sklearn_gap`` (nats per user, of its precision matrix),
        ``equal_seconds`` (ours, from the diagonal to at most this gap), ``equal_gap`` and
        ``times_faster``, the ratio of the two times.
    """
    from sklearn.covariance import graphical_lasso

    with warnings.catch_warnings():
        # It may not converge in 100 iterations; its gap shows how close it is.
        warnings.simplefilter("ignore")
        (_, V), theirs = _least_timed(graphical_lasso, S, penalty)
    gap = _duality_gap(S, V, penalty)
    # A gap of rounding errors only may be 0 or negative.
    tolerance = max(gap, 1e-12)
    ours, own = _least_timed(glasso.solve, S, penalty, tolerance=tolerance)
    return {
        "sklearn_seconds": theirs,
        "sklearn_gap": gap,
        "equal_seconds": own,
        "equal_gap": ours.gap,
        "times_faster": theirs / own,
    }


def _duality_gap(S: np.ndarray, V: np.ndarray, penalty: float) -> float:
    """Return the gap in nats per user, for the dual-feasible point near V's inverse."""
    V = (V + V.T) / 2
    W = np.linalg.inv(V)
    sign, dual = np.linalg.slogdet(dual_point(S, (W + W.T) / 2, V, penalty, penalty))
    off = np.abs(V).sum() - np.abs(np.diag(V)).sum()
    objective = (S * V).sum() - np.linalg.slogdet(V)[1] + penalty * off
    return float((objective - dual) / len(S) - 1) if sign > 0 else np.inf


def _least_timed(function, *arguments, **params):
    timed = [_timed(function, *arguments, **params) for _ in range(REPEATS)]
    return timed[0][0], min(seconds for _, seconds in timed)


def _timed(function, *arguments, **params):
    began = time.perf_counter()
    result = function(*arguments, **params)
    return result, time.perf_counter() - began
