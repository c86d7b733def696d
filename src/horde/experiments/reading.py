"""YAML files from anybody: keys and values, or refused with the line."""

from collections.abc import Mapping
from pathlib import Path

import yaml

from horde.errors import ConfigError

MAX_BYTES = 200_000
MAX_DEPTH = 20


def read(path: Path) -> Mapping:
    """Read a YAML file.

    Raises
    ------
    ConfigError
        If it can't be read, is larger than `MAX_BYTES`, or does not hold keys and values; names the
        file and, of a mistake in it, the line.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: can't be read ({error.strerror}); check the path") from error
    if len(content) > MAX_BYTES:
        raise ConfigError(f"{path}: larger than {MAX_BYTES} bytes; is it a configuration?")
    try:
        config = yaml.load(_text(content), Loader=_Loader)
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())[:300]
        raise ConfigError(f"{path}: not a YAML file ({reason}); mend or remove it") from error
    if config is None:
        return {}
    if not isinstance(config, Mapping):
        raise ConfigError(f"{path}: must hold keys and values at its top level")
    return config


def _text(content: bytes) -> str:
    """Decode UTF-8, and refuse what YAML does, but with the line."""
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
