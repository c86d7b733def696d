"""The configuration: read, merged, made canonical, checked.

Nothing is filled in: ``config.yaml`` is complete, so that a job on another machine sees what this
one sees. Equal meanings become equal values (1 and 1.0, '1e-3' and 0.001, any order of keys), so
that a spelling never reruns anything.
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
# Above it an int has no float; the schema refuses it.
MAX_NUMBER = 1e300

SCHEMA = json.loads(files("horde.experiments").joinpath("config_schema.json").read_text("utf-8"))
_VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
# What is wrong with a value, by the keyword of the schema that refuses it. A description in the
# schema goes first.
_COMPLAINTS = {
    "type": "must be of type {}",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "pattern": "must look like {}",
    "minItems": "must not be empty",
    "minProperties": "must not be empty",
    "uniqueItems": "must not hold a value twice",
}


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
        over = source if isinstance(source, Mapping) else read(Path(source))
        merged = merge(merged, over)
    config = checked(merged)
    check_against_code(config)
    return config


def read(path: Path) -> Mapping:
    """Read a YAML file without checking what its keys are.

    Raises
    ------
    ConfigError
        If it can't be read, is larger than `MAX_BYTES`, or does not hold keys and values. The
        message names the file and, for a mistake in its YAML, the line.
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
        reason = " ".join(str(error).split())[:300]
        raise ConfigError(f"{path}: not a YAML file ({reason}); fix or remove it") from error
    if config is None:
        return {}
    if not isinstance(config, Mapping):
        raise ConfigError(f"{path}: must hold keys and values at its top level")
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
    _check_tree(config, ())
    config = _canonical(config, SCHEMA)
    nulls = set()
    if isinstance(datasets := config.get("datasets"), Mapping):
        # Snakemake hands over the null of `--config 'datasets={NAME: null}'` as text.
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
    """Check a checked configuration against the code of policies and graphs, which takes a while.

    Raises
    ------
    ConfigError
        As `checked`, if a policy has no such hyper-parameter or a graph cannot be drawn.
    """
    _refuse(checks.contradictions_of_code(config))


def _refuse(mistakes) -> None:
    if lines := sorted(set(mistakes)):
        raise ConfigError("\n  ".join(["the configuration has mistakes:", *lines]))


def _drop_references(config: dict, datasets: set[str]) -> None:
    """Take out what refers to datasets that were taken out."""
    figures, sensitivity = config["figures"]["regret"], config["sensitivity"]
    figures["names"] = {key: name for key, name in figures["names"].items() if key not in datasets}
    sensitivity["datasets"] = [name for name in sensitivity["datasets"] if name not in datasets]
    sensitivity["alternatives"] = [
        name
        for name in sensitivity["alternatives"]
        if config["alternatives"].get(name, {}).get("tables") not in datasets
    ]


def _check_tree(value: Any, path: tuple) -> None:
    """Refuse what neither the schema nor JSON can express."""
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
    # Python refuses to spell it out.
    elif isinstance(value, int) and abs(value) > MAX_NUMBER:
        raise ConfigError(f"{where}: a number above {MAX_NUMBER:g}")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{where}: {value} is not a finite number")


def _canonical(value: Any, schema: Mapping) -> Any:
    """Sort keys, and give a value the type that `schema` asks for, where its meaning allows it."""
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
    """Return the number, truth value or null that a text spells; else the text."""
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
    """Decode UTF-8, and refuse what YAML refuses, but with the line."""
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
    """YAML without aliases (a few bytes could mean gigabytes), repeated keys and deep nesting."""

    depth = 0

    def compose_node(self, parent, index):
        """Refuse an alias, and what is nested too deep; take everything else as YAML does."""
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
        """Refuse a key that stands twice: the last would silently win."""
        names = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode):
                if key.value in names:
                    raise yaml.YAMLError(f"key {key.value!r} stands twice {key.start_mark}")
                names.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_object(self, node, deep=False):
        """Name the line of a value that int(), datetime and their like cannot read."""
        try:
            return super().construct_object(node, deep)
        except yaml.YAMLError:
            raise
        # The reader lets through whatever they raise.
        except Exception as error:
            raise yaml.YAMLError(f"{type(error).__name__}: {error} {node.start_mark}") from error
