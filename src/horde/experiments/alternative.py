"""The policies of one alternative on one dataset: tuned if need be, then run on several seeds."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from horde.experiments.batch import run_seeds
from horde.experiments.experiment import Experiment
from horde.experiments.validation import Validation, tune


@dataclass(frozen=True)
class Task:
    """What one policy is to do.

    Attributes
    ----------
    experiment : dict
        Fields of `horde.experiments.experiment.Experiment`, without what tuning chooses.
    validation : dict
        Fields of `horde.experiments.validation.Validation`.
    grids : dict of list
        Values to try; empty for a policy without hyper-parameters.
    changes : dict
        Settings that come before those that tuning chooses.
    codes : mapping of str to str
        Digests of the code: ``tune`` and ``run``.
    """

    experiment: dict
    validation: dict
    grids: dict[str, list[float]]
    changes: dict
    codes: Mapping[str, str]


def run(
    tasks: Iterable[Task],
    seeds: Iterable[int],
    dataset: str | Path,
    folders: Mapping[str, str],
    log: Callable[[str], None],
) -> list[Path]:
    """Tune and run the tasks' policies.

    Parameters
    ----------
    tasks : iterable of Task
    seeds : iterable of int
    dataset : path
        As `horde.data.dataset.Dataset.save` wrote it.
    folders : mapping of str to str
        ``points``, ``runs`` and ``timing``: where scores, curves and times are kept; what is there
        is not computed again. In the latter two, ``POLICY`` stands for the policy's name.
    log : callable
        Told how far it is.

    Returns
    -------
    list of Path
        The curves, policy by policy.
    """
    seeds, curves = list(seeds), []
    for task in tasks:
        name = task.experiment["policy"]
        log(name)
        chosen = _chosen(task, dataset, folders["points"], log)
        params = dict(sorted({**task.experiment["params"], **chosen, **task.changes}.items()))
        experiment = Experiment(**(task.experiment | {"params": params}))
        places = [folders[kind].replace("POLICY", name) for kind in ("runs", "timing")]
        curves += run_seeds(experiment, seeds, dataset, task.codes["run"], *places, log)
    return curves


def _chosen(task: Task, dataset: str | Path, points: str, log: Callable[[str], None]) -> dict:
    if not task.grids:
        return {}
    validation = Validation(**task.validation)
    return tune(validation, task.grids, dataset, task.codes["tune"], points, log).params
