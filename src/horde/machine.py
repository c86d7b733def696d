"""The machine a process runs on: threads, packages, memory, seconds, progress reports."""

import atexit
import gc
import os
import platform
import resource
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import monotonic

import psutil
import threadpoolctl

from horde.errors import ConfigError

# Packages whose versions are stored with results.
PACKAGES = ("horde", "numpy", "scipy", "numba", "llvmlite")
# Seconds between two progress reports.
PROGRESS_SECONDS = 5.0

# Environment variables that BLAS libraries, OpenMP and numba read when loaded, also in a child.
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
    """Set the number of threads of BLAS, OpenMP and numba in this process.

    Loaded thread pools are limited; later ones read the environment. Numba reads its variable at
    each compilation, and rejects a number other than at its start. So its variable does not change
    once numba is loaded.

    Parameters
    ----------
    threads : int
        At least 1; numba gets at most the number that it was started with.
    """
    numba = sys.modules.get("numba")
    # A debugger's setting. Uncompiled, the kernels would take hours, and some cannot run.
    os.environ.pop("NUMBA_DISABLE_JIT", None)
    for variable in VARIABLES:
        if numba is None or variable != "NUMBA_NUM_THREADS":
            os.environ[variable] = str(threads)
    threadpoolctl.threadpool_limits(threads)
    if numba is not None:
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))


def collect_rarely() -> None:
    """Let Python seldom search for unreachable objects, and not at the end of this process.

    By default Python searches after some hundred or thousand new objects; from now on after
    100,000. Packages make many objects and drop few while they load. Without a search at its end,
    a process that has loaded kernels ends .4 seconds earlier. Close files: what an unreachable one
    has not written is lost.
    """
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)


def pools() -> list[dict]:
    """Return name, version, build and threads of each loaded BLAS and OpenMP pool."""
    wanted = ("internal_api", "version", "architecture", "threading_layer", "num_threads")
    found = [
        {key: pool[key] for key in wanted if key in pool}
        for pool in threadpoolctl.threadpool_info()
    ]
    # Sorted by all values, since two builds of a library have no fixed order.
    return sorted(found, key=lambda pool: sorted(map(str, pool.items())))


def machine_bytes() -> int:
    """Return the memory in bytes of the machine, or of its control group if that is less."""
    return min([psutil.virtual_memory().total, *_group_limits()])


def available_bytes() -> int:
    """Return how much more memory this process can take, in bytes.

    This is the minimum of the machine's available memory, the limits of the control groups and the
    limit on the address space (``ulimit -v``). The last two include what this process already has.
    """
    held = psutil.Process().memory_info()
    left = [psutil.virtual_memory().available]
    left += [limit - held.rss for limit in _group_limits()]
    address_space, _ = resource.getrlimit(resource.RLIMIT_AS)
    if address_space != resource.RLIM_INFINITY:
        left.append(address_space - held.vms)
    return max(min(left), 0)


def require_memory(needed: float, what: str, remedy: str) -> None:
    """Raise an error before work that needs more memory than this process can take.

    Parameters
    ----------
    needed : float
        Bytes that the work needs in addition to the memory of this process.
    what : str
        Name of the work; the subject of the message.
    remedy : str
        What to do instead; the end of the message.

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
    """Return the peak memory of this process, in bytes.

    psutil does not have it on Linux. ``VmHWM`` is used first, since ``ru_maxrss`` of a child
    includes the memory of its parent.
    """
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def _group_limits(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> list[int]:
    """Return the memory limits in bytes of this process's control groups and their parents."""
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
            with suppress(OSError, ValueError):  # The file is missing, or says "max".
                limits.append(int((level / name).read_text()))
            if level == root:
                break
    return limits


class Every:
    """A timer that throttles progress reports.

    Parameters
    ----------
    seconds : float
        Interval in seconds, from now and from the last report.
    """

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._next = monotonic() + seconds

    def due(self) -> bool:
        """Return whether the interval has passed; if so, start the next one."""
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
    """Measure time and memory of a piece of work, from construction on.

    Attributes
    ----------
    started : str
        UTC, ISO 8601.
    """

    def __init__(self):
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def record(self, rounds: int) -> dict:
        """Return start, seconds (wall and CPU, total and per round) and peak memory in MB.

        Parameters
        ----------
        rounds : int
            Rounds played since construction; if 0, seconds per round are None.
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
    """Return the installed version of a package, or `not installed`."""
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
