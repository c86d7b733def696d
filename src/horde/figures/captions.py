"""What a figure's caption states, as a field list of reStructuredText."""

import csv
import io
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import indent
from typing import Any

from horde import files

# Of the hyper-parameters that are tuned, those whose values the paper gives.
_IN_THE_PAPER = {"lam", "sigma", "alpha", "scale"}
_SPECIAL = re.compile(r"([\\*`|_<>])")
# What docutils takes for a list, a heading or a comment at the start of a paragraph.
_OPENING = re.compile(r"(?!-\d)\W|\w+[.)]\s")


def field_list(caption: Mapping[str, Any]) -> str:
    """Return one field for each entry of a caption's data; empty entries are left out.

    Records become a table. Records grouped by name become one table below each name.

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


def hyper_parameters(
    choices: Iterable[str | os.PathLike], paper: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    """Return a caption's entries on hyper-parameters: the tuned ones, the paper's, and ours.

    Parameters
    ----------
    choices : iterable of path
        Files ``{policy}.json`` that tuning wrote.
    paper : mapping
        Policy -> its hyper-parameters in the panel with the paper's; empty without that panel.

    Raises
    ------
    DataError
        If a file is missing or damaged; names the file.
    """
    names = {name for own in paper.values() for name in own}
    return {
        "tuned_values": {Path(path).stem: files.read_json(path)["params"] for path in choices},
        "paper_values": paper,
        "not_given_by_the_paper": sorted(names - _IN_THE_PAPER),
    }


def _body(value: Any) -> str:
    groups = value if isinstance(value, Mapping) else {"": value}
    if not all(map(_are_records, groups.values())):
        return f" {_escaped(_written(value))}"
    tables = (f"{_escaped(name)}\n{_table(rows)}" for name, rows in groups.items())
    return "\n" + indent("\n".join(tables), "   ")


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, Mapping) for row in value)


def _table(records: list[Mapping[str, Any]]) -> str:
    rows = [[_escaped(_written(cell)) for cell in row.values()] for row in records]
    content = io.StringIO()
    csv.writer(content, lineterminator="\n").writerows([map(_spaced, records[0]), *rows])
    options = "\n.. csv-table::\n   :header-rows: 1\n   :widths: auto\n\n"
    return options + indent(content.getvalue(), "   ")


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
    escaped = _SPECIAL.sub(r"\\\1", text)
    return f"\\ {escaped}" if _OPENING.match(text) else escaped
