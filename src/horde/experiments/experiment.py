"""One experiment: a policy with its settings plays one stream of one dataset."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from horde import files, machine, random
from horde.data import dataset as datasets
from horde.files import nest
from horde.policies import registry
from horde.policies.base import Policy
from horde.results import runs as curves
from horde.simulation.loop import Curve, SavedRun, simulate
from horde.simulation.stream import make_stream


@dataclass(frozen=True)
class Experiment:
    """What makes a run; two equal experiments on equal data give equal digits.

    Attributes
    ----------
    policy : str
        Name of the policy.
    params : dict
        Its hyper-parameters, as `horde.policies.registry.make` takes them.
    seed : int
        Seed of the stream and of the policy's draws.
    rounds, offered : int
        T and K.
    checkpoints : int
        Number of evenly spaced rounds at which regret is recorded.
    """

    policy: str
    params: dict
    seed: int
    rounds: int
    offered: int
    checkpoints: int


def checkpoint_rounds(rounds: int, checkpoints: int) -> np.ndarray:
    """Return `checkpoints` evenly spaced numbers of rounds, int64, the last one `rounds`."""
    return np.arange(1, checkpoints + 1, dtype=np.int64) * rounds // checkpoints


def started_policy(
    dataset: datasets.Dataset, name: str, params: dict, seed: int, rounds: int
) -> Policy:
    """Make the policy `name` and start it on `dataset`, its draws keyed by `seed`."""
    return registry.make(name, **params).start(dataset.problem(seed, rounds))


def run(
    experiment: Experiment,
    dataset: datasets.Dataset,
    progress: Callable[[int, int], None] | None = None,
    saved_run: SavedRun | None = None,
) -> Curve:
    """Run one experiment, from round 0 or from where `saved_run` left it.

    Raises
    ------
    ConfigError, DataError
        If the settings or the data do not allow it.
    """
    return _played(experiment, dataset, progress, saved_run)[1]


def _played(
    e: Experiment,
    dataset: datasets.Dataset,
    progress: Callable[[int, int], None] | None,
    saved_run: SavedRun | None,
) -> tuple[Policy, Curve]:
    stream = make_stream(dataset, e.seed, e.rounds, e.offered)
    policy = started_policy(dataset, e.policy, e.params, e.seed, e.rounds)
    checkpoints = checkpoint_rounds(e.rounds, e.checkpoints)
    return policy, simulate(policy, stream, dataset.features, checkpoints, progress, saved_run)


def run_to_files(
    experiment: Experiment,
    dataset: str | Path,
    code: str,
    curve: str | Path,
    record: str | Path,
    timing: str | Path,
    log: Callable[[str], None],
) -> None:
    """Run one experiment on a prepared dataset and write what it found.

    An interrupted run leaves ``{curve}.part`` and goes on from there.

    Parameters
    ----------
    experiment : Experiment
    dataset : path
        As `horde.data.dataset.Dataset.save` wrote it.
    code : str
        Digest of the code, for the record.
    curve, record, timing : path
        Written: the curve and what the policy keeps of the run (see `horde.results.runs`; its
        folder is named after the setting, tuned or paper), where it comes from (JSON), and
        what it took (JSON, see `horde.machine.Stopwatch.record`): of a run that went
        on from a saved state, the rounds and seconds since then.
    log : callable
        Told how far the run is.

    Raises
    ------
    ConfigError, DataError
        If the settings or the data do not allow it.
    """
    watch = machine.Stopwatch()
    data = datasets.load(dataset)
    identity = {**asdict(experiment), "data": files.content(dataset), "code": code}
    saved_run = SavedRun(f"{curve}.part", files.digest(identity))
    policy, result = _played(experiment, data, _told(log), saved_run)
    for note in policy.notes():
        log(note)
    files.write_json(timing, watch.record(experiment.rounds - saved_run.restored))
    files.write_json(record, _record(experiment, data, identity, result))
    arrays = vars(result) | nest("learned", policy.learned())
    curves.save(curve, _origin(experiment, identity, data.name, Path(curve)), **arrays)
    saved_run.remove()


def _origin(experiment: Experiment, identity: dict, dataset: str, curve: Path) -> curves.Origin:
    variant = curve.parent.name
    stream = ("data", "rounds", "offered", "checkpoints")
    return curves.Origin(
        run=f"{dataset}/{experiment.policy}/{variant}/{experiment.seed}",
        experiment=files.digest({key: identity[key] for key in identity if key != "seed"}),
        stream=files.digest({key: identity[key] for key in stream}),
    )


def _told(log: Callable[[str], None]) -> Callable[[int, int], None]:
    return lambda played, rounds: log(f"{played} of {rounds} rounds")


def _record(experiment: Experiment, data: datasets.Dataset, identity: dict, result: Curve) -> dict:
    purposes = ("stream", "exploration", "posterior", "club_graph")
    return {
        "experiment": asdict(experiment),
        "settings_digest": files.digest(asdict(experiment)),
        "code_digest": identity["code"],
        "data": {"dataset": data.name, "content": identity["data"], "source": data.provenance},
        "draws": random.draw_keys(data.name, experiment.seed, purposes),
        "final": {
            "regret": float(result.regret[-1]),
            "random_regret": float(result.random_regret[-1]),
        },
        "machine": machine.describe(),
    }
