"""What a figure's caption must state, as a field list of reStructuredText."""

import csv
import io
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import indent
from typing import Any

from horde import files

# Of the hyper-parameters that are tuned, those which the paper gives.
_IN_THE_PAPER = {"lam", "sigma", "alpha", "scale"}
_SPECIAL = re.compile(r"([\\*`|_<>])")


def field_list(caption: Mapping[str, Any]) -> str:
    """Return one field for each entry of a caption's data; entries that are empty are left out.

    Records are written as a table; where they are grouped by name, as one below each name.

    Parameters
    ----------
    caption : mapping
        JSON-able, as `horde.figures.style.save` takes it.
    """
    return "".join(
        f":{_spaced(name)}:{_body(value)}\n"
        for name, value in caption.items()
        if value not in ("", [], {}, None)
    )


def of_regret(
    data: str, choices: Iterable[str | os.PathLike], values: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    """Return what only the workflow knows of a figure of regret: its data, its hyper-parameters.

    Parameters
    ----------
    data : str
        Statement on the data.
    choices, values
        As `tuned_values` and `paper_values` take them.

    Raises
    ------
    DataError
        If a file is missing or damaged; names the file.
    """
    return {"data": data, "tuned_values": tuned_values(choices), **paper_values(values)}


def tuned_values(choices: Iterable[str | os.PathLike]) -> dict[str, dict[str, float]]:
    """Return policy -> its hyper-parameters, from files ``{policy}.json`` that tuning wrote.

    Raises
    ------
    DataError
        If a file is missing or damaged; names the file.
    """
    return {Path(path).stem: files.read_json(path)["params"] for path in choices}


def paper_values(values: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Return a caption's entries on the paper's hyper-parameters, and which of them are ours.

    Parameters
    ----------
    values : mapping
        Policy -> its hyper-parameters; none where no panel has the paper's.
    """
    if not values:
        return {}
    names = {name for own in values.values() for name in own}
    return {"paper_values": values, "ours_among_them": sorted(names - _IN_THE_PAPER)}


def _body(value: Any) -> str:
    if _are_records(value):
        return "\n" + indent(_table(value), "   ")
    if isinstance(value, Mapping) and all(map(_are_records, value.values())):
        groups = (f"{_escaped(name)}\n{_table(rows)}" for name, rows in value.items())
        return "\n" + indent("\n".join(groups), "   ")
    return f" {_escaped(_written(value))}"


def _are_records(value: Any) -> bool:
    return (
        isinstance(value, list) and value != [] and all(isinstance(row, Mapping) for row in value)
    )


def _table(records: list[Mapping[str, Any]]) -> str:
    rows = [[_escaped(_written(cell)) for cell in row.values()] for row in records]
    content = io.StringIO()
    csv.writer(content, lineterminator="\n").writerows([map(_spaced, records[0]), *rows])
    return "\n.. csv-table::\n   :header-rows: 1\n   :widths: auto\n\n" + indent(
        content.getvalue(), "   "
    )


def _spaced(name: str) -> str:
    return _escaped(name.replace("_", " "))


def _written(value: Any) -> str:
    """Write lists with commas, mappings with semicolons, numbers to four digits, one line."""
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
    """Return what stands between entries: mappings have commas of their own."""
    return "; " if any(isinstance(value, Mapping) for value in values) else ", "


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
