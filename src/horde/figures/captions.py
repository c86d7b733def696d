"""Captions of figures, as field lists of reStructuredText."""

import csv
import io
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import indent
from typing import Any, NamedTuple

from horde import files
from horde.experiments.choice import WIDTHS

ZERO, EDGE, FLAT = "zero", "edge", "flat"
# Tuned hyper-parameters whose values the paper gives.
_IN_THE_PAPER = {"lam", "sigma", "alpha", "scale"}
_SPECIAL = re.compile(r"([\\*`|_<>])")
# Starts of a paragraph that docutils reads as a list, a heading or a comment.
_OPENING = re.compile(r"(?!-\d)\W|\w+[.)]\s")


class Chosen(NamedTuple):
    """A value that tuning chose.

    `mark` is `ZERO`, `EDGE`, `FLAT` or empty.

    `ZERO` is a width of 0, at which a policy picks greedily; `EDGE` is an end of the grid; `FLAT`
    is the paper's lambda, from which the best was not told apart.
    """

    value: float
    mark: str


def field_list(caption: Mapping[str, Any]) -> str:
    """Return one field for each non-empty entry of a caption's data.

    A list of records becomes a table. Records grouped by name become one table per name.

    Parameters
    ----------
    caption : mapping
        JSON-able data, as for `horde.figures.style.save`.
    """
    return "".join(
        f":{_spaced(name)}:{_body(value)}\n"
        for name, value in caption.items()
        if value not in ("", [], {}, None)
    )


def hyper_parameters(
    tuned: Mapping[str, Mapping[str, Chosen]], paper: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    """Return a caption's entries on hyper-parameters: the tuned ones, the paper's, and ours.

    Parameters
    ----------
    tuned : mapping
        As `chosen` returns it.
    paper : mapping
        Policy -> its hyper-parameters in the panel of the paper's values; empty without this panel.
    """
    names = {name for own in paper.values() for name in own}
    return {
        "tuned_values": {
            policy: {name: value for name, (value, _) in own.items()}
            for policy, own in tuned.items()
        },
        "at_an_edge_of_the_grid": [
            f"{policy} {name} {value:g}"
            for policy, own in tuned.items()
            for name, (value, mark) in own.items()
            if mark == EDGE
        ],
        "paper_values": paper,
        "not_given_by_the_paper": sorted(names - _IN_THE_PAPER),
    }


def chosen(choices: Iterable[str | os.PathLike]) -> dict[str, dict[str, Chosen]]:
    """Return the hyper-parameters that tuning chose, by policy.

    Parameters
    ----------
    choices : iterable of path
        Files ``{policy}.json`` that tuning wrote.

    Raises
    ------
    DataError
        If a file is missing or damaged; names the file.
    """
    return {Path(path).stem: _chosen(files.read_json(path)) for path in choices}


def _chosen(choice: Mapping[str, Any]) -> dict[str, Chosen]:
    marks = dict.fromkeys(choice["edges"], EDGE) | ({"lam": FLAT} if choice["flat"] else {})
    return {
        name: Chosen(value, ZERO if name in WIDTHS and value == 0 else marks.get(name, ""))
        for name, value in choice["params"].items()
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
    """Format a value in one line: lists with commas, mappings with semicolons, four digits."""
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
    """Return the separator of entries: semicolons for mappings, which contain commas."""
    return "; " if any(isinstance(value, Mapping) for value in values) else ", "


def _escaped(text: str) -> str:
    escaped = _SPECIAL.sub(r"\\\1", text)
    return f"\\ {escaped}" if _OPENING.match(text) else escaped
