"""Where a result comes from: data, settings, code, draws, packages, machine."""

import platform
import resource
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from horde import files, threads

# The packages whose version may show in a result.
PACKAGES = ("horde", "numpy", "scipy", "numba", "llvmlite")


def machine() -> dict:
    """Return package versions, Python, CPU, and the thread pools of this process."""
    return {
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "cpu": _cpu(),
        "system": f"{platform.system()} {platform.machine()}",
        "thread_pools": threads.pools(),
    }


def draw_keys(dataset: str, seed: int, purposes: tuple[str, ...]) -> list[str]:
    """Name the keys of the random generators of a run (see `horde.draws`)."""
    return [f"{dataset}/{seed}/{purpose}" for purpose in purposes]


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


def content(path: str | Path) -> str:
    """Return the digest by which a data file is identified, wherever it lies."""
    return f"sha256:{files.file_digest(path)}"


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
