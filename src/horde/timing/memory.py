"""How much memory a policy will take, before it takes it."""

from dataclasses import dataclass, replace

from horde.machine import require_memory
from horde.policies import registry

# Python with numpy, scipy and numba loaded, and the compiled kernels: bytes.
BASE = 260_000_000
# Bytes of a number, and of an entry of a sparse row: weight and column.
NUMBER, ENTRY = 8, 12
# Matrices of n x n numbers that the graphical lasso holds at a time, at most.
_LASSO = 8
# An array that is full is copied into one of twice the size: for a moment there are both.
GROWTH = 1.5


@dataclass(frozen=True)
class Size:
    """What the memory of a policy depends on.

    Attributes
    ----------
    n_users, n_features : int
        Numbers of users n and of features d.
    n_edges : int
        Undirected edges of the graph.
    n_rounds : int
        Observations that will have been made.
    """

    n_users: int
    n_features: int
    n_edges: int
    n_rounds: int

    @property
    def observed(self) -> int:
        """Number of users observed at most."""
        return min(self.n_users, self.n_rounds)

    def vectors(self, count: float) -> float:
        """Bytes of `count` arrays of d numbers for each user."""
        return count * self.n_users * self.n_features * NUMBER

    def blocks(self, count: float, users: int) -> float:
        """Bytes of `count` growing arrays of d x d numbers for each of `users` users."""
        return GROWTH * count * users * self.n_features * (self.n_features + 2) * NUMBER

    def graph(self, weights: int = 1) -> float:
        """Bytes of a precision matrix with `weights` copies of its weights."""
        per_user = 2 * NUMBER + NUMBER * weights
        per_entry = ENTRY + NUMBER * (weights - 1)
        return self.n_users * per_user + 2 * self.n_edges * per_entry


def predicted_bytes(policy: str, params: dict, size: Size) -> int:
    """Predict the peak memory of a process that runs one policy on one problem.

    Parameters
    ----------
    policy : str
        A key of `horde.policies.registry.POLICIES`.
    params : dict
        Its hyper-parameters; those that matter are ``solver``, ``widths`` and ``sampler``.
    size : Size
        The problem.

    Returns
    -------
    int
        Bytes, rather too many than too few: growing arrays are counted as if just being copied.
    """
    entry = registry.entry(policy)
    params = params | entry.fixed
    taken = BASE + size.graph() + 4 * NUMBER * size.n_users
    if policy == "CLUB":
        taken += _club(size)
    elif entry.needs_graph:
        taken += _gmrf(params, size)
    elif "shared" in params:
        taken += size.blocks(2, 1 if params["shared"] else size.observed)
    elif entry.posterior:
        # Graph learning: dense matrices of the graphical lasso, and a graph that may fill up.
        taken += _gmrf(params, size) + _LASSO * NUMBER * size.n_users**2
    return int(taken)


def require_fits(policy: str, params: dict, size: Size) -> None:
    """Refuse a policy that needs more memory than this process can take, before it starts.

    Parameters
    ----------
    policy, params, size
        As for `predicted_bytes`.

    Raises
    ------
    ConfigError
        If it does not fit; names the memory that it needs, and the solver that would fit.
    """
    needed = predicted_bytes(policy, params, size)
    local = params | {"solver": "local"}
    solver = params.get("solver")
    remedy = "choose fewer users or features, or allow the process more memory."
    if solver not in (None, "local"):
        least = predicted_bytes(policy, local, size) / 1e9
        remedy = f"choose solver: local, which needs {least:.1f} GB, or fewer users."
    require_memory(
        needed - BASE,
        f"{policy}{f' with solver: {solver}' if solver else ''} "
        f"(n = {size.n_users:,}, d = {size.n_features:,}, {size.n_edges:,} edges)",
        remedy,
    )


def _club(size: Size) -> float:
    # A ridge problem a user and one a cluster, of which there may be as many; 3 log n neighbours
    # a user, of which every endpoint passes through a few sparse matrices.
    links = 3 * size.n_users * size.n_users.bit_length()
    return size.blocks(2, size.observed) + size.blocks(2, size.n_users) + 48 * links


def _gmrf(params: dict, size: Size) -> float:
    solver = params.get("solver", "local")
    if solver == "dense":
        side = size.n_users * size.n_features
        # The covariance; n x n matrices while the prior is inverted.
        return NUMBER * side**2 + 4 * NUMBER * size.n_users**2 + size.graph(2)
    # Mean and residual; direction and product of CG, or four vectors of PCG where it is used.
    vectors = {"cg": 4, "pcg": 6, "local": 2}[solver]
    blocks = {"cg": 1, "pcg": 2, "local": 2}[solver]
    if params.get("sampler") == "perturbation":
        # Noise, right side and solution; four vectors and two temporary ones of the Chebyshev
        # recurrence; a factor of each user's A_i.
        vectors += 9 if solver != "local" else 13
        blocks += 1
    elif params.get("widths") == "cg":
        vectors += 2
    if params.get("sampler") != "perturbation" and params.get("widths", "schur") == "schur":
        blocks += 1
    per_user = 8 * NUMBER * size.n_users
    return size.graph(2) + size.vectors(vectors) + size.blocks(blocks, size.observed) + per_user


def largest_users(policy: str, params: dict, size: Size, degree: float, budget: float) -> int:
    """Return the largest number of users with which a policy is predicted to fit.

    Parameters
    ----------
    policy, params
        As `predicted_bytes`.
    size : Size
        Gives d and the number of rounds.
    degree : float
        Mean number of neighbours; edges grow as the users do.
    budget : float
        Bytes.

    Returns
    -------
    int
        Number of users, in [0, 2^40).
    """
    fits, too_many = 0, 1 << 40
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        tried = replace(size, n_users=middle, n_edges=round(degree * middle / 2))
        if predicted_bytes(policy, params, tried) <= budget:
            fits = middle
        else:
            too_many = middle
    return fits
