"""The paper's claims and their rules, read from a file and checked."""

import itertools
import json
import os
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import yaml

from horde.errors import ConfigError

REGRET_RULES = ("less", "equivalent", "similar_or_less", "growth")
TIMED_RULES = ("factor", "slope")
TABLE_RULES = (*TIMED_RULES, "bound", "minimiser")

_ROWS = {"where", "a", "b"}
_LISTS = ("dataset", "policy", "a", "b")
_DEFAULTS = {"variant": "tuned", "over": [0, 1]}


@dataclass(frozen=True)
class Rule:
    """One rule without any list in it.

    Attributes
    ----------
    kind : str
        One of `REGRET_RULES` or `TABLE_RULES`.
    spec : dict
        Its settings, as in the file of claims.
    """

    kind: str
    spec: dict[str, Any]


def side_of(spec: dict[str, Any], key: str) -> dict[str, Any]:
    """Return policy, dataset, setting and `over` of one side; the rule's where it names none."""
    named = spec[key] if isinstance(spec[key], dict) else {"policy": spec[key]}
    shared = {name: spec[name] for name in ("policy", "dataset", "variant", "over") if name in spec}
    return {**_DEFAULTS, **shared, **named}


class Beside(NamedTuple):
    """Another reading of a claim, told beside its verdict, and its rules."""

    reading: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Claim:
    """One claim of the paper.

    Attributes
    ----------
    name : str
        Its number: S1, R1, ...
    statement, source, statistic : str
        What the paper says, where, and what is measured.
    figure : str or None
        The figure that shows it.
    seeds : str or None
        Which fresh seeds judge it: ``verdict`` or ``learning``; None where a table does.
    rules : tuple of Rule
        All must be met.
    beside : Beside or None
        Told beside the verdict.
    """

    name: str
    statement: str
    source: str
    statistic: str
    figure: str | None
    seeds: str | None
    rules: tuple[Rule, ...]
    beside: Beside | None = None

    @property
    def timed(self) -> bool:
        """Whether measured times judge it, so that its numbers differ between machines."""
        return any(rule.kind in TIMED_RULES for rule in self.rules)

    def read_beside(self) -> "Claim":
        """Return the claim in the reading that stands beside it."""
        return replace(self, rules=self.beside.rules, beside=None)


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
        If the file is missing, is not YAML, or a claim or rule is not of a known form; names the
        place.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path} is no readable file of claims: {error}") from error
    return parse(content)


def parse(content: Any) -> dict[str, Claim]:
    """Check claims given as plain dicts and lists, and expand the lists in their rules.

    Raises
    ------
    ConfigError
        As `load`.
    """
    _validate(content)
    return {name: _claim(name, entry) for name, entry in content.items()}


def _validate(content: Any) -> None:
    schema = json.loads(
        resources.files("horde.verdict").joinpath("claims_schema.json").read_text(encoding="utf-8")
    )
    validator = jsonschema.Draft202012Validator(schema)
    error = jsonschema.exceptions.best_match(validator.iter_errors(content))
    if error is not None:
        place = ".".join(map(str, error.absolute_path)) or "the file"
        raise ConfigError(f"claims, {place}: {error.message}")


def _claim(name: str, entry: dict[str, Any]) -> Claim:
    parts = entry["rule"].get("all", [entry["rule"]])
    rules = tuple(
        Rule(kind, single)
        for part in parts
        for kind, spec in part.items()
        for single in _without_lists(spec)
    )
    if entry["seeds"] is None and any(rule.kind in REGRET_RULES for rule in rules):
        raise ConfigError(f"claims, {name}.seeds: a rule on regret needs verdict or learning seeds")
    return Claim(
        name=name,
        statement=entry["statement"].strip(),
        source=entry["source"],
        statistic=entry["statistic"].strip(),
        figure=entry["figure"],
        seeds=entry["seeds"],
        rules=rules,
        beside=_beside(name, entry["beside"], rules) if "beside" in entry else None,
    )


def _beside(name: str, entry: dict[str, Any], rules: tuple[Rule, ...]) -> Beside:
    if any(rule.kind not in TABLE_RULES for rule in rules):
        raise ConfigError(f"claims, {name}.beside: only rules on tables can be read otherwise")
    others = tuple(Rule(rule.kind, _with_other_rows(rule.spec, entry["rows"])) for rule in rules)
    if others == rules:
        raise ConfigError(f"claims, {name}.beside.rows: no rule looks at such rows")
    return Beside(entry["reading"], others)


def _with_other_rows(spec: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Let other rows take the place of those that a rule looks at; the first that fits counts."""
    changed = dict(spec)
    for key in _ROWS & {key for key, value in spec.items() if isinstance(value, dict)}:
        taken = (row["take"] for row in rows if row["of"].items() <= spec[key].items())
        changed[key] = {**spec[key], **next(taken, {})}
    return changed


def _without_lists(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one spec for every combination of the entries of the lists in `spec`."""
    lists = {key: spec[key] for key in _LISTS if isinstance(spec.get(key), list)}
    return [
        {**spec, **dict(zip(lists, choice, strict=True))}
        for choice in itertools.product(*lists.values())
    ]
