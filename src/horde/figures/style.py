"""How policies look in every figure, and how a figure becomes files.

Colour says how a policy relates users (alone, all as one, clusters, the given graph, a graph
learned from none or from the given one); dashes and markers say how it chooses (confidence bound,
epoch-greedy, Thompson). So curves can be told apart in grey and by readers who are colour-blind.
Policies that are not the paper's get looks of their own, in the order of their names.
"""

import io
import os
from collections.abc import Iterable, Iterator
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
_GIVEN_GRAPH, _FROM_NONE, _FROM_GIVEN = "#00644A", "#C2478F", "#5B3A9E"
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
    "L-EG": (_FROM_NONE, _DASHED, "v"),
    "U-EG": (_FROM_GIVEN, _DASH_DOTTED, "P"),
}


# For policies that are not the paper's. The lengths share no factor, so that 60 policies differ.
_OTHER_COLOURS = ("#B3261E", "#0E8FA3", "#7A4A1E", "#6F7A00", "#D9489A")
_OTHER_DASHES = (_SOLID, _DASHED, _DASH_DOTTED, _DOTTED)
_OTHER_MARKERS = ("*", "<", "p")


def looks(policies: Iterable[str]) -> dict[str, Look]:
    """Return how each of a figure's policies is drawn.

    Parameters
    ----------
    policies : iterable of str
        All policies of the figure, in any order. Those unknown here take the next look of a cycle,
        in the order of their names.

    Returns
    -------
    dict of Look
        By name, in the order given.
    """
    names = list(dict.fromkeys(policies))
    others = sorted(set(names) - set(_LOOKS))
    chosen = _LOOKS | {name: _other(place) for place, name in enumerate(others)}
    return {name: Look(*chosen[name], name) for name in names}


def _other(place: int) -> tuple[str, str | tuple, str]:
    return tuple(
        cycle[place % len(cycle)] for cycle in (_OTHER_COLOURS, _OTHER_DASHES, _OTHER_MARKERS)
    )


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
