"""What evidence claims rest on: which runs, which tuning and which tables."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from horde.errors import ConfigError
from horde.verdict.claims import REGRET_RULES, Claim, Rule, side_of

# The tables that claims name, and where they lie in a run's folder.
TABLES = {
    "scalability": "timing/scalability.csv",
    "tuning": "summary/tuning.csv",
    "picks": "summary/picks.csv",
    "trace_bound": "summary/trace_bound.csv",
    "counterparts": "summary/counterparts.csv",
    "graph_learning": "timing/graph_learning.csv",
}


class Runs(NamedTuple):
    """Runs that differ in their seed only."""

    dataset: str
    policy: str
    variant: str


def select(claims: Mapping[str, Claim], names: Iterable[str]) -> list[Claim]:
    """Return the claims of these names (``R4``) or letters (``R``), in the order of `claims`.

    Raises
    ------
    ConfigError
        If a name fits no claim.
    """
    names = list(names)
    for name in names:
        if name not in claims and name not in {claim[0] for claim in claims}:
            raise ConfigError(f"verdict.claims: there is no claim {name!r}")
    return [claim for name, claim in claims.items() if name in names or name[0] in names]


def runs(claims: Iterable[Claim]) -> dict[Runs, set[str]]:
    """Return the runs that the claims compare, each with its kinds of seeds, in order."""
    asked: dict[Runs, set[str]] = {}
    for claim in claims:
        for side in sides(claim):
            asked.setdefault(side, set()).add(claim.seeds)
    return asked


def sides(claim: Claim) -> list[Runs]:
    """Return the runs that one claim compares, each once; none for a claim on tables."""
    return list(dict.fromkeys(runs for rule in claim.rules for runs, _ in compared(rule)))


def compared(rule: Rule) -> list[tuple[Runs, dict[str, Any]]]:
    """Return the runs on each side of a rule, and what it says of that side."""
    if rule.kind not in REGRET_RULES:
        return []
    found = [side_of(rule.spec, key) for key in ("a", "b") if key in rule.spec]
    return [(Runs(side["dataset"], side["policy"], side["variant"]), side) for side in found]


def tables(claims: Iterable[Claim]) -> list[str]:
    """Return the names of the tables that the claims read, each once, in order."""
    return list(
        dict.fromkeys(rule.spec["table"] for c in claims for rule in c.rules if _reads(rule))
    )


def tuned(claims: Iterable[Claim]) -> list[tuple[str, str]]:
    """Return (dataset, policy) of the tuning that the claims read, each once, in order."""
    rules = [rule.spec for c in claims for rule in c.rules if rule.kind == "minimiser"]
    return list(dict.fromkeys((spec["dataset"], spec["policy"]) for spec in rules))


def _reads(rule) -> bool:
    return rule.kind not in REGRET_RULES
