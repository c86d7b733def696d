"""The graphical lasso at the size of a user graph (Appendix A, eq. (omega-subproblem)).

minimise Tr(S V) - log|V| + lambda_2 sum_{i != j} |V_ij| over positive definite V, by proximal
Newton steps (QUIC): the direction by coordinate descent over the entries that may move, the step
length by the determinant. Where |S_ij| <= lambda_2 cuts the users into parts, each part is
solved by itself, which is exact.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from horde.checks import require_one_of, require_positive, require_whole
from horde.graph.precision import Precision
from horde.kernels import glasso as kernels
from horde.kernels.definite import factorise, inverse_from, log_product

COUPLINGS = ("any", "attractive")

# A direction's sweeps end when one takes off less than a share of what all have: SWEEP_GAIN far
# from the solution; nearer, so many times what the last step took off (nats a user). The duality
# gap would not do: it is infinite until late.
SWEEP_GAIN = 0.2
NEARER = 100.0
MAX_SWEEPS = 1000
# A sweep leaves out moves that yield less than this many times the last sweep's mean: to find a
# move costs less than to make it.
SKIPPED = 1.0
# A step must yield this share of the decrease promised by its slope. Less would accept steps
# next to a singular matrix, whose inverse then frees far too many entries.
SUFFICIENT = 0.3
MAX_TRIALS = 30
# From the diagonal, so many times lambda_2 comes first, a step each: the first step at lambda_2
# itself goes far beyond the solution, to next to a singular matrix, and several lead back.
APPROACH = (6.0, 3.0, 2.0, 1.5, 1.2)
# The search for a density: screening leaves about so many times the edges of the solution, and
# log density falls about so fast with log lambda_2.
SCREENED = 1.0
SLOPE = -1.5
# The search goes no lower than where screening leaves so many times the pairs asked for. Users
# without a reward yet have the same mean, so that all their pairs enter at one lambda_2: about half
# of all pairs, and many times the work, for a solution that is then thrown away.
CROWDED = 9.0
# An entry of S and its mirror image may differ by so many sqrt(S_ii S_jj).
ASYMMETRY = 1e-8
# Entries are rounded to this many binary digits of sqrt(V_ii V_jj).
DIGITS = 16


@dataclass(frozen=True)
class Estimate:
    """A learned precision, and how good it is.

    Attributes
    ----------
    precision : Precision
        V; positive definite but for rounding to `DIGITS` binary digits, so that the last digits of
        S mostly change nothing.
    penalty : float
        lambda_2.
    converged : bool
        Whether `gap` came within the tolerance in the steps allowed.
    steps : int
        Newton steps, of the part that took most.
    gap : float
        Duality gap in nats a user, an upper bound on the objective's distance from its minimum;
        infinite where no dual-feasible point was met. Before rounding.
    residual : float
        Largest distance of 0 from the subgradient of an entry, in units of sqrt(S_ii S_jj).
        Before rounding.
    """

    precision: Precision
    penalty: float
    converged: bool
    steps: int
    gap: float
    residual: float

    @property
    def density(self) -> float:
        """Edges over pairs of users; 0 for a single user."""
        n = self.precision.n_users
        return self.precision.n_edges / max(n * (n - 1) / 2, 1)


def solve(
    S: np.ndarray,
    penalty: float,
    couplings: str = "any",
    start: Precision | None = None,
    tolerance: float = 1e-3,
    max_steps: int = 20,
) -> Estimate:
    """Solve one graphical lasso; the diagonal is not penalised.

    Parameters
    ----------
    S : ndarray of float64, shape (n, n)
        Covariance; symmetric, positive definite.
    penalty : float
        lambda_2, positive.
    couplings : {"any", "attractive"}
        ``attractive`` also demands V_ij <= 0 off the diagonal, a graph in the paper's sense.
    start : Precision, optional
        A positive definite V to start from; the diagonal one otherwise.
    tolerance : float
        Bound on the duality gap, in nats a user.
    max_steps : int
        Newton steps allowed. When they do not suffice, the last V, which is feasible, is returned.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If S has no users, is not square, finite and symmetric, or has a diagonal entry that is not
        positive; if `start` is of another size or not positive definite.
    ConfigError
        If another argument is out of range.
    """
    S = _checked(S, couplings, start)
    require_positive(penalty=penalty, tolerance=tolerance)
    require_whole(max_steps=max_steps)
    n = len(S)
    ceiling = penalty if couplings == "any" else np.inf
    warm = None if start is None else start.to_scipy()
    approach = APPROACH if start is None or start.n_edges == 0 else ()
    order = _parts(S, penalty, ceiling)
    parts = []
    for users in order:
        part = _Part(
            np.ascontiguousarray(S[np.ix_(users, users)]),
            penalty,
            ceiling,
            None if warm is None else warm[users][:, users].toarray(),
        )
        part.approach(approach[:max_steps])
        parts.append(part)
    moving = parts
    while moving:
        for part in moving:
            part.measure()
        gap = sum(part.gap * part.n for part in parts) / n
        # A first step is made from wherever a part starts, however near.
        moving = [
            part
            for part in parts
            if (part.steps == 0 or min(gap, part.gap) > tolerance)
            and part.steps < max_steps
            and part.n > 1
            and part.step()
        ]
    V = np.zeros((n, n))
    for part, users in zip(parts, order, strict=True):
        V[np.ix_(users, users)] = part.X
    V = sparse.csr_matrix(V)
    return Estimate(
        Precision.from_scipy(_rounded(V)),
        float(penalty),
        bool(gap <= tolerance),
        max(part.steps for part in parts),
        gap,
        max(part.residual for part in parts),
    )


def solve_to_density(
    S: np.ndarray,
    target: float,
    couplings: str = "any",
    start: Precision | None = None,
    penalty: float | None = None,
    precision: float = 0.03,
    max_solves: int = 8,
    **params: float,
) -> Estimate | None:
    """Choose lambda_2 so that the solution has a given density, and solve.

    Parameters
    ----------
    S, couplings, start
        As for `solve`.
    target : float
        Density asked for, in (0, 1].
    penalty : float, optional
        First guess; the value whose screening leaves the target density otherwise.
    precision : float
        Relative error of the density that is good enough.
    max_solves : int
        Solves allowed. Where the density jumps over the target, the densest solution found below
        it is returned; likewise where it stays sparser until screening leaves more than `CROWDED`
        times the pairs.
    **params
        `tolerance` and `max_steps` of `solve`.

    Returns
    -------
    Estimate or None
        None if no pair of users has anything in common: S is diagonal.
    """
    S = _checked(S, couplings, start)
    require_positive(target=target)
    high = screening_penalty(S, 0.0, couplings)
    if high <= 1e-12 * np.diag(S).max():
        return None
    guess = penalty or max(screening_penalty(S, SCREENED * target, couplings), 1e-6 * high)
    # The density is too large at `low`, or the work; and not too large at `high`.
    low, best, seen = screening_penalty(S, CROWDED * target, couplings), None, []
    guess = max(guess, low)
    for _ in range(max_solves):
        # From the sparser side: entries that ought to vanish do so late.
        near = start if best is None else best.precision
        found = solve(S, guess, couplings, near, **params)
        ratio = found.density / target
        if ratio <= 1 + precision and (best is None or found.density >= best.density):
            best = found
            if not found.converged:
                # The next would hardly do better, and each costs all steps allowed.
                break
        seen.append((np.log(guess), np.log(max(ratio, 0.05))))
        if abs(ratio - 1) <= precision:
            break
        low, high = (guess, high) if ratio > 1 else (low, guess)
        if high <= (1 + precision) * low:
            break
        guess = _next_guess(seen, low, high)
    return best or solve(S, high, couplings, start, **params)


def screening_penalty(S: np.ndarray, share: float, couplings: str = "any") -> float:
    """Return the lambda_2 at which screening leaves this share of the pairs.

    It is 0 for more than all pairs, and for one user.
    """
    if share > 1:
        return 0.0
    shared = S[np.triu_indices(len(S), 1)]
    shared = np.abs(shared) if couplings == "any" else np.maximum(shared, 0.0)
    return float(np.quantile(shared, 1 - share)) if len(shared) else 0.0


def inverse(precision: Precision) -> np.ndarray:
    """Return the dense inverse of a precision, exactly symmetric, shape (n, n).

    Raises
    ------
    ValueError
        If it is not positive definite.
    """
    factors, logdet = factorise(precision.to_scipy().toarray())
    if np.isnan(logdet):
        raise ValueError("the precision matrix is not positive definite")
    return inverse_from(factors, precision.n_users)


def _checked(S: np.ndarray, couplings: str, start: Precision | None) -> np.ndarray:
    """Return S as float64, shape (n, n).

    Refuse what is no covariance, another start, and unknown couplings.
    """
    require_one_of(COUPLINGS, couplings=couplings)
    S = np.asarray(S)
    if S.dtype.kind not in "iuf":
        raise ValueError(f"S holds {S.dtype}, but must hold real numbers")
    S = S.astype(np.float64, copy=False)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or len(S) == 0:
        raise ValueError(f"S has shape {S.shape}, but must be (n, n) with n at least 1")
    diagonal = np.diag(S)
    if not np.isfinite(S).all() or not (diagonal > 0).all():
        raise ValueError("S must be finite, with a positive diagonal: leave out users without data")
    if (np.abs(S - S.T) > ASYMMETRY * np.sqrt(np.outer(diagonal, diagonal))).any():
        raise ValueError("S is not symmetric, but must be a covariance")
    if start is not None and not isinstance(start, Precision):
        raise ValueError(f"start is {type(start).__name__}, but must be a Precision")
    if start is not None and start.n_users != len(S):
        raise ValueError(f"start has {start.n_users} users, and S {len(S)}: give them the same")
    return S


def _next_guess(seen: list[tuple[float, float]], low: float, high: float) -> float:
    """Follow the line through the last two (log lambda_2, log ratio), within the bracket.

    Rounded to nine digits, since libraries differ in the last one of a logarithm.
    """
    at, error = seen[-1]
    slope = SLOPE
    if len(seen) > 1 and at != seen[-2][0]:
        slope = min((error - seen[-2][1]) / (at - seen[-2][0]), SLOPE / 3)
    proposed = float(f"{np.exp(at - error / slope):.9g}")
    if low < proposed < high:
        return proposed
    return float(np.sqrt(low * high)) if low > 0 else high / 4


def _parts(S: np.ndarray, penalty: float, ceiling: float) -> list[np.ndarray]:
    """Return the users of each block that screening cuts S into, ascending within a block."""
    linked = (penalty < S) | (-ceiling > S)
    count, labels = connected_components(sparse.csr_matrix(linked), directed=False)
    by_label = np.argsort(labels, kind="stable")
    return np.split(by_label, np.cumsum(np.bincount(labels, minlength=count))[:-1])


def _rounded(V: sparse.csr_matrix) -> sparse.csr_matrix:
    """Round every entry to `DIGITS` binary digits of sqrt(V_ii V_jj)."""
    V = V.tocoo()
    root = np.sqrt(V.diagonal())
    _, exponent = np.frexp(root[V.row] * root[V.col])
    grid = np.ldexp(1.0, exponent - DIGITS)
    data = np.rint(V.data / grid) * grid
    return sparse.csr_matrix((data, (V.row, V.col)), shape=V.shape)


class _Part:
    """One block of the problem: X, its inverse W, and the Newton steps that improve them.

    It starts from a given X, its rows and columns scaled so that W_ii = S_ii, or diagonally:
    W_ii = S_ii holds at the solution, because the diagonal is not penalised.

    For each step, `where` lists the entries that may move, on the upper triangle (`free_set`);
    `s`, `x` and `gradient` are S, X and S - W there. `bounds` are penalty and ceiling.
    """

    def __init__(self, S: np.ndarray, penalty: float, ceiling: float, start: np.ndarray | None):
        self.S, self.limits = S, (penalty, ceiling)
        self.n = len(S)
        self.scale = np.sqrt(np.diag(S))
        self.steps, self.gap, self.residual = 0, np.inf, np.inf
        # The largest dual value met, and what the last step took off, in nats a user.
        self.dual, self.last = -np.inf, np.inf
        if start is None:
            self.X, self.W = np.diag(1.0 / np.diag(S)), np.diag(np.diag(S))
            # The roots are those of `factorise`, so that a user without friends adds no gap.
            self.logdet = -2.0 * log_product(np.diag(S) / self.scale)
            return
        factors, self.logdet = factorise(start)
        if np.isnan(self.logdet):
            raise ValueError("the precision matrix to start from is not positive definite")
        self.W = inverse_from(factors, self.n)
        factor = np.sqrt(np.diag(self.W)) / self.scale
        self.X = start * factor[:, None] * factor
        self.W = self.W / factor[:, None] / factor
        self.logdet += 2.0 * log_product(factor)
        if ceiling == np.inf:
            self._drop_repulsion()

    def approach(self, multiples: tuple[float, ...]) -> None:
        """Make a step at each of these multiples of lambda_2."""
        for multiple in multiples:
            self._list_entries(multiple)
            if self.residual > 0:
                self.step()

    def measure(self) -> None:
        """List the entries that may move at lambda_2, and find residual and duality gap."""
        self._list_entries()
        self.gap = self._duality_gap()

    def step(self) -> bool:
        """Make a Newton step; False if no step length improves the objective.

        It does not depend on a tolerance, so a looser one ends earlier on the same way.
        """
        direction = self._direction()
        before = self._objective(self.x, self.logdet)
        slope = self._slope(direction)
        length = 1.0
        for _ in range(MAX_TRIALS):
            x = self._moved(length * direction)
            kernels.scatter(x, *self.where, self.X)
            factors, logdet = factorise(self.X)
            if np.isnan(logdet):
                length /= 2
                continue
            promised = -length * slope
            decrease = before - self._objective(x, logdet)
            if decrease > 0.0 and decrease >= SUFFICIENT * promised:
                self.W, self.logdet = inverse_from(factors, self.n), logdet
                self.last = decrease / self.n
                self.steps += 1
                return True
            if promised <= 0.0:
                # At the solution: nothing but rounding is left.
                break
            # The lowest point of the parabola through what is known: at most 0.84.
            length *= promised / (2.0 * (promised - decrease))
        kernels.scatter(self.x, *self.where, self.X)
        return False

    def _list_entries(self, multiple: float = 1.0) -> None:
        """List what may move at a multiple of lambda_2, and note the residual there."""
        self.bounds = tuple(multiple * limit for limit in self.limits)
        *where, self.residual = kernels.free_set(self.S, self.W, self.X, self.scale, *self.bounds)
        self.where = tuple(where)
        self.s = kernels.entries(self.S, *self.where)
        self.x = kernels.entries(self.X, *self.where)
        self.gradient = self.s - kernels.entries(self.W, *self.where)

    def _drop_repulsion(self) -> None:
        """Make positive couplings zero, adding them to the diagonal: stays positive definite."""
        off = self.X - np.diag(np.diag(self.X))
        repulsive = np.maximum(off, 0.0)
        if repulsive.any():
            self.X += np.diag(repulsive.sum(axis=1)) - repulsive
            factors, self.logdet = factorise(self.X)
            self.W = inverse_from(factors, self.n)

    def _duality_gap(self) -> float:
        """Return the gap in nats a user, with the best dual-feasible point met so far."""
        point = kernels.dual_point(self.S, self.W, self.X, *self.limits)
        _, logdet = factorise(point)
        if not np.isnan(logdet):
            self.dual = max(self.dual, logdet + self.n)
        return (self._objective(self.x, self.logdet) - self.dual) / self.n

    def _direction(self) -> np.ndarray:
        """Return the Newton direction, once a sweep's gain is within a share of the whole.

        The first sweep visits all entries that may move; the others those not left at zero.
        """
        share = min(SWEEP_GAIN, NEARER * self.last)
        step, where = np.zeros_like(self.x), self.where
        U, bent = np.zeros_like(self.W), np.zeros(self.n)
        gain = total = kernels.sweep(
            self.W, U, bent, *where, self.s, self.x, step, *self.bounds, 0.0
        )
        moving = (self.x != 0.0) | (step != 0.0)
        moving[where[0][:-1]] = True
        places = np.flatnonzero(moving)
        where = np.searchsorted(places, where[0]), where[1][places]
        s, x, part = self.s[places], self.x[places], step[places]
        for _ in range(MAX_SWEEPS):
            if gain <= share * total:
                break
            least = SKIPPED * gain / len(x)
            gain = kernels.sweep(self.W, U, bent, *where, s, x, part, *self.bounds, least)
            total += gain
        step[places] = part
        return step

    def _moved(self, step: np.ndarray) -> np.ndarray:
        """Return the entries after a step, no coupling above 0 where that is forbidden."""
        x = self.x + step
        if self.bounds[1] == np.inf:
            # The last digit of the sum may be such a coupling.
            firsts = self.where[0][:-1]
            diagonal = x[firsts]
            np.minimum(x, 0.0, out=x)
            x[firsts] = diagonal
        return x

    def _objective(self, x: np.ndarray, logdet: float) -> float:
        """Return the objective at entries `x`, all others being zero."""
        linear = kernels.linear_of(self.s, x, *self.where)
        return linear - logdet + kernels.penalty_of(x, *self.where, *self.bounds)

    def _slope(self, direction: np.ndarray) -> float:
        """Return the decrease that a full step promises to first order, as a negative number."""
        after = kernels.penalty_of(self._moved(direction), *self.where, *self.bounds)
        penalty = after - kernels.penalty_of(self.x, *self.where, *self.bounds)
        return kernels.linear_of(self.gradient, direction, *self.where) + penalty
