"""Past one machine: what a round sends between shards of the users, and what delays cost.

The users are cut into shards, each of which would be a machine. `traffic` counts, on one machine,
which pushes of the local solver cross shards. `Delayed` plays with messages that arrive late.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Self

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import connected_components, shortest_path

from horde.errors import ConfigError
from horde.graph.precision import Precision
from horde.kernels.push import push_some
from horde.machine import PROGRESS_SECONDS, Every
from horde.policies.base import Policy
from horde.problem import Problem
from horde.simulation.environment import Environment
from horde.timing.exactness import compare
from horde.timing.observations import place_observations

CUTS = ("random", "metis")
TRAFFIC_COLUMNS = [
    *("cut", "shards", "largest", "edges_cut", "pushes", "updates", "crossing", "messages"),
    *("hops", "network_us"),
]
DELAY_COLUMNS = ["cut", "shards", "delay", "rounds", "picks_equal", "error"]


class Network(NamedTuple):
    """A network between machines: seconds from one to another, and bytes a second."""

    latency: float
    bandwidth: float


def cut(precision: Precision, how: str, shards: int) -> np.ndarray:
    """Assign each user to one of about equally large shards.

    Parameters
    ----------
    precision : Precision
        Its off-diagonal entries are the edges.
    how : {"random", "metis"}
        By a random permutation, or by METIS, which keeps neighbours together.
    shards : int
        Number of shards.

    Returns
    -------
    ndarray of int, shape (n,)
        Shards from 0 on.

    Raises
    ------
    ConfigError
        If pymetis is not installed.
    """
    n = precision.n_users
    if how == "random":
        return np.random.default_rng(0).permutation(n) % shards
    try:
        import pymetis
    except ImportError as missing:
        raise ConfigError("METIS needs the package pymetis: pip install pymetis") from missing
    graph = pymetis.CSRAdjacency(precision.indptr, precision.indices)
    return np.array(pymetis.part_graph(shards, graph).vertex_part)


def traffic(
    environment: Environment,
    params: Mapping[str, object],
    cuts: Mapping[tuple[str, int], np.ndarray],
    skip: int,
    network: Network,
    log: Callable[[str], None],
) -> pd.DataFrame:
    """Count what G-EG's rounds would send between shards.

    A user whose mean changed in a round sends one message of d numbers to each other shard that has
    a neighbour. Messages of a push must arrive before what they cause is pushed: the longest such
    chain of shards is the number of hops.

    Parameters
    ----------
    environment : Environment
    params : mapping
        Hyper-parameters of G-EG, without ``solver``.
    cuts : mapping
        (how, shards) -> the shard of each user, as `cut` returns it.
    skip : int
        Observations before the first counted round; all later rounds are counted.
    network : Network
    log : callable
        Receives progress reports.

    Returns
    -------
    DataFrame
        Columns `TRAFFIC_COLUMNS`, a row per cut, means per round: ``largest`` users in a shard,
        ``edges_cut`` and ``crossing``, the shares of edges and of neighbours' ``updates`` that
        cross shards, and ``network_us``, the microseconds that the network adds: a latency a hop,
        and the time to send the messages.
    """
    policy = environment.start("G-EG", dict(params) | {"solver": "local"})
    place_observations(policy, environment, skip)
    graph, w = environment.precision, policy.posterior.system_.w
    edges = graph.to_scipy()
    ends = {key: _ends(graph, shard) for key, shard in cuts.items()}
    last, report = environment.stream.n_rounds, Every(PROGRESS_SECONDS)
    counted: dict[tuple, list] = defaultdict(list)
    for t in range(skip, last):
        user, offered, rewards = environment.offer(t)
        before = w.copy()
        row = policy.choose(user, offered)
        policy.learn(user, offered[row], float(rewards[row]))
        changed = np.flatnonzero((w != before).any(axis=1))
        for key, (crossing, receivers) in ends.items():
            hops = chain(edges, cuts[key], changed, user)
            counted[key].append((crossing[changed].sum(), receivers[changed].sum(), hops))
        degrees = np.diff(graph.indptr)[changed]
        counted[()].append((len(changed), degrees.sum()))
        if report.due():
            log(f"{t + 1} of {last} rounds")
    pushes, updates = np.mean(counted.pop(()), axis=0)
    rows = []
    for key, counts in counted.items():
        crossing, messages, hops = np.mean(counts, axis=0)
        share = ends[key][0].sum() / max(len(graph.indices), 1)
        sent = messages * (8 * w.shape[1] + 16) / network.bandwidth
        added = 1e6 * (hops * network.latency + sent)
        sizes = np.bincount(cuts[key]).max(), share
        found = pushes, updates, crossing / max(updates, 1), messages, hops
        rows.append((*key, *sizes, *found, added))
    return pd.DataFrame(rows, columns=TRAFFIC_COLUMNS)


def _ends(graph: Precision, shard: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each user's number of neighbours in other shards, and of such shards, each (n,)."""
    _, between = _split(graph.to_scipy(), shard)
    n = graph.n_users
    members = sparse.csr_matrix((np.ones(n), (np.arange(n), shard)))
    return np.diff(between.indptr), np.diff((abs(between) @ members).indptr)


def _split(matrix: sparse.csr_matrix, shard: np.ndarray) -> Iterator[sparse.csr_matrix]:
    """Yield the entries of a matrix (n, n) within shards, then those between two shards."""
    entries = matrix.tocoo()
    inside = shard[entries.row] == shard[entries.col]
    for part in (inside, ~inside):
        places = entries.row[part], entries.col[part]
        yield sparse.csr_matrix((entries.data[part], places), matrix.shape)


def chain(edges: sparse.csr_matrix, shard: np.ndarray, changed: np.ndarray, user: int) -> int:
    """Return the longest chain of shards from the served user to users that changed.

    Parameters
    ----------
    edges : scipy.sparse.csr_matrix, shape (n, n)
        Edges of the graph, stored both ways.
    shard : ndarray of int, shape (n,)
        The shard of each user.
    changed : ndarray of int
        Users whose mean changed, ascending.
    user : int
        The served user.
    """
    if user not in changed:
        return 0
    within, between = _split(edges[changed][:, changed], shard[changed])
    count, group = connected_components(within, directed=False)
    row, col = group[np.array(between.nonzero())]
    borders = sparse.csr_matrix((np.ones(len(row)), (row, col)), (count, count))
    first = group[np.searchsorted(changed, user)]
    steps = shortest_path(borders, unweighted=True, indices=first)
    return int(steps[np.isfinite(steps)].max())


class Delayed(Policy):
    """G-EG on shards: changes reach neighbours in other shards some rounds late.

    Within a shard all is as on one machine. Each round sends the changes of that round.

    Parameters
    ----------
    params : mapping
        Hyper-parameters of G-EG, without ``solver``.
    shard : ndarray of int, shape (n,)
        The shard of each user.
    delay : int
        Rounds, at least 1.
    """

    def __init__(self, params: Mapping[str, object], shard: np.ndarray, delay: int):
        self.params, self.shard, self.delay = params, shard, delay

    def start_in(self, environment: Environment) -> Self:
        """Start in an environment."""
        within, between = _split(environment.precision.to_scipy(), self.shard)
        own = replace(environment, precision=Precision.from_scipy(within))
        self.policy = own.start("G-EG", dict(self.params) | {"solver": "local"})
        self.posterior = self.policy.posterior
        self.outer = self.params["lam"] * between
        self.before, self.under_way = self.posterior.system_.w.copy(), []
        return self

    def start(self, problem: Problem) -> Self:
        """Refuse: it is started in an environment, with its whole graph."""
        raise NotImplementedError

    def choose(self, user: int, features: np.ndarray) -> int:
        """Let due messages arrive, then choose as G-EG does."""
        if len(self.under_way) >= self.delay:
            self.deliver(*self.under_way.pop(0))
        return self.policy.choose(user, features)

    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Learn as G-EG does, then send what changed since the last round."""
        self.policy.learn(user, x, reward)
        w = self.posterior.system_.w
        changed = np.flatnonzero((w != self.before).any(axis=1))
        self.under_way.append((changed, w[changed] - self.before[changed]))
        self.before[changed] = w[changed]

    def deliver(self, users: np.ndarray, deltas: np.ndarray) -> None:
        """Change the residual R = b/sigma^2 - P w of neighbours in other shards."""
        weights = self.outer[users]
        reached = np.unique(weights.indices)
        solver = self.posterior.solver_
        state, local = solver.arrays()
        change = weights[:, reached].T @ deltas
        state[1][reached] -= change
        # A bound on the correction: M_k is at least Lambda_kk I.
        state[2][reached] += np.linalg.norm(change, axis=1) / local[2][0][reached]
        push_some(reached, state, local, solver.tolerance)


def delays(
    environment: Environment,
    params: Mapping[str, object],
    cuts: Mapping[tuple[str, int], np.ndarray],
    rounds_late: Sequence[int],
    log: Callable[[str], None],
) -> pd.DataFrame:
    """Compare G-EG's picks with late messages with those of one machine, over all rounds.

    Returns
    -------
    DataFrame
        Columns `DELAY_COLUMNS`: ``picks_equal``, the share of equal picks, and ``error``, that of
        the means at the end (`horde.timing.exactness.Agreement`).
    """
    keys = [(*key, delay) for key in cuts for delay in rounds_late]
    others = [
        Delayed(params, cuts[how, shards], delay).start_in(environment)
        for how, shards, delay in keys
    ]
    reference = environment.start("G-EG", dict(params) | {"solver": "local"})
    _, found = compare(environment, reference, others, environment.stream.n_rounds, log=log)
    rows = [
        (*key, each.rounds, each.share, each.error) for key, each in zip(keys, found, strict=True)
    ]
    return pd.DataFrame(rows, columns=DELAY_COLUMNS)
