"""What tuning chose: the grid, the choice among its points, and its file.

The workflow reads choices at every start, so this module loads no simulation.
"""

import math
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from horde import files
from horde.errors import ConfigError, DataError

Params = dict[str, float]
Scores = list[tuple[Params, list[float]]]

# Factors on the posterior's width: at 0 a policy always picks the best mean.
WIDTHS = ("alpha", "scale")


@dataclass(frozen=True)
class Choice:
    """The chosen hyper-parameters, and the scores of all candidates.

    Attributes
    ----------
    params : dict
        The point of the lowest mean score (the earliest of equal ones), or where `flat` the best
        point with the paper's lambda.
    score : float
        Its mean regret ratio over the validation streams.
    flat : bool
        Whether the lowest mean is at another lambda than the paper's, but not told apart from it:
        the paired mean of the best score at the paper's lambda minus the lowest is at most its
        standard error. Never with a single stream.
    edges : list of str
        Hyper-parameters, by name, chosen at the largest or smallest value tried, except towards 0,
        if 0 is a value of the grid.
    greedy : bool
        Whether the chosen width is 0, so that a policy by upper bounds or by samples always picks
        the best mean.
    scores : list of (dict, list of float)
        All points in grid order, each with its regret ratio on each validation stream.
    """

    params: Params
    score: float
    flat: bool
    edges: list[str]
    greedy: bool
    scores: Scores


def grid_points(grids: Mapping[str, Sequence[float]]) -> list[Params]:
    """Return all combinations of the values; the last hyper-parameter varies fastest.

    Raises
    ------
    ConfigError
        If a grid is empty.
    """
    for name, values in grids.items():
        if not values:
            raise ConfigError(f"tuning.grids.{name} is empty: list the values to try.")
    return [dict(zip(grids, values, strict=True)) for values in product(*grids.values())]


def choose(
    scores: Sequence[tuple[Params, Sequence[float]]], paper_lam: float | None = None
) -> Choice:
    """Choose the point of the lowest mean score, or the paper's lambda where that is as good.

    Parameters
    ----------
    scores : sequence of (dict, sequence of float)
        At least one grid point, each with its score on each validation stream, in grid order.
        All points have as many scores.
    paper_lam : float, optional
        The paper's lambda; without it, or if it was not tried, no choice is flat.
    """
    best = chosen = _lowest(scores)
    flat = False
    if at_paper := [entry for entry in scores if entry[0].get("lam", math.nan) == paper_lam]:
        paper = _lowest(at_paper)
        flat = paper[0]["lam"] != best[0]["lam"] and _within_error(paper[1], best[1])
        chosen = paper if flat else best
    params = chosen[0]
    return Choice(
        params,
        statistics.fmean(chosen[1]),
        flat,
        sorted(name for name in params if _at_edge(params[name], {p[name] for p, _ in scores})),
        any(params.get(name) == 0 for name in WIDTHS),
        [(point, list(each)) for point, each in scores],
    )


def _lowest(scores: Sequence[tuple[Params, Sequence[float]]]) -> tuple[Params, Sequence[float]]:
    return min(scores, key=lambda entry: statistics.fmean(entry[1]))


def _within_error(a: Sequence[float], b: Sequence[float]) -> bool:
    """Return whether the paired mean of a - b is at most its standard error."""
    differences = [each - other for each, other in zip(a, b, strict=True)]
    if len(differences) < 2:
        return False
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    return statistics.fmean(differences) <= error


def _at_edge(value: float, tried: set[float]) -> bool:
    """Return whether a value is at an end of several tried ones, unless the lower end is 0."""
    if len(tried) < 2 or value == 0:
        return False
    return value in (min(tried), max(tried))


def write(path: str | os.PathLike, choice: Choice) -> None:
    """Write a choice as JSON to ``.../{dataset}/{policy}.json``."""
    files.write_json(path, _content(path, choice))


def read(
    path: str | os.PathLike,
    grids: Mapping[str, Sequence[float]],
    paper_lam: float | None = None,
) -> Choice:
    """Read a choice that was made from `grids`, with the paper's lambda where it is as good.

    Raises
    ------
    DataError
        If the file is missing or damaged, or is not what `write` writes for the choice among all
        points of `grids`; names the file.
    """
    found = files.read_json(path)
    try:
        scores = [
            (dict(point), [float(score) for score in each]) for point, each in found["scores"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise _no_choice(path, f"it has no scores: {error}") from error
    if [point for point, _ in scores] != grid_points(grids):
        raise _no_choice(path, "its points are not those of tuning.grids")
    if len({len(each) for _, each in scores}) > 1 or not scores[0][1]:
        raise _no_choice(path, "its points have no equal numbers of scores")
    if not all(math.isfinite(score) for _, each in scores for score in each):
        raise _no_choice(path, "a score is not a finite number")
    choice = choose(scores, paper_lam)
    if found.get("of") != _place(path):
        raise _no_choice(path, f"it is that of {found.get('of')}")
    if files.canonical(found) != files.canonical(_content(path, choice)):
        raise _no_choice(path, f"by its scores, {choice.params} is chosen")
    return choice


def _content(path: str | os.PathLike, choice: Choice) -> dict:
    return {"of": _place(path), **asdict(choice)}


def _place(path: str | os.PathLike) -> str:
    return f"{Path(path).parent.name}/{Path(path).stem}"


def _no_choice(path: str | os.PathLike, fault: str) -> DataError:
    return DataError(f"{path} is not what tuning chose ({fault}); delete it and start again")
