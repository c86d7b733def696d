"""Horde of Bandits: contextual bandits that share what they learn through a social graph.

`FACE` lists the public names. A name is imported on first use, so ``import horde`` is fast.
"""

from importlib import import_module

__version__ = "1.0.0"

# Public name -> its module and its name there. Plain strings, because digests of a job's code
# follow imports: real imports here would add every module to every job.
FACE = {
    "POLICIES": "horde.policies.registry:POLICIES",
    "Checked": "horde.policies.checked:Checked",
    "ConfigError": "horde.errors:ConfigError",
    "DataError": "horde.errors:DataError",
    "HordeError": "horde.errors:HordeError",
    "Policy": "horde.policies.base:Policy",
    "Precision": "horde.graph.precision:Precision",
    "Problem": "horde.problem:Problem",
    "Stream": "horde.simulation.stream:Stream",
    "adjacency": "horde.graph.precision:adjacency",
    "draws": "horde.random:draws",
    "laplacian": "horde.graph.precision:laplacian",
    "load_dataset": "horde.data.dataset:load",
    "make": "horde.policies.registry:make",
    "make_stream": "horde.simulation.stream:make_stream",
    "params_of": "horde.policies.registry:params_of",
    "simulate": "horde.simulation.loop:simulate",
}
__all__ = [*FACE]


def __getattr__(name: str) -> object:
    """Import one of the public names."""
    if name not in FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = FACE[name].partition(":")
    found = globals()[name] = getattr(import_module(module), attribute)
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *FACE])
