"""One place that says how many threads a process computes with."""

import os
import sys

import threadpoolctl

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
