"""What Figure 1 measures: sizes crossed with series, as the configuration lists them.

A *sweep* crosses numbers of users, of features and of edges with *series*, each a policy with a
solver. No more than names and numbers are handled here.
"""

from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, order=True)
class Place:
    """One size of the problem.

    Attributes
    ----------
    n_users : int
        Number of users n.
    density : float
        Expected share of linked pairs.
    n_features : int
        Number of features d.
    """

    n_users: int
    density: float
    n_features: int


def places(sweep: dict) -> list[Place]:
    """Return the sizes of one sweep: all combinations of users, density or degree, and features."""
    found = []
    for n, d in product(sweep["users"], sweep["features"]):
        densities = sweep["density"] or [degree / (n - 1) for degree in sweep["degree"]]
        found += [Place(n, density, d) for density in densities]
    return found


def points(sweeps: list[dict]) -> dict[Place, list[tuple[str, str]]]:
    """Return what to measure at each size, (policy, solver), each once; sizes ascend."""
    found: dict[Place, dict] = {}
    for sweep in sweeps:
        for place in places(sweep):
            for policy, solvers in sweep["series"].items():
                found.setdefault(place, {}).update({(policy, solver): None for solver in solvers})
    return {place: list(found[place]) for place in sorted(found)}


def series_of(sweeps: list[dict]) -> list[tuple[str, str]]:
    """Return the series of all sweeps, (policy, solver), each once."""
    return list(dict.fromkeys(each for listed in points(sweeps).values() for each in listed))


def policies(sweeps: list[dict]) -> list[str]:
    """Return the names of the policies that sweeps measure, sorted."""
    return sorted({policy for sweep in sweeps for policy in sweep["series"]})
