"""The series of Figure 1: a policy with a solver, and the settings that this means."""

from collections.abc import Iterator

from horde.policies import registry


def params_of(policy: str, solver: str, values: dict) -> dict:
    """Return the settings of a series.

    Parameters
    ----------
    policy : str
        A key of `horde.policies.registry.POLICIES`.
    solver : {"cg", "local", "dense", "none"}
        ``cg`` is the paper's way, with its sampler; ``none`` stands for policies without a graph.
    values : dict
        The configuration's ``paper_values``.

    Returns
    -------
    dict
        As `horde.policies.registry.make` takes them.
    """
    entry = registry.entry(policy)
    ways = {
        "none": {},
        "cg": {name: values[name] for name in ("iterations", "sampler")} | {"solver": "cg"},
        "local": {"solver": "local", "sampler": "marginal"},
        "dense": {"solver": "dense"},
    }
    chosen = {name: values[name] for name in entry.tunes} | ways[solver]
    if entry.tunes:
        chosen["sigma"] = values["sigma"]
    return {name: value for name, value in chosen.items() if name not in entry.fixed}


def mistakes(sweep: dict) -> Iterator[str]:
    """Yield what is wrong with a sweep though every value by itself is right."""
    if (sweep["density"] is None) == (sweep["degree"] is None):
        yield "give either density or degree, and null for the other"
    for policy, solvers in sweep["series"].items():
        entry = registry.POLICIES.get(policy)
        if entry is None:
            yield f"series.{policy}: no such policy; there are {', '.join(registry.POLICIES)}"
            continue
        possible = ("cg", "local", "dense") if entry.needs_graph else ("none",)
        possible = (entry.fixed["solver"],) if "solver" in entry.fixed else possible
        for solver in solvers:
            if solver not in possible:
                yield f"series.{policy}: {solver} is none of its solvers: {', '.join(possible)}"
