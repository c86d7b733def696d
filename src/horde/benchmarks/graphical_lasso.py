"""How long the graphical lasso takes: `horde bench --glasso n=1892,rank=25,density=0.05`."""

import time

import numpy as np

from horde import glasso

# Share of the means' spread by which they move between the two solves.
MOVE = 0.2
# Mean of lambda |w_i|^2, against 1 for the identity.
SIGNAL = 0.3
N_CLUSTERS = 20


def problem(n: int, rank: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Make the means of users in clusters, at two moments.

    Parameters
    ----------
    n : int
        Number of users.
    rank : int
        Number of features.
    seed : int
        Seed.

    Returns
    -------
    tuple of two ndarray of float64, shape (n, rank)
        sqrt(lambda) w_i, less the average over users.
    """
    rng = np.random.default_rng(seed)
    tastes = rng.normal(size=(N_CLUSTERS, rank))[rng.integers(N_CLUSTERS, size=n)]
    means = np.sqrt(SIGNAL / (2 * rank)) * (tastes + rng.normal(size=(n, rank)))
    moved = means + MOVE * means.std() * rng.normal(size=(n, rank))
    return means - means.mean(axis=0), moved - moved.mean(axis=0)


def measure(n: int, rank: int, density: float, couplings: str = "any") -> dict[str, object]:
    """Time a search for lambda_2, a first solve and a warm one, as L-EG makes them.

    Parameters
    ----------
    n, rank : int
        As for `problem`.
    density : float
        Density of the first estimate, in (0, 1].
    couplings : {"any", "attractive"}
        As for `horde.glasso.solve`.

    Returns
    -------
    dict
        ``search_seconds`` (lambda_2 and V together), ``first_seconds`` (at that lambda_2, from
        the diagonal), ``warm_seconds`` and, of the last two solves, density, duality gap (nats a
        user), optimality residual, steps and whether they converged.
    """
    before, after = problem(n, rank)
    S = before @ before.T + np.eye(n)
    glasso.solve(S[:40, :40].copy(), 0.05)
    found, search = _timed(glasso.solve_to_density, S, density, couplings)
    first, cold = _timed(glasso.solve, S, found.penalty, couplings)
    S = after @ after.T + glasso.inverse(first.precision)
    again, warm = _timed(glasso.solve, S, found.penalty, couplings, first.precision)
    seconds = {"search_seconds": search, "first_seconds": cold, "warm_seconds": warm}
    return seconds | _quality("first", first) | _quality("warm", again)


def _timed(function, *arguments):
    began = time.perf_counter()
    result = function(*arguments)
    return result, time.perf_counter() - began


def _quality(name: str, estimate: glasso.Estimate) -> dict[str, object]:
    return {
        f"{name}_density": estimate.density,
        f"{name}_gap": estimate.gap,
        f"{name}_residual": estimate.residual,
        f"{name}_steps": estimate.steps,
        f"{name}_converged": estimate.converged,
    }
