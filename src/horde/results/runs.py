"""The file of finished runs: one policy in one variant on one dataset, a block of seeds."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from horde import files
from horde.errors import DataError

# Tables and figures read runs without loading the simulation and its kernels.
if TYPE_CHECKING:
    from horde.simulation.loop import Curve

# Keys of a run, in the order of its file's path.
RUN = ["dataset", "policy", "variant", "seed"]
REMEDY = "delete it and start again"


def block_name(seeds: Iterable[int]) -> str:
    """Return the name of a block of consecutive seeds: ``100-104``, or ``7`` for a single one."""
    seeds = list(seeds)
    return f"{seeds[0]}-{seeds[-1]}" if len(seeds) > 1 else str(seeds[0])


def block_seeds(name: str) -> list[int]:
    """Return the seeds of a block from its name."""
    first, _, last = name.partition("-")
    return list(range(int(first), int(last or first) + 1))


def save(
    path: str | os.PathLike,
    curves: "Mapping[int, Curve]",
    learned: Mapping[int, Mapping[str, np.ndarray]],
) -> None:
    """Write the runs of a block of seeds.

    Parameters
    ----------
    path : path
        ``.../{dataset}/{policy}/{variant}/{block}.npz``.
    curves : mapping of int to Curve
        By seed, ascending; all at the same checkpoints.
    learned : mapping of int to mapping of str to ndarray
        By seed: arrays that the policy stores with a finished run (`Policy.learned`); may be empty.
    """
    kept = {
        name: array
        for seed, arrays in learned.items()
        for name, array in files.nest(f"learned.{seed}", arrays).items()
    }
    files.save_arrays(
        path,
        run=np.array(_run(path)),
        seeds=np.array(list(curves), dtype=np.int64),
        rounds=next(iter(curves.values())).rounds,
        regret=np.array([curve.regret for curve in curves.values()]),
        random_regret=np.array([curve.random_regret for curve in curves.values()]),
        **kept,
    )


def load(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """Read what `save` wrote.

    Returns
    -------
    dict of ndarray
        ``seeds``, shape (S,); ``rounds``, shape (C,), ascending from 1 or more; ``regret`` and
        ``random_regret``, shape (S, C), finite and non-decreasing; and the learned arrays.

    Raises
    ------
    DataError
        If the file is missing, damaged, or holds other runs than its path says; names it.
    """
    arrays = files.load_arrays(path)
    for fault, found in _faults(arrays, Path(path)):
        if found:
            raise DataError(f"{path} does not hold the runs of its name ({fault}); {REMEDY}")
    return arrays


def read_learned(path: str | os.PathLike) -> dict[int, dict[str, np.ndarray]]:
    """Return the learned arrays of each run, by seed.

    Raises
    ------
    DataError
        As `load`.
    """
    arrays = load(path)
    return {seed: files.unnest(f"learned.{seed}", arrays) for seed in arrays["seeds"].tolist()}


def name(path: str | os.PathLike) -> dict[str, str]:
    """Return dataset, policy and variant of the file of finished runs."""
    return dict(zip(RUN[:3], Path(path).parts[-4:-1], strict=True))


def _run(path: str | os.PathLike) -> str:
    """Return ``dataset/policy/variant`` of a file's path."""
    return "/".join(name(path).values())


def _faults(arrays: dict[str, np.ndarray], path: Path):
    """Yield (message, whether it applies); each check assumes that the earlier ones passed."""
    missing = {"run", "seeds", "rounds", "regret", "random_regret"} - arrays.keys()
    yield f"it lacks {', '.join(sorted(missing))}", bool(missing)
    yield f"it holds {arrays['run']}", str(arrays["run"]) != _run(path)
    seeds, rounds = arrays["seeds"], arrays["rounds"]
    yield f"its seeds are {seeds}", seeds.tolist() != block_seeds(path.stem)
    yield "rounds are not whole numbers", rounds.ndim != 1 or rounds.dtype != np.int64
    yield "rounds do not ascend from 1", len(rounds) == 0 or (np.diff(rounds, prepend=0) < 1).any()
    for name in ("regret", "random_regret"):
        regret = arrays[name]
        yield f"{name} does not fit rounds", regret.shape != (len(seeds), len(rounds))
        yield f"{name} is not float64", regret.dtype != np.float64
        yield f"{name} is not finite", not np.isfinite(regret).all()
        yield f"{name} falls", (np.diff(regret, prepend=0.0) < 0).any()
