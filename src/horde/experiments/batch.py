"""Several seeds of one experiment in one job; a seed that is there is not run again."""

import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from pathlib import Path

from horde import files
from horde.errors import DataError
from horde.experiments.experiment import Experiment, run_to_files
from horde.results import runs as curves


def run_seeds(
    experiment: Experiment,
    seeds: Iterable[int],
    dataset: str | os.PathLike,
    code: str,
    folder: str | os.PathLike,
    timing: str | os.PathLike,
    log: Callable[[str], None],
) -> list[Path]:
    """Run an experiment once for each seed.

    Parameters
    ----------
    experiment : Experiment
        Its own seed does not matter.
    seeds : iterable of int
    dataset : path
        As `horde.data.dataset.Dataset.save` wrote it.
    code : str
        Digest of the code: runs of other code are made again.
    folder, timing : path
        Where each seed's files are kept: ``{seed}.npz`` and ``{seed}.json``, and what they took.
    log : callable
        Told how far each run is.

    Returns
    -------
    list of Path
        The curves, in the order of `seeds`.

    Raises
    ------
    ConfigError, DataError
        As `horde.experiments.experiment.run_to_files`.
    """
    data = files.content(dataset)
    paths = []
    for seed in seeds:
        single = replace(experiment, seed=seed)
        curve, record = Path(folder) / f"{seed}.npz", Path(folder) / f"{seed}.json"
        if _stands(curve, record, single, data, code):
            log(f"seed {seed}: is there")
        else:
            log(f"seed {seed}")
            # Without it: a new record beside an old curve would vouch for what it did not make.
            curve.unlink(missing_ok=True)
            run_to_files(single, dataset, code, curve, record, Path(timing) / f"{seed}.json", log)
        paths.append(curve)
    return paths


def _stands(curve: Path, record: Path, experiment: Experiment, data: str, code: str) -> bool:
    """Return whether the files hold this very experiment; damaged ones count as missing."""
    try:
        curves.load(curve)
        known = files.read_json(record)
        found = (known["settings_digest"], known["data"]["content"], known["code_digest"])
    except (DataError, KeyError, TypeError):
        return False
    return found == (files.digest(asdict(experiment)), data, code)
