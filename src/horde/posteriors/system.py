"""The linear system P w = b/sigma^2 of a Gaussian Markov random field, as plain arrays."""

import math

import numpy as np

from horde.errors import ConfigError
from horde.graph.precision import Precision
from horde.kernels.linalg import fits, trace, within
from horde.kernels.precision import changed_rows, jacobi_norm_bound, residual
from horde.kernels.sampling import lanczos
from horde.posteriors.base import Slots, lengthened, too_long
from horde.problem import Problem
from horde.state import Stateful

# The bound on the Jacobi norm of L_G + I, but for rounding.
LIKE_LAPLACIAN = 0.5 + 1e-9
LANCZOS_STEPS = 60
# Limits of what is taken for a positive definite precision.
BIGGEST = 1e100
SINGULAR = 1e-9
# Smallest eigenvalue of the prior, scaled to a diagonal of 1, with which local pushes still end.
SLOWEST = 1e-3

Prior = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def scaled_prior(precision: Precision, lam: float) -> Prior:
    """Return Lambda = lambda L as the tuple that the kernels read (`horde.kernels.precision`)."""
    diagonal, weights = lam * precision.diagonal, lam * precision.weights
    return diagonal, precision.indptr, precision.indices, weights


def known_precision(problem: Problem) -> Precision:
    """Return the problem's prior precision.

    Raises
    ------
    ConfigError
        If the problem has none, one of another size, or one that is not positive definite.
    """
    precision = problem.precision
    if precision is None:
        raise ConfigError(
            "This policy needs a graph of the users and the problem has none: "
            "choose a policy without a graph, or give the dataset's edges."
        )
    if precision.n_users != problem.n_users:
        raise ConfigError(
            f"The graph has {precision.n_users} users and the problem {problem.n_users}: "
            "build both from the same dataset."
        )
    if not (within(precision.diagonal, BIGGEST) and within(precision.weights, BIGGEST)):
        raise ConfigError("The prior precision holds NaN, infinity or numbers above 1e100.")
    prior = scaled_prior(precision, 1.0)
    definite = precision.diagonal.min() > 0 and (
        jacobi_norm_bound(prior, 1.0 - 1e-9) < 1.0 or spectrum(prior)[0] > SINGULAR
    )
    if not definite:
        raise ConfigError(
            "The prior precision is not positive definite: add a multiple of the identity, as "
            "L = L_G + I does."
        )
    return precision


def spectrum(prior: Prior) -> tuple[float, float]:
    """Return the smallest and largest eigenvalue of Lambda, approximately, from Lanczos."""
    start = np.random.Generator(np.random.PCG64(0)).standard_normal(len(prior[0]))
    alphas, betas = lanczos(prior, start, min(LANCZOS_STEPS, len(start)))
    matrix = np.diag(alphas) + np.diag(betas, 1) + np.diag(betas, -1)
    eigenvalues = np.linalg.eigvalsh(matrix)
    return eigenvalues[0], eigenvalues[-1]


def is_quick(prior: Prior) -> bool:
    """Return whether local pushes take at most about a thousand times those of L_G + I."""
    if jacobi_norm_bound(prior, LIKE_LAPLACIAN) < 1 - SLOWEST:
        return True
    diagonal, indptr, indices, weights = prior
    scale = 1.0 / np.sqrt(diagonal)
    rows = np.repeat(np.arange(len(diagonal)), np.diff(indptr))
    scaled = weights * scale[rows] * scale[indices]
    return spectrum((np.ones(len(diagonal)), indptr, indices, scaled))[0] > SLOWEST


def require_quick(prior: Prior) -> None:
    """Refuse a Lambda for which local pushes take too long.

    Raises
    ------
    ConfigError
        If they may, since the off-diagonal part is almost as large as the diagonal.
    """
    if not is_quick(prior):
        raise ConfigError(
            "solver 'local' and widths 'one-hop' would take very long with this prior precision, "
            "whose off-diagonal part is almost as large as its diagonal: set solver to 'pcg' or "
            "'dense', and widths to 'exact'."
        )


class System(Stateful):
    """P = blockdiag(A_i)/sigma^2 + Lambda kron I_d, its right side, the mean and its residual.

    Only users who have been observed own a *slot*, a row in the arrays of `slots`.

    Parameters
    ----------
    problem : Problem
        With a prior precision.
    lam : float
        lambda, positive.
    sigma : float
        sigma, positive.

    Attributes
    ----------
    prior : tuple
        Lambda, see `horde.kernels.precision`.
    w, r : ndarray of float64, shape (n, d)
        Mean, and the residual b/sigma^2 - P w.
    slot : ndarray of int32, shape (n,)
        Slot of each user, -1 where not observed.
    slots : Slots
        By slot: ``owners``, the users; ``blocks`` (d, d) and ``rhs`` (d,), their A_i/sigma^2 and
        b_i/sigma^2; and what solver, widths and sampler add.
    squares : float
        |b|^2 / sigma^4.
    jacobi_norm : float
        Upper bound on the norm of the prior's scaled off-diagonal part: `LIKE_LAPLACIAN` or less
        for every L_G + I (`horde.kernels.precision.jacobi_norm_bound`).
    """

    LEARNED = ("slots", "w", "r", "squares")

    def __init__(self, problem: Problem, lam: float, sigma: float):
        n, d = problem.n_users, problem.n_features
        self.lam, self.sigma2 = lam, sigma * sigma
        self._set_prior(known_precision(problem))
        self.w, self.r = np.zeros((n, d)), np.zeros((n, d))
        self.slot = np.full(n, -1, dtype=np.int32)
        self.squares = 0.0
        self.slots = Slots()
        self.slots.add("owners", (), np.int32)
        self.slots.add("blocks", (d, d))
        self.slots.add("rhs", (d,))

    @property
    def rhs_norm(self) -> float:
        """|b| / sigma^2."""
        # A sum of changes, which may end below 0 where rewards cancel.
        return math.sqrt(max(self.squares, 0.0))

    @property
    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """The observed users and their blocks A_i/sigma^2, by slot, as the kernels read them."""
        return self.slots.rows("owners"), self.slots.blocks

    def claim(self, user: int) -> int:
        """Return the user's slot, opened if it has none."""
        if self.slot[user] < 0:
            row = self.slot[user] = self.slots.open()
            self.slots.owners[row] = user
        return self.slot[user]

    def reset_prior(self, precision: Precision) -> np.ndarray:
        """Take another prior precision; return whose residual was computed afresh: everyone's."""
        self._set_prior(precision)
        return self._compute_residual(np.arange(len(self.w)))

    def join(self, precision: Precision) -> np.ndarray:
        """Take a prior precision of as many users or more; return whose row of it is another."""
        before = self.prior
        self._set_prior(precision)
        n = precision.n_users
        self.w, self.r = lengthened(self.w, n), lengthened(self.r, n)
        self.slot = lengthened(self.slot, n, -1)
        return self._compute_residual(changed_rows(before, self.prior))

    def require_fitting(self, user: int, x: np.ndarray) -> None:
        """Raise DataError if x is too long to be added to the user's data."""
        row = self.slot[user]
        total = trace(self.slots.blocks[row]) if row >= 0 else 0.0
        if not fits(x, total, self.sigma2, self.prior[0][user]):
            raise too_long(x)

    def _compute_residual(self, users: np.ndarray) -> np.ndarray:
        slots = self.slots
        residual(users, self.w, self.r, self.slot, slots.blocks, slots.rhs, self.prior)
        return users

    def _set_prior(self, precision: Precision) -> None:
        self.prior = scaled_prior(precision, self.lam)
        self.jacobi_norm = jacobi_norm_bound(self.prior, LIKE_LAPLACIAN)

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` returned."""
        super().restore(state)
        self.slot[:] = -1
        self.slot[self.slots.owners] = np.arange(self.slots.used, dtype=np.int32)
