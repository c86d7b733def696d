"""The machine a process runs on: threads, packages, seconds and memory, progress reports."""

import os
import platform
import resource
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import monotonic

import threadpoolctl

# The packages whose version may show in a result.
PACKAGES = ("horde", "numpy", "scipy", "numba", "llvmlite")
# Seconds between two progress reports.
PROGRESS_SECONDS = 5.0

# What the common BLAS builds, OpenMP and numba read when they are loaded, here or in a child.
VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def pin(threads: int) -> None:
    """Make BLAS, OpenMP and numba use `threads` threads, from now on, in this process.

    Pools that are loaded already are limited; those still to come read the environment. Numba
    reads it again at each compilation, and refuses another number than it was loaded with: where
    it is loaded, its variable is left alone.

    Parameters
    ----------
    threads : int
        At least 1; numba is given no more than it was started with.
    """
    numba = sys.modules.get("numba")
    for variable in VARIABLES:
        if numba is None or variable != "NUMBA_NUM_THREADS":
            os.environ[variable] = str(threads)
    threadpoolctl.threadpool_limits(threads)
    if numba is not None:
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))


def pools() -> list[dict]:
    """Return name, version, build and threads of every BLAS and OpenMP pool now loaded."""
    wanted = ("internal_api", "version", "architecture", "threading_layer", "num_threads")
    found = [
        {key: pool[key] for key in wanted if key in pool}
        for pool in threadpoolctl.threadpool_info()
    ]
    # By all that is told of them: two builds of one library come in no certain order.
    return sorted(found, key=lambda pool: sorted(map(str, pool.items())))


class Every:
    """A clock that is due once every so many seconds.

    Parameters
    ----------
    seconds : float
        From now, and from the last time it was due.
    """

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._next = monotonic() + seconds

    def due(self) -> bool:
        """Return whether the seconds have passed, and start anew if so."""
        now = monotonic()
        if now < self._next:
            return False
        self._next = now + self.seconds
        return True


def describe() -> dict:
    """Return package versions, Python, CPU, and the thread pools of this process."""
    return {
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "cpu": _cpu(),
        "system": f"{platform.system()} {platform.machine()}",
        "thread_pools": pools(),
    }


class Stopwatch:
    """Times a piece of work, from when it is made.

    Attributes
    ----------
    started : str
        UTC, ISO 8601.
    """

    def __init__(self):
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def record(self, rounds: int) -> dict:
        """Return start, seconds (wall and CPU, in all and a round) and peak memory in MB.

        Parameters
        ----------
        rounds : int
            Rounds played since the stopwatch was made; seconds a round are None where it is 0.
        """
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        # ru_maxrss is in KiB, on macOS in bytes.
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        return {
            "started": self.started,
            "seconds": wall,
            "cpu_seconds": cpu,
            "rounds": rounds,
            "seconds_per_round": wall / rounds if rounds else None,
            "peak_mb": peak / 1e6,
        }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
