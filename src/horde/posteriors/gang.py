"""The graph-based posterior by the name of its solver: what the registry makes G-EG & co. with."""

from horde.posteriors.base import Posterior
from horde.posteriors.dense import Dense
from horde.posteriors.gmrf import Gmrf


def gang(
    lam: float = 0.01,
    sigma: float = 1.0,
    solver: str = "local",
    iterations: int = 5,
    tolerance: float | None = None,
    widths: str = "schur",
    sampler: str = "marginal",
) -> Posterior:
    """Make the posterior N(w, P^-1), P = blockdiag(A_i)/sigma^2 + lambda L kron I_d.

    Only lambda sigma^2 matters to the mean; sigma scales the widths.

    Parameters
    ----------
    lam : float
        Strength lambda of the prior, positive.
    sigma : float
        Noise of a rating, sigma, positive; in rating units.
    solver : {"local", "pcg", "cg", "dense"}
        How the mean is kept: by local pushes (`horde.kernels.push`); by block-Jacobi
        preconditioned CG; by plain warm-started CG, as in the paper; or with GOBLIN's dense
        (dn) x (dn) inverse, which also gives the widths and samples exactly.
    iterations : int
        Steps of plain CG, at least 1: a round's with ``solver="cg"``, a solve's with
        ``widths="cg"``.
    tolerance : float or None
        Relative tolerance of ``pcg`` (of the residual) or ``local`` (of a user's correction);
        None takes the solver's default, `horde.posteriors.gmrf.TOLERANCES`.
    widths : {"schur", "cg"}
        Variances by a Schur complement one hop around the user (`horde.kernels.schur`), or by one
        CG solve an item, as GOBLIN++ has them.
    sampler : {"marginal", "perturbation"}
        Samples of the served user's marginal, or by perturbation of the whole system
        (Section 4.2).

    Returns
    -------
    Posterior
        Its `start` refuses settings out of range.
    """
    if solver == "dense":
        return Dense(lam, sigma)
    return Gmrf(lam, sigma, solver, iterations, tolerance, widths, sampler)
