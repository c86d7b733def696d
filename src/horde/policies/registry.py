"""Every policy by name: which rule over which posterior, imported only when asked for.

Rules and posteriors are named by strings, ``module:callable``, so that importing the registry
imports no policy, and an edit of one policy changes the code of that policy's results only.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

from horde.checks import nearest
from horde.errors import ConfigError

# The workflow imports the registry at every start, and the contract of a policy loads scipy.
if TYPE_CHECKING:
    from horde.policies.base import Policy


@dataclass(frozen=True)
class Entry:
    """How to make one policy.

    Attributes
    ----------
    policy : str
        ``module:class`` of the policy.
    posterior : str or None
        ``module:callable`` of what is passed to it as ``posterior``; None for a policy without.
    fixed : dict
        Hyper-parameters that make the policy what its name says, and those without use in it;
        they cannot be set.
    tunes : tuple of str
        Names of the hyper-parameters to be tuned.
    needs_graph : bool
        Whether the problem must have a precision.
    """

    policy: str
    posterior: str | None = None
    fixed: dict[str, object] = field(default_factory=dict)
    tunes: tuple[str, ...] = ()
    needs_graph: bool = False

    @property
    def modules(self) -> tuple[str, ...]:
        """Names of the modules whose code this policy is."""
        return tuple(path.partition(":")[0] for path in (self.policy, self.posterior) if path)


_UCB = "horde.policies.ucb:UCB"
_EPOCH_GREEDY = "horde.policies.epoch_greedy:EpochGreedy"
_THOMPSON = "horde.policies.thompson:Thompson"
_RIDGE = "horde.posteriors.ridge:Ridge"
_POOLED = "horde.posteriors.pooled:Pooled"
_GMRF = "horde.posteriors.gmrf:gmrf"

_GRAPH_LEARNING = "horde.policies.graph_learning:GraphLearning"

_EACH = {"shared": False}
_SINGLE = {"shared": True}
_MEAN_ONLY = {"widths": "schur", "sampler": "marginal"}
_UPPER = {"sampler": "marginal"}

POLICIES: dict[str, Entry] = {
    "Random": Entry("horde.policies.random:Random"),
    "Longest": Entry("horde.policies.longest:Longest"),
    "LINUCB-IND": Entry(_UCB, _RIDGE, _EACH, ("lam", "alpha")),
    "LINUCB-SIN": Entry(_UCB, _RIDGE, _SINGLE, ("lam", "alpha")),
    "EG-IND": Entry(_EPOCH_GREEDY, _RIDGE, _EACH, ("lam",)),
    "EG-SIN": Entry(_EPOCH_GREEDY, _RIDGE, _SINGLE, ("lam",)),
    "TS-IND": Entry(_THOMPSON, _RIDGE, _EACH, ("lam", "scale")),
    "TS-SIN": Entry(_THOMPSON, _RIDGE, _SINGLE, ("lam", "scale")),
    "M-UCB": Entry(_UCB, _POOLED, _EACH, ("lam", "alpha")),
    "M-EG": Entry(_EPOCH_GREEDY, _POOLED, _EACH, ("lam",)),
    "M-TS": Entry(_THOMPSON, _POOLED, _EACH, ("lam", "scale")),
    "CLUB": Entry("horde.policies.club:Club", tunes=("lam", "alpha", "alpha2")),
    "G-EG": Entry(_EPOCH_GREEDY, _GMRF, _MEAN_ONLY, ("lam",), needs_graph=True),
    "G-TS": Entry(_THOMPSON, _GMRF, {}, ("lam", "scale"), needs_graph=True),
    "GOBLIN": Entry(_UCB, _GMRF, _UPPER, ("lam", "alpha"), needs_graph=True),
    "GOBLIN++": Entry(
        _UCB,
        _GMRF,
        {"solver": "cg", "widths": "cg", "sampler": "marginal", "tolerance": None},
        ("lam", "alpha"),
        needs_graph=True,
    ),
    "L-EG": Entry(_GRAPH_LEARNING, _GMRF, _MEAN_ONLY | {"from_graph": False}, ("lam",)),
    "U-EG": Entry(
        _GRAPH_LEARNING, _GMRF, _MEAN_ONLY | {"from_graph": True}, ("lam",), needs_graph=True
    ),
}


def entry(name: str) -> Entry:
    """Return the entry of the policy `name`; ConfigError names the nearest one if there is none."""
    if name not in POLICIES:
        raise ConfigError(f"There is no policy {name!r}.{nearest(name, POLICIES)}")
    return POLICIES[name]


def params_of(name: str) -> tuple[str, ...]:
    """Return the names of the hyper-parameters that `make` accepts for the policy `name`."""
    found = entry(name)
    posterior = _parameters(found.posterior) if found.posterior else ()
    names = dict.fromkeys([*_parameters(found.policy), *posterior])
    return tuple(key for key in names if key != "posterior" and key not in found.fixed)


def make(name: str, **params: object) -> "Policy":
    """Make a policy that is yet to be started.

    Parameters
    ----------
    name : str
        A key of `POLICIES`.
    **params
        Hyper-parameters of its rule and of its posterior, by name.

    Returns
    -------
    Policy

    Raises
    ------
    ConfigError
        If there is no such policy, or it has no such hyper-parameter.
    """
    found = entry(name)
    allowed = params_of(name)
    for key in params:
        if key not in allowed:
            raise ConfigError(
                f"Policy {name!r} has no setting {key!r}.{nearest(key, allowed)} "
                f"Its settings are: {', '.join(allowed) or 'none'}."
            )
    params = params | found.fixed
    if found.posterior is None:
        return _load(found.policy)(**params)
    posterior = _load(found.posterior)(**_select(params, found.posterior))
    return _load(found.policy)(posterior, **_select(params, found.policy))


def _load(path: str) -> Callable:
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def _parameters(path: str) -> tuple[str, ...]:
    return tuple(inspect.signature(_load(path)).parameters)


def _select(params: dict[str, object], path: str) -> dict[str, object]:
    return {key: value for key, value in params.items() if key in _parameters(path)}
