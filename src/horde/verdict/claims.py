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

REGRET_RULES = ("less", "equivalent", "similar_or_less", "no_worse", "growth")
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


class Status(NamedTuple):
    """Version of the rules, and whether they are still a draft, by which no claim is confirmed."""

    version: int
    draft: bool


class Before(NamedTuple):
    """The verdict by the former version of a claim's rule, and what changed since, and why."""

    verdict: str
    change: str


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
    statement, quote, source, statistic : str
        What the paper says, in our words and in its own (empty: not quoted), where it says so, and
        what is measured.
    figure : str or None
        Name of the figure that shows it.
    seeds : str or None
        Kind of fresh seeds: ``verdict`` or ``learning``; None if no seed of its own judges it.
    number : int or None
        How many of these seeds judge it; None for all.
    rules : tuple of Rule
        The claim holds if all rules are met. Without rules it cannot be judged.
    before : Before or None
        The former version's verdict; None for a new claim.
    reading : str
        Difference of an alternative reading; empty for the claim itself.
    alternatives : tuple of Claim
        The same claim in its alternative readings.
    """

    name: str
    statement: str
    quote: str
    source: str
    statistic: str
    figure: str | None
    seeds: str | None
    number: int | None
    rules: tuple[Rule, ...]
    before: Before | None = None
    reading: str = ""
    alternatives: "tuple[Claim, ...]" = ()

    @property
    def timed(self) -> bool:
        """Return whether measured times judge it, so that its numbers differ between machines."""
        return any(rule.kind in TIMED_RULES for rule in self.rules)

    @property
    def on_regret(self) -> bool:
        """Return whether all its rules are on regret."""
        return all(rule.kind in REGRET_RULES for rule in self.rules)

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
    return parse(_read(path))


def status(path: str | os.PathLike) -> Status:
    """Return the version of a file of claims, and whether it is a draft.

    Raises
    ------
    ConfigError
        As `load`.
    """
    content = _checked(_read(path))
    return Status(content["version"], content["status"] == "draft")


def parse(content: Any) -> dict[str, Claim]:
    """Check claims given as dicts and lists, and expand the lists in their rules.

    Raises
    ------
    ConfigError
        As `load`.
    """
    entries = _checked(content)["claims"]
    together = {name: entry["rule"].get("together") for name, entry in entries.items()}
    found = {name: _claim(name, entry) for name, entry in entries.items() if not together[name]}
    for name, spec in together.items():
        if spec:
            joined = [rule for claim in select(found, spec["claims"]) for rule in claim.rules]
            rules = tuple(_with_other_runs(rule, spec["rows"]) for rule in joined)
            found[name] = _claim(name, entries[name], rules)
    return {name: found[name] for name in entries}


def _read(path: str | os.PathLike) -> Any:
    try:
        return yaml.load(Path(path).read_bytes(), Loader=YamlLoader)
    except (OSError, yaml.YAMLError) as error:
        raise ConfigError(
            f"{path} can't be read as YAML ({error}); check the path, or correct the line"
        ) from error


def _checked(content: Any) -> dict[str, Any]:
    schema = json.loads(
        resources.files("horde.verdict").joinpath("claims_schema.json").read_bytes()
    )
    errors = jsonschema.Draft202012Validator(schema).iter_errors(content)
    if error := jsonschema.exceptions.best_match(errors):
        place = ".".join(map(str, error.absolute_path)).removeprefix("claims.") or "the file"
        raise ConfigError(
            f"claims, {place}: {error.message}; the comments at the top of the file show the form"
        )
    return content


def _claim(name: str, entry: dict[str, Any], rules: tuple[Rule, ...] | None = None) -> Claim:
    """Return a claim with the rules of its entry, or with others."""
    rules = _expanded(entry["rule"]) if rules is None else rules
    if entry["seeds"] is None and any(rule.kind in REGRET_RULES for rule in rules):
        raise ConfigError(f"claims, {name}.seeds: a rule on regret needs verdict or learning seeds")
    texts = {
        key: entry.get(key, "").strip() for key in ("statement", "quote", "source", "statistic")
    }
    before = Before(**entry["before"]) if "before" in entry else None
    seeds = {"seeds": entry["seeds"], "number": entry.get("number")}
    claim = Claim(name, **texts, figure=entry["figure"], **seeds, rules=rules, before=before)
    readings = entry.get("alternative", [])
    return replace(
        claim,
        alternatives=tuple(
            _read_otherwise(claim, given)
            for given in ([readings] if isinstance(readings, dict) else readings)
        ),
    )


def _expanded(rule: dict[str, Any]) -> tuple[Rule, ...]:
    return tuple(
        Rule(kind, single)
        for part in rule.get("all", [rule])
        for kind, spec in part.items()
        for single in _without_lists(spec)
    )


def _read_otherwise(claim: Claim, given: dict[str, Any]) -> Claim:
    """Return a claim in an alternative reading: by another rule, or by other rows or runs."""
    if "rule" in given:
        others = _expanded(given["rule"])
    else:
        others = tuple(
            (_with_other_rows if rule.kind in TABLE_RULES else _with_other_runs)(
                rule, given["rows"]
            )
            for rule in claim.rules
        )
    if others == claim.rules:
        raise ConfigError(f"claims, {claim.name}.alternative.rows: no rule reads such rows")
    return replace(claim, rules=others, reading=given["reading"])


def _without_lists(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one spec for each combination of the entries of the lists in `spec`."""
    lists = {key: spec[key] for key in _LIST_KEYS if isinstance(spec.get(key), list)}
    return [
        {**spec, **dict(zip(lists, choice, strict=True))}
        for choice in itertools.product(*lists.values())
    ]


def _with_other_rows(rule: Rule, rows: list[dict[str, Any]]) -> Rule:
    """Return a rule on a table with other rows; the first matching entry of `rows` counts."""
    selected = {
        key: named | _taken(rows, named) for key, named in rule.spec.items() if key in _ROW_KEYS
    }
    return Rule(rule.kind, rule.spec | selected)


def _with_other_runs(rule: Rule, rows: list[dict[str, Any]]) -> Rule:
    """Return a rule on regret with other runs; the first matching entry of `rows` counts."""
    selected = {}
    for key, side in zip((key for key in "ab" if key in rule.spec), rule.sides, strict=True):
        runs = side.runs._asdict()
        if taken := _taken(rows, runs):
            named = rule.spec[key] if isinstance(rule.spec[key], dict) else {}
            selected[key] = named | runs | taken
    return Rule(rule.kind, rule.spec | selected)


def _taken(rows: list[dict[str, Any]], named: dict[str, Any]) -> dict[str, Any]:
    """Return what the first entry of `rows` whose `of` fits takes instead; empty without one."""
    return next((row["take"] for row in rows if row["of"].items() <= named.items()), {})


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


def needed_runs(claims: Iterable[Claim]) -> dict[Runs, dict[str, int | None]]:
    """Return the runs that the claims compare, in order.

    Each with the kinds of its seeds, and how many of each; None for all.
    """
    needed: dict[Runs, dict[str, int | None]] = {}
    for claim in claims:
        for side in claim.sides:
            numbers = needed.setdefault(side.runs, {})
            before = numbers.get(claim.seeds, 0)
            all_of_them = before is None or claim.number is None
            numbers[claim.seeds] = None if all_of_them else max(before, claim.number)
    return needed


def timed_runs(claims: Iterable[Claim]) -> dict[Runs, tuple[str, int | None]]:
    """Return the runs whose seconds the claims compare, with kind and number of their seeds.

    They are the sides of rules on the table ``graph_learning`` of claims that have seeds.
    """
    return {
        Runs(rule.spec["where"]["dataset"], **rule.spec[key]): (claim.seeds, claim.number)
        for claim in claims
        if claim.seeds
        for rule in claim.rules
        if rule.spec.get("table") == "graph_learning"
        for key in ("a", "b")
    }


def needed_tables(claims: Iterable[Claim]) -> list[str]:
    """Return the distinct names of the tables that the claims read, in order."""
    rules = [rule for claim in claims for rule in claim.rules if rule.kind in TABLE_RULES]
    return list(dict.fromkeys(rule.spec["table"] for rule in rules))


def needed_tuning(claims: Iterable[Claim]) -> list[tuple[str, str]]:
    """Return the distinct (dataset, policy) whose tuning the claims read, in order."""
    specs = [rule.spec for claim in claims for rule in claim.rules if rule.kind == "minimiser"]
    return list(dict.fromkeys((spec["dataset"], spec["policy"]) for spec in specs))
