"""The file of a finished run: its curve, and which run of which experiment it is of."""

import json
import os
from dataclasses import asdict, dataclass

import numpy as np

from horde import files
from horde.errors import DataError

ARRAYS = ("rounds", "regret", "random_regret")
REMEDY = "delete it and start again"


@dataclass(frozen=True)
class Origin:
    """What a curve is of, so that one in the place of another is noticed.

    Attributes
    ----------
    run : str
        ``dataset/policy/variant/seed``: the end of the file's path, without ``.npz``.
    experiment : str
        Digest of what the runs of all seeds share: policy, settings, rounds, data, code.
    stream : str
        Digest of what the runs of all policies share: data, rounds, offers, checkpoints.
    """

    run: str
    experiment: str
    stream: str

    @property
    def group(self) -> str:
        """``dataset/policy/setting``."""
        return self.run.rpartition("/")[0]

    @property
    def dataset(self) -> str:
        """Name of the dataset."""
        return self.run.partition("/")[0]


def save(path: str | os.PathLike, origin: Origin, **curve: np.ndarray) -> None:
    """Write the arrays `ARRAYS`, each of shape (checkpoints,), and where they come from.

    Others, nested under ``learned``, are what the policy keeps of the run (`Policy.learned`).
    """
    files.save_arrays(path, origin=np.array(files.canonical(asdict(origin))), **curve)


def load(path: str | os.PathLike) -> tuple[dict[str, np.ndarray], Origin]:
    """Read what `save` wrote.

    Returns
    -------
    dict of ndarray
        ``rounds`` ascends from 1 or more; the regrets are finite and never fall.
    Origin

    Raises
    ------
    DataError
        If the file is missing, damaged, or holds something else; names it.
    """
    arrays = files.load_arrays(path)
    try:
        origin = Origin(**json.loads(str(arrays["origin"])))
        curve = {name: arrays[name] for name in ARRAYS}
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path} is not the curve of a run ({error}); {REMEDY}") from error
    for fault, found in _faults(curve, origin):
        if found:
            raise DataError(f"{path} is not the curve of a run ({fault}); {REMEDY}")
    return curve, origin


def require_alike(origins: dict[str, Origin]) -> None:
    """Check that runs which are averaged or compared are of the same experiment and stream.

    Parameters
    ----------
    origins : dict
        By path of the file.

    Raises
    ------
    DataError
        Names two files that differ.
    """
    first: dict[str, tuple[str, str]] = {}
    for path, origin in origins.items():
        shared = {origin.group: origin.experiment, origin.dataset: origin.stream}
        for name, digest in shared.items():
            before, expected = first.setdefault(name, (path, digest))
            if digest != expected:
                raise DataError(
                    f"{before} and {path} are not of the same data, settings and code; delete the "
                    "one that does not belong to this run, or both, and start again"
                )


def _faults(curve: dict[str, np.ndarray], origin: Origin):
    """Yield (what is wrong, whether it is), each safe to ask once those before it are false."""
    texts = asdict(origin).values()
    yield "its origin is no text", not all(isinstance(text, str) for text in texts)
    rounds, *regrets = (curve[name] for name in ARRAYS)
    yield "rounds are no whole numbers", rounds.ndim != 1 or rounds.dtype != np.int64
    yield "rounds do not ascend from 1", len(rounds) == 0 or (np.diff(rounds, prepend=0) < 1).any()
    for name, regret in zip(ARRAYS[1:], regrets, strict=True):
        yield f"{name} does not fit rounds", regret.shape != rounds.shape
        yield f"{name} is not float64", regret.dtype != np.float64
        yield f"{name} is not finite", not np.isfinite(regret).all()
        yield f"{name} falls", (np.diff(regret, prepend=0.0) < 0).any()
