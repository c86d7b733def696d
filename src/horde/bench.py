"""Seconds a round of policies and solvers, and how exactly each solver picks (`horde bench`).

Every row is measured in a fresh process, so that its peak memory is its own. Graph-based policies
follow the trajectory of a reference, the same policy with PCG to 1e-10: the reference picks, both
learn from that pick, and `picks_equal` is the share of rounds in which both would have picked it.

The processes inherit the environment's numbers of threads: call `horde.threads.pin` before.
"""

import csv
import io
import multiprocessing
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, perf_counter

import numpy as np

from horde import datasets
from horde.draws import draws, generator
from horde.files import write_text
from horde.graph import Precision, adjacency, laplacian
from horde.kronecker import kronecker_graph
from horde.memory import peak_bytes
from horde.policies import registry
from horde.policies.base import Policy
from horde.problem import Problem
from horde.streams import Stream, make_stream
from horde.synthetic import linear_stream, smooth_preferences, unit_contexts

COLUMNS = (
    *("policy", "solver", "n", "d", "edges", "rounds", "us_per_round", "us_q25", "us_q75"),
    *("picks_equal", "touched", "peak_mb"),
)
# Rounds of a block, of whose mean times the quartiles are taken.
BLOCK = 100
PROGRESS_SECONDS = 5.0
REFERENCE = {"solver": "pcg", "tolerance": 1e-10}


@dataclass(frozen=True)
class Arena:
    """What the policies of a benchmark play on.

    Attributes
    ----------
    name : str
        Key of the policies' draws.
    precision : Precision
        L.
    features : ndarray of float64, shape (n_items, d)
        Context vectors.
    stream : Stream
        The rounds.
    """

    name: str
    precision: Precision
    features: np.ndarray
    stream: Stream

    def start(self, policy: str, settings: dict, seed: int = 0) -> Policy:
        """Make a policy and start it here."""
        problem = Problem(
            self.precision.n_users,
            self.features.shape[1],
            self.stream.n_rounds,
            draws(self.name, seed),
            self.precision,
        )
        return registry.make(policy, **settings).start(problem)


@dataclass(frozen=True)
class Prepared:
    """A prepared dataset and the stream of a seed.

    Attributes
    ----------
    path : path
        File of the dataset (`horde.datasets`).
    rounds, offered, seed : int
        Of the stream (`horde.streams.make_stream`).
    """

    path: Path
    rounds: int
    offered: int = 25
    seed: int = 0

    def make(self) -> Arena:
        """Load and draw."""
        data = datasets.load(self.path)
        stream = make_stream(data, self.seed, self.rounds, self.offered)
        return Arena(data.name, data.precision(), data.features, stream)


@dataclass(frozen=True)
class Synthetic:
    """A stochastic Kronecker graph, unit contexts, smooth preferences and linear ratings.

    Attributes
    ----------
    n, d : int
        Numbers of users and features.
    density : float
        Expected edges over pairs of users.
    rounds, offered, items, seed : int
        Number of rounds, items offered in each, of how many; seed of all draws.
    shape : tuple
        Shape of the graph's initiator (`horde.kronecker.Initiator.scaled`).
    """

    n: int
    d: int
    density: float
    rounds: int
    offered: int = 25
    items: int = 1000
    seed: int = 0
    shape: tuple = ((0.9, 0.5), (0.5, 0.3))

    def make(self) -> Arena:
        """Draw graph, contexts, preferences and stream."""
        rng = generator("bench", self.seed, "arena")
        graph = kronecker_graph(self.n, self.density, self.shape, rng)
        features = unit_contexts(self.items, self.d, rng)
        preferences = smooth_preferences(graph, self.d, 3, rng)
        stream = linear_stream(features, preferences, 0.1, self.rounds, self.offered, rng)
        return Arena("bench", laplacian(graph), features, stream)


@dataclass
class Played:
    """What playing the rounds has shown.

    Attributes
    ----------
    picks : ndarray of int32, shape (T,)
        Rows that the policy would choose.
    seconds : ndarray of float64, shape (T,)
        Of each round: look up the contexts, choose, learn.
    touched : float
        Users whose mean was moved, a round; nan for a policy without a solver.
    peak_mb : float
        Largest memory the process held, in MB.
    size : tuple
        Numbers of users n, features d and edges.
    """

    picks: np.ndarray
    seconds: np.ndarray = field(repr=False)
    touched: float
    peak_mb: float
    size: tuple[int, int, int]


def play(
    arena: Arena,
    policy: Policy,
    follow: np.ndarray | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Played:
    """Let a started policy play all rounds, and time each.

    Parameters
    ----------
    arena : Arena
    policy : Policy
        Started in it.
    follow : ndarray of int, shape (T,), optional
        Rows to learn from in the place of those the policy chooses.
    progress : callable, optional
        ``progress(round, T)``, every few seconds.
    """
    stream, features = arena.stream, arena.features
    n_rounds = stream.n_rounds
    picks, seconds = np.zeros(n_rounds, dtype=np.int32), np.zeros(n_rounds)
    due = monotonic() + PROGRESS_SECONDS
    for t, user in enumerate(stream.users.tolist()):
        start = perf_counter()
        offered = features[stream.items[t]]
        picks[t] = policy.choose(user, offered)
        row = picks[t] if follow is None else follow[t]
        policy.learn(user, offered[row], float(stream.rewards[t, row]))
        seconds[t] = perf_counter() - start
        if progress and monotonic() > due:
            progress(t + 1, n_rounds)
            due = monotonic() + PROGRESS_SECONDS
    posterior = getattr(policy, "posterior", None)
    touched = getattr(posterior, "touched", np.nan) / n_rounds
    size = (arena.precision.n_users, features.shape[1], arena.precision.n_edges)
    return Played(picks, seconds, touched, peak_bytes() / 1e6, size)


def bench(
    recipe: Prepared | Synthetic,
    policies: Iterable[str],
    solvers: Iterable[str],
    settings: dict[str, dict] | None = None,
    compare: bool = True,
    log: Callable[[str], None] = print,
) -> list[dict]:
    """Measure every policy with every solver it can have.

    Parameters
    ----------
    recipe : Prepared or Synthetic
        Says what is played on.
    policies : iterable of str
        Keys of `horde.policies.registry.POLICIES`.
    solvers : iterable of str
        Values of the setting ``solver``; a policy that has no such setting makes one row.
    settings : dict, optional
        Settings by policy, ``solver`` aside (the tuned ones, say).
    compare : bool
        Whether to play the reference as well; without it, each policy follows its own picks.
    log : callable
        Told of each row.

    Returns
    -------
    list of dict
        One a row, keys `COLUMNS`; ``picks_equal`` and ``touched`` are empty where there is nothing
        to say.

    Raises
    ------
    ConfigError
        If a policy or a setting does not exist.
    """
    rows, settings = [], settings or {}
    for policy in policies:
        given = settings.get(policy, {})
        follow = None
        # GOBLIN++ computes otherwise what GOBLIN defines.
        exact = "GOBLIN" if policy == "GOBLIN++" else policy
        if compare and "solver" in registry.settings_of(exact):
            log(f"{policy}: reference")
            follow = _apart(recipe, exact, given | REFERENCE, None).picks
        selectable = "solver" in registry.settings_of(policy)
        for solver in solvers if selectable else [registry.entry(policy).fixed.get("solver", "")]:
            log(f"{policy} {solver}".strip())
            chosen = given | {"solver": solver} if selectable else given
            played = _apart(recipe, policy, chosen, follow)
            rows.append(_row(policy, solver, played, follow))
    return rows


def write_csv(path: Path, rows: list[dict]) -> None:
    """Write the rows of `bench`, whole or not at all."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())


def _apart(
    recipe: Prepared | Synthetic, policy: str, settings: dict, follow: np.ndarray | None
) -> Played:
    """Play in a process of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        return pool.submit(_play_recipe, recipe, policy, settings, follow).result()


def _play_recipe(
    recipe: Prepared | Synthetic, policy: str, settings: dict, follow: np.ndarray | None
) -> Played:
    arena = recipe.make()
    _load_kernels(arena, policy, settings)
    return play(arena, arena.start(policy, settings), follow, _progress)


def _load_kernels(arena: Arena, policy: str, settings: dict) -> None:
    """Play a few rounds among a few users, so that no timed round loads or compiles a kernel."""
    n, n_rounds = 5, 12
    stream = Stream(
        np.arange(n_rounds, dtype=np.int32) % n,
        arena.stream.items[:n_rounds],
        arena.stream.rewards[:n_rounds],
        arena.stream.expected[:n_rounds],
    )
    ring = np.column_stack([np.arange(n), (np.arange(n) + 1) % n])
    small = Arena("twin", laplacian(adjacency(ring, n)), arena.features, stream)
    play(small, small.start(policy, settings))


def _progress(done: int, rounds: int) -> None:
    print(f"  round {done} of {rounds}", file=sys.stderr, flush=True)


def _row(policy: str, solver: str, played: Played, follow: np.ndarray | None) -> dict:
    microseconds = 1e6 * played.seconds
    blocks = np.array_split(microseconds, max(len(microseconds) // BLOCK, 1))
    quartiles = np.quantile([block.mean() for block in blocks], [0.25, 0.75])
    values = (
        *(policy, solver, *played.size, len(microseconds), round(microseconds.mean(), 2)),
        *np.round(quartiles, 2),
        "" if follow is None else round(float(np.mean(played.picks == follow)), 5),
        "" if np.isnan(played.touched) else round(played.touched, 2),
        round(played.peak_mb, 1),
    )
    return dict(zip(COLUMNS, values, strict=True))
