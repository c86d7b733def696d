"""Read, merge, normalise and check the configuration.

There are no defaults: ``config.yaml`` is complete, so jobs on all machines see the same values.
Values of equal meaning become equal (1 and 1.0, '1e-3' and 0.001, any order of keys), so another
spelling reruns nothing.
"""

import json
import math
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from horde.checks import nearest
from horde.errors import ConfigError
from horde.experiments import checks

MAX_BYTES = 200_000
MAX_DEPTH = 20
# Largest number: a larger int may not fit into a float.
MAX_NUMBER = 1e300

SCHEMA = json.loads(files("horde.experiments").joinpath("config_schema.json").read_text("utf-8"))
_VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
# Messages by keyword of the schema. A description in the schema takes precedence.
_COMPLAINTS = {
    "type": "must be of type {}",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMaximum": "must be below {}",
    "pattern": "must look like {}",
    "minItems": "must not be empty",
    "minProperties": "must not be empty",
    "uniqueItems": "must not hold a value twice",
}


def load(*sources: str | os.PathLike | Mapping) -> dict:
    """Read configurations, merge each into the previous one, and check the result.

    Parameters
    ----------
    *sources : path of a YAML file, or mapping
        The first must be complete. Mappings are merged; lists and values are replaced.

    Returns
    -------
    dict
        As `checked` returns it.

    Raises
    ------
    ConfigError
        If a file can't be read, or `checked` or `check_against_code` finds a mistake.
    """
    merged: dict = {}
    for source in sources:
        over = source if isinstance(source, Mapping) else read(Path(source))
        merged = merge(merged, over)
    config = checked(merged)
    check_against_code(config)
    return config


def read(path: Path) -> Mapping:
    """Read a YAML file without checking its keys.

    Raises
    ------
    ConfigError
        If the file can't be read, is larger than `MAX_BYTES`, or has no keys at its top level.
        The message names the file and, for a YAML mistake, the line.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: can't be read ({error.strerror}); check the path") from error
    if len(content) > MAX_BYTES:
        raise ConfigError(f"{path}: larger than {MAX_BYTES} bytes; is it a configuration?")
    try:
        config = yaml.load(_decoded(content), Loader=_Loader)
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        if len(reason) > 300:  # a long value; the line is at the end
            reason = f"{reason[:100]} ... {reason[-200:]}"
        raise ConfigError(f"{path}: not a YAML file ({reason}); fix or remove it") from error
    if config is None:
        return {}
    if not isinstance(config, Mapping):
        raise ConfigError(f"{path}: must hold keys and values at its top level")
    return config


def merge(base: Mapping, over: Mapping) -> dict:
    """Merge `over` into `base`: mappings are merged, everything else is replaced."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        both = isinstance(value, Mapping) and isinstance(below, Mapping)
        merged[key] = merge(below, value) if both else value
    return merged


def checked(config: Mapping) -> dict:
    """Normalise a complete configuration and check it.

    Parameters
    ----------
    config : mapping
        A complete configuration. A dataset given as null is removed.

    Returns
    -------
    dict
        With sorted keys, and numbers of the type that the schema requires.

    Raises
    ------
    ConfigError
        With one line per mistake: where it is, what is wrong, what to do.
    """
    _check_tree(config, ())
    config = _canonical(config, SCHEMA)
    nulls = set()
    if isinstance(datasets := config.get("datasets"), Mapping):
        # Snakemake passes the null of `--config 'datasets={NAME: null}'` as text.
        nulls = {name for name, entry in datasets.items() if entry in (None, "null")}
        config["datasets"] = {name: datasets[name] for name in datasets if name not in nulls}
    _refuse(map(_explain, _VALIDATOR.iter_errors(config)))
    _drop_references(config, nulls)
    _refuse(checks.contradictions(config))
    try:
        config["output"] = str(Path(config["output"]).expanduser())
    except RuntimeError:
        folder = config["output"]
        raise ConfigError(f"output: there is no home folder for {folder!r}; write it out") from None
    return config


def check_against_code(config: dict) -> None:
    """Check a checked configuration against the code of policies and graphs; this is slow.

    Raises
    ------
    ConfigError
        If a policy lacks a hyper-parameter or a graph cannot be drawn; one line per mistake.
    """
    _refuse(checks.contradictions_of_code(config))


def _refuse(mistakes) -> None:
    if lines := sorted(set(mistakes)):
        raise ConfigError("\n  ".join(["the configuration has mistakes:", *lines]))


def _drop_references(config: dict, datasets: set[str]) -> None:
    """Remove references to removed datasets."""
    figures, sensitivity = config["figures"]["regret"], config["sensitivity"]
    figures["names"] = {key: name for key, name in figures["names"].items() if key not in datasets}
    for part in (sensitivity, config["controls"], config["multiverse"]):
        part["datasets"] = [name for name in part["datasets"] if name not in datasets]
    sensitivity["alternatives"] = [
        name
        for name in sensitivity["alternatives"]
        if config["alternatives"].get(name, {}).get("tables") not in datasets
    ]


def _check_tree(value: Any, path: tuple) -> None:
    """Reject values that neither the schema nor JSON can express."""
    where = _dotted(path)
    if len(path) > MAX_DEPTH:
        raise ConfigError(f"{where}: nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        for key, below in value.items():
            if not isinstance(key, str):
                raise ConfigError(f"{where}: the key {key!r} is not text; put it in quotes")
            _check_tree(key, path)
            _check_tree(below, (*path, key))
    elif isinstance(value, list):
        for position, below in enumerate(value):
            _check_tree(below, (*path, position))
    elif isinstance(value, str):
        if not value.isprintable():
            raise ConfigError(f"{where}: {value[:80]!r} has characters that can't be printed")
    # Python refuses to print such a large int.
    elif isinstance(value, int) and abs(value) > MAX_NUMBER:
        raise ConfigError(f"{where}: a number above {MAX_NUMBER:g}")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{where}: {value} is not a finite number")


def _canonical(value: Any, schema: Mapping) -> Any:
    """Sort keys, and convert a value to the type of `schema` if its meaning allows it."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    if isinstance(value, Mapping):
        others = schema.get("additionalProperties") or {}
        below = schema.get("properties", {})
        return {key: _canonical(value[key], below.get(key, others)) for key in sorted(value)}
    if isinstance(value, list):
        return [_canonical(item, schema.get("items", {})) for item in value]
    types = schema.get("type", "string")
    if isinstance(value, str) and "string" not in types:
        value = _spelled(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MAX_NUMBER:
        if "number" in types:
            return float(value)
        if "integer" in types and value == int(value):
            return int(value)
    return value


def _spelled(text: str) -> Any:
    """Return the number, truth value or null that a text spells, or else the text."""
    words = {"true": True, "false": False, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def _explain(error: jsonschema.ValidationError) -> str:
    where = _dotted(error.absolute_path)
    value = json.dumps(error.instance, default=str)[:80]
    wanted = error.validator_value
    if error.validator == "additionalProperties":
        return _explain_keys(error, where)
    if error.validator == "required":
        missing = ", ".join(key for key in wanted if key not in error.instance)
        remedy = "config.yaml shows every key"
        if not error.absolute_path:
            remedy += ", and goes before a file that has only some: --configfile config.yaml"
        return f"{where}: missing {missing}; {remedy}"
    if error.validator == "enum":
        return f"{where}: {value} is none of {', '.join(wanted)}.{nearest(value, wanted)}"
    if isinstance(wanted, list):
        wanted = " or ".join(map(str, wanted))
    complaint = error.schema.get("description") or _COMPLAINTS[error.validator].format(wanted)
    return f"{where}: {value} {complaint}"


def _explain_keys(error: jsonschema.ValidationError, where: str) -> str:
    known = error.schema["properties"]
    names = [key for key in error.instance if key not in known]
    hints = "".join(dict.fromkeys(nearest(name, known) for name in names))
    prefix = f"{where}." if error.absolute_path else ""
    listed = ", ".join(map(repr, names[:5])) + f" and {len(names) - 5} more" * (len(names) > 5)
    return f"{prefix}{names[0]}: unknown key{'s' * (len(names) > 1)} {listed}.{hints}"


def _dotted(path) -> str:
    return ".".join(map(str, path)) or "top level"


def _decoded(content: bytes) -> str:
    """Decode UTF-8; errors, also for characters that YAML rejects, name the line."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise yaml.YAMLError(f"not UTF-8 in line {line}") from error
    if bad := yaml.reader.Reader.NON_PRINTABLE.search(text):
        line = text.count("\n", 0, bad.start()) + 1
        raise yaml.YAMLError(f"{bad[0]!r} can't be printed, in line {line}")
    return text


class _Loader(yaml.SafeLoader):
    """Load YAML; reject aliases (which can expand to gigabytes), repeated keys and deep nesting."""

    depth = 0

    def compose_node(self, parent, index):
        """Reject aliases and deep nesting; otherwise compose as YAML does."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError(f"an alias {self.peek_event().start_mark}: write the value out")
        if self.depth > MAX_DEPTH:
            mark = self.peek_event().start_mark
            raise yaml.YAMLError(f"nested deeper than {MAX_DEPTH} levels {mark}")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node, deep=False):
        """Reject repeated keys: the last value would silently win."""
        names = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode):
                if key.value in names:
                    raise yaml.YAMLError(f"key {key.value!r} stands twice {key.start_mark}")
                names.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_object(self, node, deep=False):
        """Name the line of a value that a constructor (int, datetime, ...) cannot read."""
        try:
            return super().construct_object(node, deep)
        except yaml.YAMLError:
            raise
        # PyYAML does not catch the exceptions of these constructors.
        except Exception as error:
            raise yaml.YAMLError(f"{type(error).__name__}: {error} {node.start_mark}") from error
