"""The paper's claims and the rules that judge them, read from `workflow/claims.yaml`.

Each claim lists the inputs of its rules: runs, tables, and tuning.
"""

import itertools
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import numpy as np
import yaml

from horde.errors import ConfigError

REGRET_RULES = ("less", "equivalent", "similar_or_less", "growth")
TIMED_RULES = ("factor", "slope")
TABLE_RULES = (*TIMED_RULES, "bound", "minimiser")

# The tables that rules read, with their paths in a run's folder.
TABLES = {
    "scalability": "timing/scalability.csv",
    "tuning": "summary/tuning.csv",
    "picks": "summary/picks.csv",
    "trace_bound": "summary/trace_bound.csv",
    "counterparts": "summary/counterparts.csv",
    "graph_learning": "timing/graph_learning.csv",
}

# Number of rounds at which `growth` fits its slope, evenly spaced in logarithm.
GROWTH_POINTS = 30

_ROW_KEYS = ("where", "a", "b")
_LIST_KEYS = ("dataset", "policy", "a", "b")
_SIDE_DEFAULTS = {"variant": "tuned", "over": [0, 1]}
# LibYAML is ten times faster, but not every build of PyYAML includes it.
YamlLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Runs(NamedTuple):
    """Runs that differ only in their seed."""

    dataset: str
    policy: str
    variant: str


class Side(NamedTuple):
    """One side of a rule on regret: its runs, and the part of their rounds."""

    runs: Runs
    shares: tuple[float, ...]

    @property
    def is_whole(self) -> bool:
        """Return whether the rule needs only the last round."""
        return self.shares == (0, 1)

    def __str__(self) -> str:
        """Return the name of the runs, with the part of rounds if it is not the whole run."""
        dataset, policy, variant = self.runs
        named = policy if variant == "tuned" else f"{policy} ({variant})"
        part = "" if self.is_whole else f" over {self.shares[0]:g} to {self.shares[-1]:g}"
        return f"{named} on {dataset}{part}"


@dataclass(frozen=True)
class Rule:
    """One rule, with all lists expanded.

    Attributes
    ----------
    kind : str
        One of `REGRET_RULES` or `TABLE_RULES`.
    spec : dict
        Its keys and values in the file of claims.
    """

    kind: str
    spec: dict[str, Any]

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """Return the sides a and b, if present, of a rule on regret; empty for other rules."""
        if self.kind not in REGRET_RULES:
            return ()
        return tuple(self._side(self.spec[key]) for key in ("a", "b") if key in self.spec)

    def _side(self, named: str | dict[str, Any]) -> Side:
        """Complete a side with the rule's own policy, dataset, variant and part of the run."""
        named = named if isinstance(named, dict) else {"policy": named}
        full = {**_SIDE_DEFAULTS, **self.spec, **named}
        over = full["over"]
        shares = np.geomspace(*over, GROWTH_POINTS).tolist() if self.kind == "growth" else over
        return Side(Runs(full["dataset"], full["policy"], full["variant"]), tuple(shares))


@dataclass(frozen=True)
class Claim:
    """One claim of the paper.

    Attributes
    ----------
    name : str
        Its number: S1, R1, ...
    statement, source, statistic : str
        What the paper says, where it says so, and what is measured.
    figure : str or None
        Name of the figure that shows it.
    seeds : str or None
        Kind of fresh seeds: ``verdict`` or ``learning``; None if a table judges the claim.
    rules : tuple of Rule
        The claim holds if all rules are met.
    reading : str
        Difference of an alternative reading; empty for the claim itself.
    alternative : Claim or None
        The same claim in its alternative reading.
    """

    name: str
    statement: str
    source: str
    statistic: str
    figure: str | None
    seeds: str | None
    rules: tuple[Rule, ...]
    reading: str = ""
    alternative: "Claim | None" = None

    @property
    def timed(self) -> bool:
        """Return whether measured times judge it, so that its numbers differ between machines."""
        return any(rule.kind in TIMED_RULES for rule in self.rules)

    @property
    def sides(self) -> list[Side]:
        """Return the sides of all its rules on regret."""
        return [side for rule in self.rules for side in rule.sides]


def load(path: str | os.PathLike) -> dict[str, Claim]:
    """Read a file of claims.

    Parameters
    ----------
    path : path
        YAML; `workflow/claims.yaml` explains its form.

    Returns
    -------
    dict of str to Claim
        In the order of the file.

    Raises
    ------
    ConfigError
        If the file is missing, is not YAML, or a claim or rule is not of a known form; names
        the place.
    """
    try:
        content = yaml.load(Path(path).read_bytes(), Loader=YamlLoader)
    except (OSError, yaml.YAMLError) as error:
        raise ConfigError(
            f"{path} can't be read as YAML ({error}); check the path, or correct the line"
        ) from error
    return parse(content)


def parse(content: Any) -> dict[str, Claim]:
    """Check claims given as dicts and lists, and expand the lists in their rules.

    Raises
    ------
    ConfigError
        As `load`.
    """
    schema = json.loads(
        resources.files("horde.verdict").joinpath("claims_schema.json").read_bytes()
    )
    errors = jsonschema.Draft202012Validator(schema).iter_errors(content)
    if error := jsonschema.exceptions.best_match(errors):
        place = ".".join(map(str, error.absolute_path)) or "the file"
        raise ConfigError(
            f"claims, {place}: {error.message}; the comments at the top of the file show the form"
        )
    return {name: _claim(name, entry) for name, entry in content.items()}


def _claim(name: str, entry: dict[str, Any]) -> Claim:
    rules = tuple(
        Rule(kind, single)
        for part in entry["rule"].get("all", [entry["rule"]])
        for kind, spec in part.items()
        for single in _without_lists(spec)
    )
    if entry["seeds"] is None and any(rule.kind in REGRET_RULES for rule in rules):
        raise ConfigError(f"claims, {name}.seeds: a rule on regret needs verdict or learning seeds")
    texts = {key: entry[key].strip() for key in ("statement", "source", "statistic")}
    claim = Claim(name, **texts, figure=entry["figure"], seeds=entry["seeds"], rules=rules)
    if "alternative" not in entry:
        return claim
    if any(rule.kind not in TABLE_RULES for rule in rules):
        raise ConfigError(
            f"claims, {name}.alternative: only rules on tables can have an alternative reading"
        )
    reading, rows = entry["alternative"]["reading"], entry["alternative"]["rows"]
    others = tuple(_with_other_rows(rule, rows) for rule in rules)
    if others == rules:
        raise ConfigError(f"claims, {name}.alternative.rows: no rule reads such rows")
    return replace(claim, alternative=replace(claim, rules=others, reading=reading))


def _without_lists(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one spec for each combination of the entries of the lists in `spec`."""
    lists = {key: spec[key] for key in _LIST_KEYS if isinstance(spec.get(key), list)}
    return [
        {**spec, **dict(zip(lists, choice, strict=True))}
        for choice in itertools.product(*lists.values())
    ]


def _with_other_rows(rule: Rule, rows: list[dict[str, Any]]) -> Rule:
    """Return a rule on a table with other rows; the first matching entry of `rows` counts."""
    selected = {key: value for key, value in rule.spec.items() if key in _ROW_KEYS}
    for key, named in selected.items():
        fitting = (row["take"] for row in rows if row["of"].items() <= named.items())
        selected[key] = {**named, **next(fitting, {})}
    return Rule(rule.kind, {**rule.spec, **selected})


def select(claims: Mapping[str, Claim], names: Iterable[str]) -> list[Claim]:
    """Return the claims of these names (``R4``) or letters (``R``), in the order of `claims`.

    Raises
    ------
    ConfigError
        If a name matches no claim.
    """
    names = list(names)
    for name in names:
        if name not in claims and name not in {claim[0] for claim in claims}:
            raise ConfigError(
                f"verdict.claims: there is no claim {name!r}; give names (R4) or letters (R)"
            )
    return [claim for name, claim in claims.items() if name in names or name[0] in names]


def needed_runs(claims: Iterable[Claim]) -> dict[Runs, set[str]]:
    """Return the runs that the claims compare, in order, with their kinds of seeds."""
    needed: dict[Runs, set[str]] = {}
    for claim in claims:
        for side in claim.sides:
            needed.setdefault(side.runs, set()).add(claim.seeds)
    return needed


def needed_tables(claims: Iterable[Claim]) -> list[str]:
    """Return the distinct names of the tables that the claims read, in order."""
    rules = [rule for claim in claims for rule in claim.rules if rule.kind in TABLE_RULES]
    return list(dict.fromkeys(rule.spec["table"] for rule in rules))


def needed_tuning(claims: Iterable[Claim]) -> list[tuple[str, str]]:
    """Return the distinct (dataset, policy) whose tuning the claims read, in order."""
    specs = [rule.spec for claim in claims for rule in claim.rules if rule.kind == "minimiser"]
    return list(dict.fromkeys((spec["dataset"], spec["policy"]) for spec in specs))
