"""How policies look in every figure, and how a figure becomes files.

Colour says how a policy relates users (alone, all as one, clusters, the given graph, a learned
graph); dashes and markers say how it chooses (confidence bound, epoch-greedy, Thompson). So curves
can be told apart in grey and by readers who are colour-blind.
"""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.style
from matplotlib.figure import Figure

from horde import files
from horde.figures.captions import field_list

GREY = "#555555"

_ALONE, _AS_ONE, _CLUSTERS = "#2B6CB8", "#CC7A00", "#111111"
_GIVEN_GRAPH, _LEARNED_GRAPH = "#00644A", "#C2478F"
_SOLID, _DASHED, _DOTTED, _DASH_DOTTED = (
    "-",
    (0, (4, 1.6)),
    (0, (1.2, 1.4)),
    (0, (6, 1.4, 1.4, 1.4)),
)


@dataclass(frozen=True)
class Look:
    """How one policy is drawn.

    Attributes
    ----------
    colour : str
        Of its line.
    dashes : str or tuple
        A matplotlib line style.
    marker : str
        A matplotlib marker; empty for none.
    label : str
        Its name in figures.
    """

    colour: str
    dashes: str | tuple
    marker: str
    label: str


_LOOKS = {
    "Random": (GREY, _DOTTED, ""),
    "LINUCB-IND": (_ALONE, _SOLID, "o"),
    "EG-IND": (_ALONE, _DASHED, "^"),
    "TS-IND": (_ALONE, _DOTTED, "s"),
    "LINUCB-SIN": (_AS_ONE, _SOLID, "o"),
    "EG-SIN": (_AS_ONE, _DASHED, "^"),
    "TS-SIN": (_AS_ONE, _DOTTED, "s"),
    "CLUB": (_CLUSTERS, _SOLID, "D"),
    "GOBLIN": (_GIVEN_GRAPH, _SOLID, "o"),
    "GOBLIN++": (_GIVEN_GRAPH, _DASH_DOTTED, "X"),
    "G-EG": (_GIVEN_GRAPH, _DASHED, "^"),
    "G-TS": (_GIVEN_GRAPH, _DOTTED, "s"),
    "L-EG": (_LEARNED_GRAPH, _DASHED, "v"),
    "U-EG": (_LEARNED_GRAPH, _DASH_DOTTED, "P"),
}


def look(policy: str) -> Look:
    """Return how `policy` is drawn; a policy unknown here is a thin grey line with crosses."""
    colour, dashes, marker = _LOOKS.get(policy, (GREY, _DASH_DOTTED, "x"))
    return Look(colour, dashes, marker, policy)


@contextmanager
def styled() -> Iterator[None]:
    """Draw with the project's style sheet and nothing of the user's."""
    sheet = resources.files("horde.figures").joinpath("horde.mplstyle")
    with resources.as_file(sheet) as path, matplotlib.style.context(path, after_reset=True):
        yield


def save(
    figure: Figure,
    path_pdf: str | os.PathLike,
    path_png: str | os.PathLike,
    caption: dict[str, Any],
) -> None:
    """Write a figure and, beside the PNG, ``NAME.json`` with what its caption must state.

    ``NAME.rst`` has the same for readers.

    Equal figures give equal bytes: no dates and no random ids are stored. A file appears whole or
    not at all.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        To be called within `styled`.
    path_pdf, path_png : path
        Where to.
    caption : dict
        JSON-able: seeds, settings, identity of the data, ...
    """
    _write(path_pdf, figure, "pdf", {"CreationDate": None})
    _write(path_png, figure, "png", {"Software": None})
    files.write_json(Path(path_png).with_suffix(".json"), caption)
    files.write_text(Path(path_png).with_suffix(".rst"), field_list(caption))


def _write(path: str | os.PathLike, figure: Figure, kind: str, metadata: dict) -> None:
    content = io.BytesIO()
    figure.savefig(content, format=kind, metadata=metadata)
    files.write_bytes(path, content.getvalue())
