"""Synthetic problems that meet the theorems' assumptions (Theorems 1 and 2; claims B1 to B5).

Users form groups that share one preference; all users of a group are friends. Graphs with growing
shares of isolated users are compared on the same rounds.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from horde.experiments.run import checkpoint_rounds
from horde.graph.precision import adjacency, laplacian
from horde.graph.statistics import mean_inverse_diagonal
from horde.policies.epoch_greedy import EpochGreedy
from horde.random import generator
from horde.results.tables import RUN_COLUMNS
from horde.simulation.environment import Environment
from horde.simulation.loop import play, regret_curve
from horde.simulation.synthetic import linear_stream, unit_contexts
from horde.timing.exactness import REFERENCE, compare

# Key of all draws, so that all graphs have the same rounds.
NAME = "theory"
# Variant of the regret of exploitation rounds alone (claim B1).
EXPLOITATION = "theory-exploitation"
SOLVERS = {"local": {"solver": "local"}, "pcg": REFERENCE}

BOUND_COLUMNS = ["graph", "n", "edges", "reading", "nu_2", "trace_over_n", "bound", "slack"]
READINGS = ("L", "L_G", "unnormalised")
# Eigenvalues are exact to about 1e-14; rounding makes printed values the same for every library.
DECIMALS = 9


@dataclass(frozen=True)
class Setup:
    """A problem without its graph and its seed.

    Attributes
    ----------
    users, groups, features : int
        Numbers of users n, of groups with one preference each, and of features d.
    items, offered : int
        Number of items, and number K of items offered per round.
    rounds : int
        T.
    noise : float
        Standard deviation of a rating.
    lam : float
        Prior precision lambda; the policies know the noise.
    """

    users: int
    groups: int
    features: int
    items: int
    offered: int
    rounds: int
    noise: float
    lam: float


def graph(setup: Setup, isolated: float) -> sparse.csr_matrix:
    """Join all users of each group, except a share of isolated users taken evenly from all groups.

    Returns
    -------
    scipy.sparse.csr_matrix, shape (n, n)
        Adjacency matrix.
    """
    connected = np.arange(round(isolated * setup.users), setup.users)
    first, second = np.triu_indices(len(connected), k=1)
    pairs = np.column_stack([connected[first], connected[second]])
    same = _group(setup, pairs[:, 0]) == _group(setup, pairs[:, 1])
    return adjacency(pairs[same], setup.users)


def _group(setup: Setup, users: np.ndarray) -> np.ndarray:
    return users % setup.groups


def environment(setup: Setup, isolated: float, seed: int) -> Environment:
    """Draw contexts and preferences of norm 1, and rounds with linear ratings (Assumption 1)."""
    s = setup
    rng = generator(NAME, seed, "problem")
    features = unit_contexts(s.items, s.features, rng)
    preferences = unit_contexts(s.groups, s.features, rng)[_group(s, np.arange(s.users))]
    stream = linear_stream(features, preferences, s.noise, s.rounds, s.offered, rng)
    return Environment(NAME, laplacian(graph(s, isolated)), features, stream)


def runs(
    setup: Setup,
    isolated: float,
    policy: str,
    params: Mapping[str, object],
    seeds: Iterable[int],
    checkpoints: int,
) -> pd.DataFrame:
    """Run a policy with the given hyper-parameters, lambda and the noise.

    Returns
    -------
    DataFrame
        Columns `horde.results.tables.RUN_COLUMNS`, one row per seed and checkpoint. The dataset is
        ``theory-isolated-`` with the per cent of isolated users, the variant is ``theory``. For
        epoch-greedy, the variant `EXPLOITATION` has the regret of its exploitation rounds alone.
    """
    at = checkpoint_rounds(setup.rounds, checkpoints)
    curves = []
    for seed in seeds:
        place = environment(setup, isolated, seed)
        started = place.start(policy, {**params, **_known(setup)}, seed)
        picks = play(started, place.stream, place.features)
        counted = {"theory": None}
        if isinstance(started, EpochGreedy):
            counted[EXPLOITATION] = ~started.explores_[: setup.rounds]
        for variant, rounds in counted.items():
            curve = regret_curve(place.stream, picks, at, rounds)
            columns = {"round": at, "regret": curve.regret, "random_regret": curve.random_regret}
            curves.append(pd.DataFrame(columns).assign(variant=variant, seed=seed))
    table = pd.concat(curves, ignore_index=True)
    return table.assign(dataset=dataset_name(isolated), policy=policy)[RUN_COLUMNS]


def dataset_name(isolated: float) -> str:
    """Return the name of the problem with this share of isolated users in claims and tables."""
    return f"theory-isolated-{round(100 * isolated)}"


def _known(setup: Setup) -> dict[str, float]:
    return {"lam": setup.lam, "sigma": setup.noise}


def counterparts(
    setup: Setup,
    pairs: Mapping[str, str],
    params: Mapping[str, Mapping[str, object]],
    seed: int,
) -> pd.DataFrame:
    """Compare each graph-based policy on the empty graph with its independent counterpart.

    Parameters
    ----------
    setup : Setup
    pairs : mapping of str to str
        Graph-based policy -> its independent counterpart.
    params : mapping of mappings
        Hyper-parameters of graph-based policies, without the solver; the counterparts get the same.
    seed : int

    Returns
    -------
    DataFrame
        Columns ``policy``, ``counterpart``, ``solver``, ``rounds``, ``picks_equal``: the share of
        rounds with equal picks in [0, 1]; ties count as equal.
    """
    place = environment(setup, 1.0, seed)
    found = []
    for policy, counterpart in pairs.items():
        shared = {**params.get(policy, {}), **_known(setup)}
        others = [place.start(policy, shared | solver, seed) for solver in SOLVERS.values()]
        reference = place.start(counterpart, shared, seed)
        _, agreements = compare(place, reference, others, setup.rounds)
        found += [
            (policy, counterpart, solver, agreement.rounds, agreement.share)
            for solver, agreement in zip(SOLVERS, agreements, strict=True)
        ]
    return pd.DataFrame(found, columns=["policy", "counterpart", "solver", "rounds", "picks_equal"])


def traces(setup: Setup, shares: Iterable[float]) -> pd.DataFrame:
    """Return Tr(L^-1)/n (Theorems 1 and 2), to six decimals, for each share of isolated users.

    Returns
    -------
    DataFrame
        Columns ``dataset``, ``isolated``, ``trace_over_n``.
    """
    rows = []
    for share in shares:
        trace = mean_inverse_diagonal(laplacian(graph(setup, share)))
        rows.append((dataset_name(share), share, round(trace, 6)))
    return pd.DataFrame(rows, columns=["dataset", "isolated", "trace_over_n"])


def trace_bound(graphs: Mapping[str, sparse.csr_matrix]) -> pd.DataFrame:
    """Compare Tr(L^-1)/n with the paper's bound (1 - 1/n)/nu_2 + 1/n (Section 4.1; claim B4).

    The paper calls nu_2 an eigenvalue "of the Laplacian", which has three possible meanings.

    Parameters
    ----------
    graphs : mapping of str to scipy.sparse.csr_matrix
        Adjacency matrices of at least two users, small enough for dense eigenvalues.

    Returns
    -------
    DataFrame
        Columns `BOUND_COLUMNS`, one row per graph and reading: ``nu_2`` is an eigenvalue of
        L = L_G + I, of L_G, or of the unnormalised Laplacian; ``slack`` is the bound minus
        Tr(L^-1)/n, infinite if nu_2 is 0.
    """
    rows = [row for name, graph in graphs.items() for row in _bound_rows(name, graph)]
    return pd.DataFrame(rows, columns=BOUND_COLUMNS)


def _bound_rows(name: str, graph: sparse.csr_matrix) -> Iterator[tuple]:
    n = graph.shape[0]
    eigenvalues = np.linalg.eigvalsh(laplacian(graph).to_scipy().toarray())
    trace = float((1 / eigenvalues).sum() / n)
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    unnormalised = np.linalg.eigvalsh(np.diag(degrees) - graph.toarray())
    second = (eigenvalues[1], eigenvalues[1] - 1, unnormalised[1])
    for reading, eigenvalue in zip(READINGS, map(float, second), strict=True):
        nu = round(max(eigenvalue, 0.0), DECIMALS)
        bound = (1 - 1 / n) / eigenvalue + 1 / n if nu > 0 else np.inf
        numbers = (round(number, DECIMALS) + 0.0 for number in (nu, trace, bound, bound - trace))
        yield (name, n, graph.nnz // 2, reading, *numbers)


def example_graphs() -> dict[str, sparse.csr_matrix]:
    """Return small graphs whose spectra are known: complete, star, ring, path, pairs, empty."""
    n = 20
    ring = np.column_stack([np.arange(n), (np.arange(n) + 1) % n])
    edges = {
        "complete": np.column_stack(np.triu_indices(n, k=1)),
        "star": np.column_stack([np.zeros(n - 1, dtype=int), np.arange(1, n)]),
        "ring": ring,
        "path": ring[:-1],
        "pairs": ring[::2],
        "empty": np.empty((0, 2), dtype=int),
    }
    return {f"{name} of {n}": adjacency(pairs, n) for name, pairs in edges.items()}
