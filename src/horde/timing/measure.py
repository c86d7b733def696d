"""Seconds a round of policies and solvers, and how exactly each solver picks (`horde bench`).

Two things are asked of a solver, in processes of their own. First, without a clock, it is compared
with a reference, the same policy with PCG to 1e-10, in step with it (`horde.timing.exact`).
Then it plays alone, learning from the picks that the reference made, and each round is timed: no
time, no cache and no memory is shared with anything else that is measured.

The processes inherit the environment's numbers of threads: call `horde.machine.pin` before.
"""

import csv
import io
import multiprocessing
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from horde.graph.precision import adjacency, laplacian
from horde.machine import PROGRESS_SECONDS, Every, peak_bytes
from horde.policies import registry
from horde.policies.base import Policy
from horde.simulation.environment import Arena, Prepared, Synthetic
from horde.simulation.stream import Stream
from horde.timing import exact
from horde.timing.exact import REFERENCE, Agreement

COLUMNS = (
    *("policy", "solver", "n", "d", "edges", "rounds", "us_per_round", "us_q25", "us_q75"),
    *("picks_equal", "touched", "peak_mb"),
)
# Rounds of a block, of whose mean times the quartiles are taken.
BLOCK = 100
# The solver of a policy that has none.
NONE = "none"


@dataclass(frozen=True)
class Extent:
    """How many rounds of the stream are used for what.

    Attributes
    ----------
    skip : int
        First rounds that are learned from, but neither timed nor compared.
    compared : int
        First rounds that the reference plays; 0 for no comparison.
    """

    skip: int = 0
    compared: int = 0


@dataclass(frozen=True)
class Played:
    """What playing the rounds has shown.

    Attributes
    ----------
    seconds : ndarray of float64, shape (T - skip,)
        Of each timed round: look up the contexts, choose, learn.
    touched : float
        Users whose mean was moved, a timed round; nan for a policy without a solver.
    peak_mb : float
        Largest memory the process held, in MB.
    size : tuple
        Numbers of users n, features d and edges.
    """

    seconds: np.ndarray
    touched: float
    peak_mb: float
    size: tuple[int, int, int]


def play(
    arena: Arena,
    policy: Policy,
    picks: np.ndarray,
    skip: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> Played:
    """Let a started policy play all rounds, and time each.

    Parameters
    ----------
    arena : Arena
    policy : Policy
        Started in it.
    picks : ndarray of int
        Rows to learn from in the first rounds, in the place of those the policy chooses.
    skip : int
        First rounds that are not timed; in those of `picks`, the policy need not choose either.
    progress : callable
        Told after each round how many were played.
    """
    stream, features, given = arena.stream, arena.features, picks.tolist()
    seconds = np.zeros(stream.n_rounds)
    moved_before = 0
    for t, user in enumerate(stream.users.tolist()):
        led = t < len(given)
        if t == skip:
            moved_before = _touched(policy)
        start = perf_counter()
        offered = features[stream.items[t]]
        if led and t < skip:
            row = exact.follow(policy, user, offered, given[t])
        else:
            row = policy.choose(user, offered)
            row = given[t] if led else row
        policy.learn(user, offered[row], float(stream.rewards[t, row]))
        seconds[t] = perf_counter() - start
        progress(t + 1)
    touched = (_touched(policy) - moved_before) / (stream.n_rounds - skip)
    return Played(seconds[skip:], touched, peak_bytes() / 1e6, arena.size)


def bench(
    recipe: Prepared | Synthetic,
    policies: Iterable[str],
    solvers: Iterable[str],
    params: dict[str, dict] | None = None,
    extent: Extent | None = None,
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
    params : dict, optional
        Settings by policy, ``solver`` aside (the tuned ones, say).
    extent : Extent, optional
        Which rounds are timed and compared; by default, all.
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
    params, solvers = params or {}, list(solvers)
    extent = extent or Extent(compared=recipe.rounds)
    rows = []
    for policy in policies:
        given = params.get(policy, {})
        variants = _variants(policy, solvers, given)
        picks, agreements = np.zeros(0, dtype=np.int32), {}
        exact = exact_twin(policy)
        if extent.compared and "solver" in registry.params_of(exact):
            log(f"{policy}: in step with the reference")
            reference = exact, given | REFERENCE
            picks, agreements = _apart(_compare, recipe, reference, policy, variants, extent)
        for solver, chosen in variants.items():
            if solver in agreements:
                log(_told(policy, solver, agreements[solver]))
            log(f"{policy} {solver}: alone")
            played = _apart(_play, recipe, policy, chosen, picks, extent.skip)
            rows.append(_row(policy, solver, played, agreements.get(solver)))
    return rows


def csv_text(rows: list[dict]) -> str:
    """Return rows of the same keys as the text of a CSV file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def exact_twin(policy: str) -> str:
    """Return the policy that defines what `policy` computes: GOBLIN for GOBLIN++, else itself."""
    return policy.removesuffix("++")


def _variants(policy: str, solvers: list[str], given: dict) -> dict[str, dict]:
    """Return solver -> settings."""
    if "solver" in registry.params_of(policy):
        return {solver: given | {"solver": solver} for solver in solvers}
    return {registry.entry(policy).fixed.get("solver", NONE): given}


def _apart(function: Callable, *arguments: object) -> object:
    """Call a function in a process of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        return pool.submit(function, *arguments).result()


def _compare(
    recipe: Prepared | Synthetic,
    reference: tuple[str, dict],
    policy: str,
    variants: dict[str, dict],
    extent: Extent,
) -> tuple[np.ndarray, dict[str, Agreement]]:
    arena = recipe.make()
    others = [arena.start(policy, params) for params in variants.values()]
    n_rounds, progress = extent.compared, Progress(extent.compared)
    picks, agreements = exact.compare(
        arena, arena.start(*reference), others, n_rounds, extent.skip, progress
    )
    return picks, dict(zip(variants, agreements, strict=True))


def _play(
    recipe: Prepared | Synthetic, policy: str, params: dict, picks: np.ndarray, skip: int
) -> Played:
    arena = recipe.make()
    _load_kernels(arena, policy, params)
    return play(arena, arena.start(policy, params), picks, skip, Progress(recipe.rounds))


def _load_kernels(arena: Arena, policy: str, params: dict) -> None:
    """Play a few rounds among a few users, so that no timed round loads or compiles a kernel."""
    n, n_rounds = 5, 12
    rounds = [column[:n_rounds] for column in vars(arena.stream).values()]
    rounds[0] = np.arange(len(rounds[0]), dtype=np.int32) % n
    ring = np.column_stack([np.arange(n), (np.arange(n) + 1) % n])
    small = Arena("twin", laplacian(adjacency(ring, n)), arena.features, Stream(*rounds))
    play(small, small.start(policy, params), np.zeros(0, dtype=np.int32))


class Progress:
    """Tell every few seconds how many rounds were played, out of `rounds`."""

    def __init__(self, rounds: int):
        self.rounds = rounds
        self._tell = Every(PROGRESS_SECONDS)

    def __call__(self, done: int) -> None:
        """Tell, if it is time, that so many rounds were played."""
        if self._tell.due():
            print(f"  {done} of {self.rounds} rounds", file=sys.stderr, flush=True)


def _touched(policy: Policy) -> float:
    return getattr(getattr(policy, "posterior", None), "touched", np.nan)


def _told(policy: str, solver: str, found: Agreement) -> str:
    return (
        f"{policy} {solver}: {found.wrong} of {found.rounds} picks differ; "
        f"relative error of the means {found.error:.2g}"
    )


def _row(policy: str, solver: str, played: Played, agreement: Agreement | None) -> dict:
    microseconds = 1e6 * played.seconds
    blocks = np.array_split(microseconds, max(len(microseconds) // BLOCK, 1))
    quartiles = np.quantile([block.mean() for block in blocks], [0.25, 0.75])
    values = (
        *(policy, solver, *played.size, len(microseconds), round(microseconds.mean(), 2)),
        *np.round(quartiles, 2),
        "" if agreement is None else round(agreement.share, 6),
        "" if np.isnan(played.touched) else round(played.touched, 2),
        round(played.peak_mb, 1),
    )
    return dict(zip(COLUMNS, values, strict=True))
