"""The machine a process runs on: threads, packages, memory, seconds, progress reports."""

import os
import platform
import resource
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import monotonic

import psutil
import threadpoolctl

from horde.errors import ConfigError

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
    # Sorted by all values: two builds of one library come in no certain order.
    return sorted(found, key=lambda pool: sorted(map(str, pool.items())))


def machine_bytes() -> int:
    """Return the memory of the machine, or of this process's control group if that is less."""
    return min([psutil.virtual_memory().total, *_group_limits()])


def available_bytes() -> int:
    """Return how much more memory this process can take, in bytes.

    The least of: what the machine has left, what the control groups allow and what the limit on
    the address space (``ulimit -v``) allows. The last two count what this process holds already.
    """
    held = psutil.Process().memory_info()
    left = [psutil.virtual_memory().available]
    left += [limit - held.rss for limit in _group_limits()]
    address_space, _ = resource.getrlimit(resource.RLIMIT_AS)
    if address_space != resource.RLIM_INFINITY:
        left.append(address_space - held.vms)
    return max(min(left), 0)


def require_memory(needed: float, what: str, remedy: str) -> None:
    """Refuse work that needs more memory than this process can take, before it is taken.

    Parameters
    ----------
    needed : float
        Bytes that the work takes on top of what this process holds.
    what : str
        Names the work; subject of the message's first clause.
    remedy : str
        What to do instead; ends the message.

    Raises
    ------
    ConfigError
        If `needed` exceeds `available_bytes`.
    """
    available = available_bytes()
    if needed > available:
        raise ConfigError(
            f"{what} needs {needed / 1e9:.1f} GB of memory, and this process can take "
            f"{available / 1e9:.1f} GB: {remedy}"
        )


def peak_bytes() -> int:
    """Return the largest memory that this process has held so far, in bytes.

    psutil does not know it on Linux. ``VmHWM`` comes first, since ``ru_maxrss`` of a child counts
    the memory of the process that started it.
    """
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def _group_limits(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> list[int]:
    """Return the memory limits of this process's control groups and of those around them."""
    try:
        lines = (proc / "self/cgroup").read_text().split()
    except OSError:
        return []
    limits = []
    for line in lines:
        _, controllers, inside = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root = groups / "memory" if controllers else groups
        name = "memory.limit_in_bytes" if controllers else "memory.max"
        folder = root / inside.lstrip("/")
        for level in (folder, *folder.parents):
            limits += _limit(level / name)
            if level == root:
                break
    return limits


def _limit(path: Path) -> list[int]:
    try:
        return [int(path.read_text())]
    except (OSError, ValueError):
        # Not there, or "max".
        return []


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
        "packages": {name: package_version(name) for name in PACKAGES},
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
            Rounds played since the stopwatch was made; seconds per round are None where it is 0.
        """
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        return {
            "started": self.started,
            "seconds": wall,
            "cpu_seconds": cpu,
            "rounds": rounds,
            "seconds_per_round": wall / rounds if rounds else None,
            "peak_mb": peak_bytes() / 1e6,
        }


def package_version(package: str) -> str:
    """Return the installed version of a package; `not installed` where there is none."""
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
