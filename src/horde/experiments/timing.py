"""What finished runs took: from their timing files to one table."""

import os
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from horde import files
from horde.errors import DataError

TIMING_COLUMNS = [
    "dataset",
    "policy",
    "variant",
    "seed",
    "started",
    "rounds",
    "seconds",
    "cpu_seconds",
    "seconds_per_round",
    "peak_mb",
]
_MEASURED = TIMING_COLUMNS[4:]


def read_timings(paths: Iterable[str | os.PathLike]) -> pd.DataFrame:
    """Read what runs took.

    Parameters
    ----------
    paths : iterable of path
        Files ``.../{dataset}/{policy}/{variant}/{seed}.json``, as
        `horde.machine.Stopwatch.record` describes them.

    Returns
    -------
    DataFrame
        Columns `TIMING_COLUMNS`, a row a run, in the order of `paths`.

    Raises
    ------
    DataError
        If a file is missing or damaged.
    """
    rows = []
    for path in map(Path, paths):
        dataset, policy, variant = path.parts[-4:-1]
        run = {"dataset": dataset, "policy": policy, "variant": variant, "seed": int(path.stem)}
        rows.append(run | _measured(path))
    return pd.DataFrame(rows, columns=TIMING_COLUMNS)


def _measured(path: Path) -> dict:
    found = files.read_json(path)
    if not isinstance(found, dict) or set(found) != set(_MEASURED):
        raise DataError(f"{path} does not say what a run took; delete it and start again")
    return found
