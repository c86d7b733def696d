"""The points of Figure 1: combinations of sizes and series, as listed in the configuration.

A *sweep* combines numbers of users, of features and of edges with *series*. A series is a policy
with a solver.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from horde.policies import registry

# Further solvers of policies, as baselines (`horde.timing.baselines`).
BASELINES = {
    "GOBLIN": ("numpy", "inverse"),
    "CLUB": ("anew",),
    "LINUCB-IND": ("cg",),
    "EG-IND": ("cg",),
    "TS-IND": ("cg",),
}
# With solver cg, independent policies are these, on a graph without edges: L = I.
_WITHOUT_EDGES = {"LINUCB-IND": "GOBLIN", "EG-IND": "G-EG", "TS-IND": "G-TS"}


class Place(NamedTuple):
    """One size of the problem.

    Attributes
    ----------
    n_users : int
        Number of users n.
    density : float
        Expected share of joined pairs of users.
    n_features : int
        Number of features d.
    """

    n_users: int
    density: float
    n_features: int


def places(sweep: dict) -> list[Place]:
    """Return the sizes of a sweep: all combinations of users, density or degree, and features."""
    found = []
    for n, d in product(sweep["users"], sweep["features"]):
        densities = sweep["density"] or [degree / (n - 1) for degree in sweep["degree"]]
        found += [Place(n, density, d) for density in densities]
    return found


def points(sweeps: list[dict]) -> dict[Place, list[tuple[str, str]]]:
    """Return the distinct series (policy, solver) to measure at each size; sizes ascend."""
    found: dict[Place, dict] = {}
    for sweep in sweeps:
        for place in places(sweep):
            for policy, solvers in sweep["series"].items():
                found.setdefault(place, {}).update({(policy, solver): None for solver in solvers})
    return {place: list(found[place]) for place in sorted(found)}


def series_of(sweeps: list[dict]) -> list[tuple[str, str]]:
    """Return the distinct series (policy, solver) of all sweeps."""
    return list(dict.fromkeys(each for listed in points(sweeps).values() for each in listed))


def policies(sweeps: list[dict]) -> list[str]:
    """Return the sorted names of the measured policies, and of those that baselines are made of."""
    series = series_of(sweeps)
    return sorted({name for each in series for name in (each[0], measured_as(*each))})


def measured_as(policy: str, solver: str | None) -> str:
    """Return the policy of the registry whose hyper-parameters a series takes."""
    return _WITHOUT_EDGES.get(policy, policy) if solver == "cg" else policy


def params_of(policy: str, solver: str, values: dict) -> dict:
    """Return the hyper-parameters of a series.

    Parameters
    ----------
    policy : str
        A key of `horde.policies.registry.POLICIES`.
    solver : {"cg", "local", "dense", "none"} or one of `BASELINES`
        ``cg`` includes the paper's sampler; ``none`` is for policies without a graph.
    values : dict
        The configuration's ``paper_values``.

    Returns
    -------
    dict
        As `horde.timing.baselines.make` takes them.
    """
    entry = registry.entry(measured_as(policy, solver))
    by_solver = {
        "none": {},
        "cg": {name: values[name] for name in ("iterations", "sampler")} | {"solver": "cg"},
        "local": {"solver": "local", "sampler": "marginal"},
        "dense": {"solver": "dense"},
    }
    own = by_solver.get(solver, {"solver": solver})
    chosen = {name: values[name] for name in entry.tunes} | own
    if entry.tunes:
        chosen["sigma"] = values["sigma"]
    return {name: value for name, value in chosen.items() if name not in entry.fixed}


def mistakes(sweep: dict) -> Iterator[str]:
    """Yield a message for each value of a sweep that contradicts another or the registry."""
    if (sweep["density"] is None) == (sweep["degree"] is None):
        yield "give either density or degree, and null for the other"
    for policy, solvers in sweep["series"].items():
        entry = registry.POLICIES.get(policy)
        if entry is None:
            yield f"series.{policy}: no such policy; there are {', '.join(registry.POLICIES)}"
            continue
        possible = ("cg", "local", "dense") if entry.needs_graph else ("none",)
        possible = (entry.fixed["solver"],) if "solver" in entry.fixed else possible
        possible += BASELINES.get(policy, ())
        for solver in solvers:
            if solver not in possible:
                yield f"series.{policy}: {solver} is not one of its solvers: {', '.join(possible)}"
