"""Runs: a policy with its hyper-parameters plays the streams of a block of seeds."""

import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from horde import files, machine, random
from horde.data import dataset as datasets
from horde.errors import DataError
from horde.policies import memory
from horde.policies.base import Policy
from horde.results import runs
from horde.simulation.loop import Curve, SavedRun, simulate
from horde.simulation.stream import make_stream

_PURPOSES = ("stream", "exploration", "posterior", "club_graph")


@dataclass(frozen=True)
class Experiment:
    """All arguments of a run except the data and the seed.

    Attributes
    ----------
    policy : str
        Name of the policy.
    params : dict
        Its hyper-parameters, as `horde.policies.registry.make` takes them.
    rounds, offered : int
        T and K.
    checkpoints : int
        Number of evenly spaced rounds at which regret is recorded.
    graph : str
        Graph of the users, one of `horde.graph.controls.GRAPHS`.
    """

    policy: str
    params: dict
    rounds: int
    offered: int
    checkpoints: int
    graph: str = "given"


def checkpoint_rounds(rounds: int, checkpoints: int) -> np.ndarray:
    """Return `checkpoints` evenly spaced numbers of rounds, int64; the last is `rounds`."""
    return np.arange(1, checkpoints + 1, dtype=np.int64) * rounds // checkpoints


def run(
    experiment: Experiment,
    dataset: datasets.Dataset,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
    saved_run: SavedRun | None = None,
) -> tuple[Policy, Curve]:
    """Run one seed, from round 0 or from the state in `saved_run`.

    Equal experiments on equal data and seeds give equal digits.

    Returns
    -------
    Policy
        In its state after the last round.
    Curve

    Raises
    ------
    ConfigError, DataError
        If the hyper-parameters or the data do not allow it.
    """
    e = experiment
    stream = make_stream(dataset, seed, e.rounds, e.offered)
    policy = memory.start(e.policy, e.params, dataset.problem(seed, e.rounds, e.graph))
    checkpoints = checkpoint_rounds(e.rounds, e.checkpoints)
    return policy, simulate(policy, stream, dataset.features, checkpoints, progress, saved_run)


def run_block(
    experiment: Experiment,
    seeds: Iterable[int],
    dataset: str | Path,
    code: str,
    curves: str | Path,
    record: str | Path,
    log: Callable[[str], None],
) -> None:
    """Run a block of seeds on a prepared dataset, and write curves and record.

    An interrupted block leaves a folder ``{curves}.part``. The next call resumes the unfinished
    seeds from their last saved states.

    Parameters
    ----------
    experiment : Experiment
    seeds : iterable of int
        Consecutive seeds.
    dataset : path
        As `horde.data.dataset.Dataset.save` wrote it.
    code : str
        Digest of the code; an interrupted run of other code starts from the beginning.
    curves : path
        Output file of the runs, as `horde.results.runs.save` writes it.
    record : path
        Output file in JSON: the provenance of the runs (experiment, data, code, keys of the random
        draws, machine). ``measured`` has the time and memory of each seed
        (`horde.machine.Stopwatch.record`); a resumed run counts from when it was resumed.
    log : callable
        Receives progress messages.

    Raises
    ------
    ConfigError, DataError
        If the hyper-parameters or the data do not allow it.
    """
    data, seeds = datasets.load(dataset), list(seeds)
    identity = {**asdict(experiment), "data": files.content(dataset), "code": code}
    parts = Path(f"{curves}.part")
    finished = [_finished(experiment, data, seed, identity, parts, log) for seed in seeds]
    found, learned, measured = (
        dict(zip(seeds, each, strict=True)) for each in zip(*finished, strict=True)
    )
    provenance = {
        "experiment": asdict(experiment),
        "code": code,
        "data": {"dataset": data.name, "content": identity["data"], "source": data.provenance},
        "draws": [key for seed in seeds for key in random.draw_keys(data.name, seed, _PURPOSES)],
        "machine": machine.describe(),
        "measured": [{"seed": seed, **measured[seed]} for seed in seeds],
    }
    files.write_json(record, provenance)
    runs.save(curves, found, learned)
    shutil.rmtree(parts, ignore_errors=True)


def _finished(
    experiment: Experiment,
    data: datasets.Dataset,
    seed: int,
    identity: dict,
    parts: Path,
    log: Callable[[str], None],
) -> tuple[Curve, dict[str, np.ndarray], dict]:
    """Return curve, learned arrays and measurements of a seed, run now or earlier."""
    key = files.digest({**identity, "seed": seed})
    path = parts / f"{seed}.npz"
    if path.exists() and (before := _read_part(path, key)):
        log(f"seed {seed}: already finished")
        return before
    log(f"seed {seed}")
    watch = machine.Stopwatch()
    saved = SavedRun(parts / f"{seed}.state.npz", key)
    policy, curve = run(
        experiment, data, seed, lambda played, rounds: log(f"{played} of {rounds} rounds"), saved
    )
    for note in policy.notes():
        log(note)
    measured = watch.record(experiment.rounds - saved.restored)
    learned = policy.learned()
    files.save_arrays(
        path,
        key=np.array(key),
        measured=np.array(json.dumps(measured)),
        **vars(curve),
        **files.nest("learned", learned),
    )
    saved.remove()
    return curve, learned, measured


def _read_part(path: Path, key: str) -> tuple[Curve, dict[str, np.ndarray], dict] | None:
    """Return what `_finished` wrote of this run; None if it is damaged or of another run."""
    try:
        arrays = files.load_arrays(path)
        if str(arrays["key"]) != key:
            return None
        curve = Curve(*(arrays[name] for name in ("rounds", "regret", "random_regret")))
        return curve, files.unnest("learned", arrays), json.loads(str(arrays["measured"]))
    except (DataError, KeyError, ValueError):
        return None
