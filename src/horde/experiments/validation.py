"""Tuning of one policy on one dataset, each grid point's score stored by its content."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from horde import files
from horde.data import dataset as datasets
from horde.errors import DataError
from horde.experiments import choices, tuning
from horde.simulation.stream import make_stream


@dataclass(frozen=True)
class Validation:
    """What a score depends on, beside the grid point, the data and the code.

    Attributes
    ----------
    policy : str
        Name of the policy.
    params : dict
        Those of its settings that are not tuned.
    seed : int
        Seed of the validation stream and of the policy's draws.
    rounds, offered : int
        Rounds of the validation stream, and items K offered in each.
    """

    policy: str
    params: dict
    seed: int
    rounds: int
    offered: int


def tune(
    validation: Validation,
    grids: dict[str, list[float]],
    dataset: str | Path,
    code: str,
    points: str | Path,
    log: Callable[[str], None],
) -> choices.Choice:
    """Score every grid point that has not been scored before, and choose.

    Parameters
    ----------
    validation : Validation
    grids : dict of list
        Values to try of each tuned hyper-parameter.
    dataset : path
        As `horde.data.dataset.Dataset.save` wrote it.
    code : str
        Digest of the code: scores of other code do not count.
    points : path
        Folder of the stored scores, one file a point, named by the digest of its content.
    log : callable
        Told of each point.

    Returns
    -------
    horde.experiments.choices.Choice

    Raises
    ------
    ConfigError, DataError
        If a setting or the data do not allow it.
    """
    data = datasets.load(dataset)
    v = validation
    stream = make_stream(data, v.seed, v.rounds, v.offered, purpose="validation")
    problem = data.problem(v.seed, v.rounds)
    identity = {**asdict(v), "data": files.content(dataset), "code": code}

    def score(point: dict) -> float:
        key = {**identity, "point": point}
        stored = Path(points) / f"{files.digest(key)}.json"
        if stored.exists():
            return _stored(stored, key)
        params = v.params | point
        found = tuning.score_point(v.policy, params, problem, stream, data.features)
        whole = {**key, "score": found}
        files.write_json(stored, whole | {"digest": files.digest(whole)})
        log(f"{point}: {found:.6g}")
        return found

    return choices.choose(
        [(point, score(point)) for point in choices.grid_points(grids, tuple(grids))]
    )


def _stored(path: Path, key: dict) -> float:
    """Return a stored score, if the file holds what it was stored for."""
    found = files.read_json(path)
    score = found.get("score") if isinstance(found, dict) else None
    whole = {**key, "score": score}
    if score is None or found != whole | {"digest": files.digest(whole)}:
        raise DataError(f"{path} is not the score of {key['point']}; delete it and start again")
    return score
