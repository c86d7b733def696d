"""What a figure's caption must state, as a field list of reStructuredText."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from horde import files

_SPECIAL = re.compile(r"([\\*`|_<>])")


def field_list(caption: Mapping[str, Any]) -> str:
    """Return one field for each entry of a caption's data; entries that are empty are left out.

    Parameters
    ----------
    caption : mapping
        JSON-able, as `horde.figures.style.save` takes it.
    """
    return "".join(
        f":{_escaped(name.replace('_', ' '))}: {_escaped(_written(value))}\n"
        for name, value in caption.items()
        if value not in ("", [], {}, None)
    )


def tuned_values(choices: Iterable[str | os.PathLike]) -> dict[str, dict[str, float]]:
    """Return policy -> its hyper-parameters, from files ``{policy}.json`` that tuning wrote.

    Raises
    ------
    DataError
        If a file is missing or damaged; names the file.
    """
    return {Path(path).stem: files.read_json(path)["settings"] for path in choices}


def _written(value: Any) -> str:
    """Write lists with commas, tables with semicolons, numbers to four digits, one line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        named = (f"{key} {_written(below)}" for key, below in value.items())
        return _separator(value.values()).join(named)
    if isinstance(value, list):
        return _separator(value).join(map(_written, value))
    return " ".join(str(value).split())


def _separator(values: Iterable[Any]) -> str:
    """Return what stands between entries: tables have commas of their own."""
    return "; " if any(isinstance(value, Mapping) for value in values) else ", "


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
