"""How much memory a policy takes, and a start that refuses what this process cannot take."""

from dataclasses import dataclass

from horde import machine
from horde.checks import require_one_of
from horde.policies import registry
from horde.policies.base import Policy
from horde.problem import Problem

# Python with numpy, scipy and numba loaded, and the compiled kernels: bytes.
BASE = 260_000_000
# Bytes of a number, and of an entry of a sparse row: weight and column.
NUMBER, ENTRY = 8, 12
# An array that is full is copied into one of twice the size: for a moment there are both.
GROWTH = 1.5
# Matrices of n x n numbers that the graphical lasso holds at a time, at most.
LASSO = 9


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

    def squares(self, count: float) -> float:
        """Bytes of `count` matrices of n x n numbers."""
        return count * NUMBER * self.n_users * self.n_users

    def graph(self, weights: int = 1) -> float:
        """Bytes of a precision matrix with `weights` copies of its weights."""
        per_user = 2 * NUMBER + NUMBER * weights
        per_entry = ENTRY + NUMBER * (weights - 1)
        return self.n_users * per_user + 2 * self.n_edges * per_entry


def start(policy: str, params: dict, problem: Problem) -> Policy:
    """Make a policy and start it on a problem, if its memory is there.

    Parameters
    ----------
    policy : str
        A key of `horde.policies.registry.POLICIES`.
    params : dict
        Its hyper-parameters.
    problem : Problem

    Raises
    ------
    ConfigError
        If the policy or a hyper-parameter does not exist, or the policy does not fit into memory.
    """
    made = registry.make(policy, **params)
    edges = problem.precision.n_edges if problem.precision else 0
    size = Size(problem.n_users, problem.n_features, edges, problem.n_rounds)
    require_fits(policy, params, size)
    return made.start(problem)


def require_fits(policy: str, params: dict, size: Size) -> None:
    """Refuse a policy that needs more memory than this process can take.

    Parameters
    ----------
    policy, params, size
        As for `predicted_bytes`.

    Raises
    ------
    ConfigError
        If it does not fit; names the memory that it needs, and the solver that fits, if any.
    """
    solver = (params | registry.entry(policy).fixed).get("solver")
    remedy = "choose fewer users or features, or allow the process more memory."
    if solver not in (None, "local") and "solver" in registry.params_of(policy):
        least = predicted_bytes(policy, params | {"solver": "local"}, size)
        if least - BASE <= machine.available_bytes():
            remedy = f"choose solver: local, which needs {least / 1e9:.1f} GB, or fewer users."
    machine.require_memory(
        predicted_bytes(policy, params, size) - BASE,
        f"{policy}{f' with solver: {solver}' if solver else ''} "
        f"(n = {size.n_users:,}, d = {size.n_features:,}, {size.n_edges:,} edges)",
        remedy,
    )


def predicted_bytes(policy: str, params: dict, size: Size) -> int:
    """Predict the largest memory of a process that runs a policy.

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
    elif "shared" in params:
        taken += size.blocks(2, 1 if params["shared"] else size.observed)
    elif entry.posterior:
        taken += _gmrf(params, size)
    if policy in ("L-EG", "U-EG"):
        # The graphical lasso, and its graph should it be complete.
        taken += size.squares(LASSO + ENTRY / NUMBER)
    return int(taken)


def _club(size: Size) -> float:
    # A ridge problem a user and one a cluster, of which there may be as many; 3 log n neighbours
    # a user, of which every endpoint passes through a few sparse matrices.
    links = 3 * size.n_users * size.n_users.bit_length()
    return size.blocks(2, size.observed) + size.blocks(2, size.n_users) + 48 * links


def _gmrf(params: dict, size: Size) -> float:
    solver = params.get("solver", "local")
    require_one_of(("cg", "pcg", "local", "dense"), solver=solver)
    if solver == "dense":
        side = size.n_users * size.n_features
        # The covariance; n x n matrices while the prior is inverted.
        return NUMBER * side * side + size.squares(4) + size.graph(2)
    # Mean and residual; direction and product of CG, or four vectors of PCG where it is used.
    vectors = {"cg": 4, "pcg": 6, "local": 2}[solver]
    blocks = {"cg": 1, "pcg": 2, "local": 2}[solver]
    widths = params.get("widths", "schur")
    if params.get("sampler") == "perturbation":
        # Noise, right side and solution; four vectors and two temporary ones of the Chebyshev
        # recurrence; a factor of each user's A_i.
        vectors += 9 if solver != "local" else 13
        blocks += 1
    elif widths == "cg":
        vectors += 2
    elif widths == "exact":
        # Column and residual of a solve, and the four vectors of PCG.
        vectors += 2 if solver == "pcg" else 6
    if params.get("sampler") != "perturbation" and widths in ("schur", "one-hop"):
        blocks += 1
    per_user = 8 * NUMBER * size.n_users
    return size.graph(2) + size.vectors(vectors) + size.blocks(blocks, size.observed) + per_user
