"""The loop over rounds, the regret at checkpoints, and saved states to resume from."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from horde import files
from horde.errors import ConfigError, DataError
from horde.files import nest, unnest
from horde.machine import PROGRESS_SECONDS, Every
from horde.policies.base import Policy
from horde.simulation.stream import Stream

# Seconds between two saved states.
SAVE_SECONDS = 30.0
# Rounds are played twice as many at a time until a step takes so many seconds.
STEP_SECONDS = 0.2


@dataclass(frozen=True)
class Curve:
    """Cumulative regret at checkpoints.

    Attributes
    ----------
    rounds : ndarray of int64, shape (C,)
        Checkpoints as numbers of rounds played, increasing, the last one T.
    regret : ndarray of float64, shape (C,)
        Sum over rounds of the best offered expected reward minus the expected reward of the choice.
    random_regret : ndarray of float64, shape (C,)
        Expectation of this sum for a uniformly random choice.
    """

    rounds: np.ndarray
    regret: np.ndarray
    random_regret: np.ndarray

    @property
    def ratio(self) -> np.ndarray:
        """`regret` over `random_regret`, shape (C,); NaN while all choices are equally good."""
        ratio = np.full(self.regret.shape, np.nan)
        return np.divide(self.regret, self.random_regret, out=ratio, where=self.random_regret > 0)


class SavedRun:
    """The saved state that an interrupted run resumes from.

    Parameters
    ----------
    path : path-like
        An npz file, which need not exist. A damaged file counts as missing: it only saves time.
    key : str
        Identifies the run (policy, params, stream, code); states of other runs are ignored.

    Attributes
    ----------
    restored : int
        Number of rounds that `restore` recovered; 0 before it is called.
    """

    def __init__(self, path: str | os.PathLike, key: str):
        self.path = Path(path)
        self.key = key
        self.restored = 0

    def save(self, policy: Policy, picks: np.ndarray) -> None:
        """Save the state of `policy` after the rounds of these picks."""
        state = nest("policy", policy.state())
        files.save_arrays(self.path, key=np.array(self.key), picks=picks, **state)

    def restore(self, policy: Policy) -> np.ndarray:
        """Restore a started `policy`, and return the picks so far (empty if nothing was saved)."""
        try:
            arrays = files.load_arrays(self.path)
        except DataError:
            arrays = {}
        if str(arrays.get("key")) != self.key:
            return np.empty(0, dtype=np.int32)
        policy.restore(unnest("policy", arrays))
        self.restored = len(arrays["picks"])
        return arrays["picks"]

    def remove(self) -> None:
        """Delete the file; call it after the run's result is written."""
        self.path.unlink(missing_ok=True)


def simulate(
    policy: Policy,
    stream: Stream,
    features: np.ndarray,
    checkpoints: np.ndarray,
    progress: Callable[[int, int], None] | None = None,
    saved_run: SavedRun | None = None,
) -> Curve:
    """Let `policy` play `stream`, and compute its regret.

    Parameters
    ----------
    policy : Policy
        Already started.
    stream : Stream
        T rounds of K items.
    features : ndarray of float64, shape (n_items, d)
        Context vectors of the items.
    checkpoints : ndarray of int, shape (C,)
        Numbers of rounds at which regret is recorded; increasing, within 1..T, the last one T.
    progress : callable, optional
        ``progress(rounds_played, T)``, called every few seconds and at the end.
    saved_run : SavedRun, optional
        Saved state to resume from; it is updated every half minute.

    Returns
    -------
    Curve

    Raises
    ------
    ConfigError
        If the checkpoints are not as described.
    """
    _check(checkpoints, stream.n_rounds)
    return regret_curve(stream, play(policy, stream, features, progress, saved_run), checkpoints)


def play(
    policy: Policy,
    stream: Stream,
    features: np.ndarray,
    progress: Callable[[int, int], None] | None = None,
    saved_run: SavedRun | None = None,
) -> np.ndarray:
    """Play all rounds as in `simulate`; return the chosen rows, int32, shape (T,)."""
    n_rounds = stream.n_rounds
    picks = np.zeros(n_rounds, dtype=np.int32)
    done = saved_run.restore(policy) if saved_run else picks[:0]
    picks[: len(done)] = done
    played, size = len(done), 1
    tell, save = Every(PROGRESS_SECONDS), Every(SAVE_SECONDS)
    while played < n_rounds:
        last = min(played + size, n_rounds)
        began = time.perf_counter()
        policy.play(stream.rounds(features, played, last), picks[played:last])
        if time.perf_counter() - began < STEP_SECONDS:
            size *= 2
        played = last
        if progress and tell.due():
            progress(played, n_rounds)
        if saved_run and save.due():
            saved_run.save(policy, picks[:played])
    if progress:
        progress(n_rounds, n_rounds)
    return picks


def regret_curve(
    stream: Stream,
    picks: np.ndarray,
    checkpoints: np.ndarray,
    counted: np.ndarray | None = None,
) -> Curve:
    """Compute the regret of chosen rows.

    Parameters
    ----------
    stream : Stream
        T rounds of K items.
    picks : ndarray of int, shape (T,)
        Row chosen in each round.
    checkpoints : ndarray of int, shape (C,)
        As in `simulate`.
    counted : ndarray of bool, shape (T,), optional
        Rounds whose regret counts; by default all.
    """
    expected = stream.expected.astype(np.float64)
    n_offered = stream.n_offered
    best = expected.max(axis=1)
    chosen = np.take_along_axis(expected, picks[:, None], axis=1)[:, 0]
    # The sums are exact for 0/1 rewards, since the only division comes at the end.
    shortfall = n_offered * best - np.cumsum(expected, axis=1)[:, -1]
    regret = best - chosen
    if counted is not None:
        regret, shortfall = np.where(counted, (regret, shortfall), 0.0)
    rounds = np.asarray(checkpoints, dtype=np.int64)
    return Curve(
        rounds, np.cumsum(regret)[rounds - 1], np.cumsum(shortfall)[rounds - 1] / n_offered
    )


def _check(checkpoints: np.ndarray, n_rounds: int) -> None:
    rounds = np.asarray(checkpoints)
    numbers = rounds.ndim == 1 and len(rounds) > 0 and rounds.dtype.kind in "iu"
    increasing = numbers and (np.diff(rounds) > 0).all()
    if not (increasing and rounds[0] >= 1 and rounds[-1] == n_rounds):
        raise ConfigError(
            f"checkpoints must be increasing numbers of rounds from 1 to {n_rounds} that end with "
            f"{n_rounds}, but are {checkpoints!r}."
        )
