"""The configuration: read, merged, made canonical, checked.

Nothing is filled in: ``config.yaml`` is complete, so that a job on another machine sees what this
one sees. Equal meanings become equal values (1 and 1.0, '1e-3' and 0.001, any order of keys), so
that a spelling never reruns anything.
"""

import json
import math
import os
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema

from horde.checks import nearest
from horde.errors import ConfigError
from horde.experiments import reading
from horde.experiments.contradictions import contradictions, contradictions_of_code

# Above it an int has no float; the schema refuses it.
MAX_NUMBER = 1e300


def load(*sources: str | os.PathLike | Mapping) -> dict:
    """Read configurations, lay each over the one before, and check the result.

    Parameters
    ----------
    *sources : path of a YAML file, or mapping
        The first is complete. Mappings are merged, lists and values replaced.

    Returns
    -------
    dict
        As `checked` makes it.

    Raises
    ------
    ConfigError
        If a file can't be read, or as `checked` and `check_against_code`.
    """
    merged: dict = {}
    for source in sources:
        merged = merge(
            merged, source if isinstance(source, Mapping) else reading.read(Path(source))
        )
    config = checked(merged)
    check_against_code(config)
    return config


def merge(base: Mapping, over: Mapping) -> dict:
    """Lay `over` over `base`: mappings are merged, everything else is replaced."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        both = isinstance(value, Mapping) and isinstance(below, Mapping)
        merged[key] = merge(below, value) if both else value
    return merged


def checked(config: Mapping) -> dict:
    """Make a complete configuration canonical and check it.

    Parameters
    ----------
    config : mapping
        A whole configuration. A dataset given as null is taken out.

    Returns
    -------
    dict
        Keys sorted, numbers of the type that the schema asks for.

    Raises
    ------
    ConfigError
        With one line for each mistake: where it is, what is wrong, what to do.
    """
    _check_tree(config, (), 0)
    config = _canonical(_without_nulls(config), SCHEMA)
    mistakes = [_explain(error) for error in _VALIDATOR.iter_errors(config)]
    _refuse(mistakes or list(contradictions(config)))
    return config | {"output": _at_home(config["output"])}


def check_against_code(config: dict) -> None:
    """Check what only the code of policies and graphs can tell of a checked configuration.

    Raises
    ------
    ConfigError
        As `checked`, if a policy has no such setting or a graph cannot be drawn.
    """
    _refuse(list(contradictions_of_code(config)))


def _at_home(folder: str) -> str:
    try:
        return str(Path(folder).expanduser())
    except RuntimeError:
        raise ConfigError(f"output: there is no home folder for {folder!r}; write it out") from None


def _refuse(mistakes: list[str]) -> None:
    if mistakes:
        told = "\n  ".join(sorted(set(mistakes)))
        raise ConfigError(f"the configuration has mistakes:\n  {told}")


def _without_nulls(config: Mapping) -> Mapping:
    """Take out the datasets that are given as null, and what only they are needed for."""
    datasets, alternatives = config.get("datasets"), config.get("alternatives")
    if not isinstance(datasets, Mapping):
        return config
    # Snakemake hands the null of `--config 'datasets={NAME: null}'` over as text.
    nulls = {name for name, entry in datasets.items() if entry in (None, "null")}
    config = _pruned(config, ("datasets",), nulls)
    config = _pruned(config, ("figures", "regret", "names"), nulls)
    config = _pruned(config, ("sensitivity", "datasets"), nulls)
    if not isinstance(alternatives, Mapping):
        return config
    resting = {
        name
        for name, entry in alternatives.items()
        if isinstance(entry, Mapping) and str(entry.get("tables")) in nulls
    }
    return _pruned(config, ("sensitivity", "alternatives"), resting)


def _pruned(config: Any, path: tuple, names: set[str]) -> Any:
    """Return `config` without `names` in the mapping or list at `path`, if it has one there."""
    if not isinstance(config, Mapping) or path[0] not in config:
        return config
    value = config[path[0]]
    if len(path) > 1:
        value = _pruned(value, path[1:], names)
    elif isinstance(value, Mapping):
        value = {name: value[name] for name in value if name not in names}
    elif isinstance(value, list):
        value = [name for name in value if not (isinstance(name, str) and name in names)]
    return {**config, path[0]: value}


def _check_tree(value: Any, path: tuple, depth: int) -> None:
    """Refuse what neither the schema nor JSON can speak of."""
    where = _dotted(path)
    if depth > reading.MAX_DEPTH:
        raise ConfigError(f"{where}: nested deeper than {reading.MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        for key, below in value.items():
            if not isinstance(key, str):
                raise ConfigError(f"{where}: the key {key!r} is not text; put it in quotes")
            _check_tree(key, path, depth)
            _check_tree(below, (*path, key), depth + 1)
    elif isinstance(value, list):
        for position, below in enumerate(value):
            _check_tree(below, (*path, position), depth + 1)
    elif isinstance(value, str):
        if not value.isprintable():
            raise ConfigError(f"{where}: {value[:80]!r} has characters that can't be printed")
    # Python refuses to spell it out.
    elif isinstance(value, int) and abs(value) > MAX_NUMBER:
        raise ConfigError(f"{where}: a number above {MAX_NUMBER:g}")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{where}: {value} is not a finite number")


def _canonical(value: Any, schema: Mapping) -> Any:
    """Give equal meanings equal values, as far as `schema` says what is meant."""
    schema = _resolved(schema)
    if isinstance(value, Mapping):
        return {key: _canonical(value[key], _below(schema, key)) for key in sorted(value)}
    if isinstance(value, list):
        return [_canonical(item, schema.get("items", {})) for item in value]
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    if isinstance(value, str) and kinds and "string" not in kinds:
        value = _spelled(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(value, kinds)
    return value


def _spelled(text: str) -> Any:
    """Return the number, truth value or null that a text spells; else the text."""
    words = {"true": True, "false": False, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def _number(value: float, kinds: tuple) -> float:
    if "number" in kinds and abs(value) < MAX_NUMBER:
        return float(value)
    if "integer" in kinds and abs(value) < MAX_NUMBER and value == int(value):
        return int(value)
    return value


def _below(schema: Mapping, key: str) -> Mapping:
    """Return the schema of what stands under `key`."""
    if key in schema.get("properties", {}):
        return schema["properties"][key]
    # All our patterned keys share one pattern each.
    return next(iter(schema.get("patternProperties", {}).values()), {})


def _resolved(schema: Mapping) -> Mapping:
    reference = schema.get("$ref")
    return SCHEMA["$defs"][reference.rpartition("/")[2]] if reference else schema


def _explain(error: jsonschema.ValidationError) -> str:
    where = _dotted(error.absolute_path)
    value = json.dumps(error.instance, default=str)[:80]
    if error.validator == "additionalProperties":
        return _explain_key(error, where)
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        remedy = "config.yaml shows every key"
        if not error.absolute_path:
            remedy += ", and goes before a file that has only some: --configfile config.yaml"
        return f"{where}: missing {', '.join(missing)}; {remedy}"
    if error.validator == "enum":
        choices = ", ".join(map(str, error.validator_value))
        return f"{where}: {value} is none of {choices}.{nearest(value, error.validator_value)}"
    wanted = error.validator_value
    wanted = " or ".join(map(str, wanted)) if isinstance(wanted, list) else wanted
    return f"{where}: {value} {_COMPLAINTS[error.validator].format(wanted)}"


_COMPLAINTS = {
    "type": "must be of type {}",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "pattern": "must look like {}",
    "minItems": "must not be empty",
    "minProperties": "must not be empty",
    "uniqueItems": "must not hold a value twice",
    "anyOf": "must be null or a path",
}


def _explain_key(error: jsonschema.ValidationError, where: str) -> str:
    known = error.schema.get("properties", {})
    pattern = next(iter(error.schema.get("patternProperties", {})), None)
    names = [key for key in error.instance if key not in known]
    if pattern:
        names = [name for name in names if not re.search(pattern, name)]
        return f"{where}: a name there must look like {pattern}, unlike {_quoted(names)}"
    hints = "".join(dict.fromkeys(nearest(name, known) for name in names))
    prefix = "" if where == "top level" else f"{where}."
    return f"{prefix}{names[0]}: unknown key{'s' * (len(names) > 1)} {_quoted(names)}.{hints}"


def _quoted(names: list) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(repr(name) for name in names[:5]) + more


def _dotted(path) -> str:
    return ".".join(map(str, path)) or "top level"


SCHEMA = json.loads(files("horde.experiments").joinpath("config_schema.json").read_text("utf-8"))
_VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
