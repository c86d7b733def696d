"""Measure the seconds per round of a policy in a separate process.

Figure 1 and ``horde bench`` both use `measuring`. It starts ``python -m horde.timing.harness
FOLDER`` on one thread. This process loads the packages once, and each measurement runs in a copy of
it. So no measurement sees what another computed, and each has its own peak memory.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np

from horde import files, machine
from horde.errors import ConfigError, HordeError
from horde.graph.precision import adjacency, laplacian
from horde.policies.base import Policy
from horde.problem import Problem
from horde.random import draws
from horde.simulation.environment import Environment
from horde.timing import baselines
from horde.timing.exactness import follow
from horde.timing.observations import place_observations

# Files that `measuring` and its process exchange.
_ENVIRONMENT, _REQUEST, _MEASURED = "environment.npz", "request.json", "measured.npz"
_ERRORS = "errors.txt"
# Exit code if the policy rejects its hyper-parameters.
_REFUSED = 2


@dataclass(frozen=True)
class Request:
    """A measurement to make.

    Attributes
    ----------
    policy : str
        A key of `horde.policies.registry.POLICIES`.
    params : dict
        Its hyper-parameters; ``solver`` may name a baseline (`horde.timing.baselines`).
    first : int
        First timed round; the policy learns from the earlier rounds without timing.
    most : int
        Largest number of timed rounds.
    fewest : int
        Smallest number of timed rounds.
    seconds : float or None
        Time after which no round starts if `fewest` rounds are done; None for no limit.
    picks : list of int or None
        Rows to learn from in the first rounds, instead of the policy's picks. With None, the
        policy observes the untimed rounds without choosing
        (`horde.timing.observations.place_observations`).
    """

    policy: str
    params: dict
    first: int
    most: int
    fewest: int = 0
    seconds: float | None = None
    picks: list[int] | None = None


class Measured(NamedTuple):
    """The result of a measurement.

    Attributes
    ----------
    seconds, cpu_seconds : ndarray of float64, shape (rounds,)
        Wall and processor time in seconds of each timed round: choose and learn, without the
        lookup of the offered contexts.
    touched : float
        Users whose mean changed, per timed round; NaN for a policy without a solver.
    peak_mb : float
        Peak memory of the process, in MB, without parts of packages that it did not use.
    """

    seconds: np.ndarray
    cpu_seconds: np.ndarray
    touched: float
    peak_mb: float

    def quartiles(self, block: int = 1) -> list[float]:
        """Return the quartiles over blocks of their mean seconds per round."""
        blocks = np.array_split(self.seconds, max(len(self.seconds) // block, 1))
        return np.quantile([part.mean() for part in blocks], [0.25, 0.5, 0.75]).tolist()


@contextmanager
def measuring(
    log: Callable[[str], None],
) -> Iterator[Callable[[Environment, Iterable[Request]], Iterator[Measured]]]:
    """Start the process of which each measurement gets a copy; end it on leaving.

    Parameters
    ----------
    log : callable
        Receives a progress report every few seconds.

    Yields
    ------
    callable
        ``measure(environment, requests)`` yields a `Measured` for each `Request`. Take all of
        them before the next call.

    Raises
    ------
    ConfigError
        By ``measure``, if a policy rejects its hyper-parameters.
    HordeError
        By ``measure``, if a measurement fails or is killed; the message has what it printed.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Errors are appended, since their file is emptied before each measurement.
        with (
            (folder / _ERRORS).open("a") as errors,
            subprocess.Popen(
                [sys.executable, "-m", "horde.timing.harness", str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=os.environ | dict.fromkeys(machine.VARIABLES, "1"),
            ) as process,
        ):
            yield partial(_measure, folder, process, log)


def measure_here(environment: Environment, request: Request) -> Measured:
    """Measure a policy in this process; print progress reports.

    Parameters
    ----------
    environment : Environment
    request : Request
    """
    load_kernels(request.policy, request.params)
    policy = baselines.start(environment, request.policy, request.params)
    if request.picks is None:
        place_observations(policy, environment, request.first)
        picks = []
    else:
        picks = request.picks
        _replay(policy, environment, picks, request.first)
    seconds, cpu_seconds = [], []
    touched = _touched(policy)
    report = machine.Every(machine.PROGRESS_SECONDS)
    began = perf_counter()
    for t in range(request.first, request.first + request.most):
        user, offered, rewards = environment.offer(t)
        cpu_start, start = process_time(), perf_counter()
        row = policy.choose(user, offered)
        row = picks[t] if t < len(picks) else row
        policy.learn(user, offered[row], float(rewards[row]))
        end, cpu_end = perf_counter(), process_time()
        seconds.append(end - start)
        cpu_seconds.append(cpu_end - cpu_start)
        if report.due():
            print(f"{t + 1} of {request.first + request.most} rounds", flush=True)
        too_long = request.seconds is not None and end > began + request.seconds
        if too_long and len(seconds) >= request.fewest:
            break
    touched = (_touched(policy) - touched) / len(seconds)
    return Measured(np.array(seconds), np.array(cpu_seconds), touched, machine.peak_bytes() / 1e6)


def load_kernels(policy: str, params: dict) -> None:
    """Play twelve rounds of a tiny problem, so that timed rounds do not compile or load."""
    rng = np.random.default_rng(0)
    precision = laplacian(adjacency([[0, 1], [1, 2], [2, 3]], 5))
    problem = Problem(5, 2, 12, draws("small", 0), precision)
    small = baselines.make(policy, params).start(problem)
    for t in range(12):
        offered = rng.standard_normal((3, 2))
        small.learn(t % 5, offered[small.choose(t % 5, offered)], 1.0)


def _replay(policy: Policy, environment: Environment, picks: list[int], rounds: int) -> None:
    """Let a policy learn from the first rounds: from rows in `picks`, then from its own."""
    for t in range(rounds):
        user, offered, rewards = environment.offer(t)
        if t < len(picks):
            row = picks[t]
            follow(policy, user, offered, row)
        else:
            row = policy.choose(user, offered)
        policy.learn(user, offered[row], float(rewards[row]))


def _touched(policy: Policy) -> float:
    return getattr(getattr(policy, "posterior", None), "touched", np.nan)


def _measure(
    folder: Path,
    process: subprocess.Popen,
    log: Callable[[str], None],
    environment: Environment,
    requests: Iterable[Request],
) -> Iterator[Measured]:
    environment.save(folder / _ENVIRONMENT)
    for request in requests:
        files.write_json(folder / _REQUEST, asdict(request))
        os.truncate(folder / _ERRORS, 0)
        (folder / _MEASURED).unlink(missing_ok=True)
        code = _ask(folder, process, log)
        # A policy may have ended its process.
        if code != 0 or not (folder / _MEASURED).exists():
            printed = (folder / _ERRORS).read_text(encoding="utf-8", errors="replace")
            what = f"measuring {request.policy} with {request.params}"
            if code == _REFUSED:
                raise ConfigError(f"{what}: {printed.strip()}")
            raise HordeError(
                f"{what} ended with code {code} (-9: killed, most likely because memory ran out: "
                f"measure a smaller problem, or lower memory_share):\n{printed}"
            )
        found = files.load_arrays(folder / _MEASURED)
        touched, peak_mb = float(found["touched"]), float(found["peak_mb"])
        yield Measured(found["seconds"], found["cpu_seconds"], touched, peak_mb)


def _ask(folder: Path, process: subprocess.Popen, log: Callable[[str], None]) -> int:
    """Let the process make the measurement requested in the folder; return the exit code."""
    ended = _ended(folder)
    with suppress(BrokenPipeError):  # If the process was killed.
        os.write(process.stdin.fileno(), b"\n")
    for line in process.stdout:
        if line.startswith(ended):
            return int(line.removeprefix(ended))
        if line.strip():
            log(f"  {line.rstrip()}")
    return process.wait()


def _ended(folder: Path) -> str:
    """Return what precedes an exit code; no policy prints the random name of the folder."""
    return f"{folder} ended with code "


def main(folder: Path) -> int:
    """Make the measurement requested in the folder, write its result there, return an exit code."""
    request = Request(**files.read_json(folder / _REQUEST))
    try:
        measured = measure_here(Environment.load(folder / _ENVIRONMENT), request)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return _REFUSED
    files.save_arrays(folder / _MEASURED, **measured._asdict())
    return 0


def serve(folder: Path) -> None:
    """For each line of input, call `main` in a copy of this process; print its exit code."""
    machine.collect_rarely()
    # Numba's first kernel loads what every policy needs. There is one thread, so copies are safe.
    load_kernels("EG-IND", {})
    for _ in sys.stdin:
        copy = os.fork()
        if not copy:
            sys.stdin = None  # A policy that reads it would wait for ever.
            sys.exit(main(folder))
        code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
        # What a policy printed may lack the end of its line.
        print(f"\n{_ended(folder)}{code}", flush=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
