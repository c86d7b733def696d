"""Figure C: final regret on other graphs than the given one, and without any graph."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from horde.figures import style
from horde.figures.regret import averaging
from horde.results.controls import AROUND_A_MEAN, LEARNERS
from horde.results.statistics import Interval

_ORACLE = "oracle: uses the test rewards"
_POPULARITY = "most popular item: uses the test rewards"


class _Row(NamedTuple):
    """A row of the figure: its label, and which runs of the table it shows.

    Without `readings`, it shows all those of `_READINGS`.
    """

    label: str
    graph: str
    policies: tuple[str, ...]
    readings: tuple[str, ...] = ()


_ROWS = (
    _Row("each user alone", "", ("LINUCB-IND", "TS-IND", "EG-IND")),
    _Row("no friends: L = I", "none", tuple(AROUND_A_MEAN)),
    _Row("no friends: L = 2 I", "none-2", tuple(AROUND_A_MEAN)),
    _Row("friends, users permuted", "permuted", tuple(AROUND_A_MEAN)),
    _Row("friends rewired", "rewired", tuple(AROUND_A_MEAN)),
    _Row("given friends", "given", tuple(AROUND_A_MEAN)),
    _Row("common mean, no friends", "", tuple(AROUND_A_MEAN.values())),
    _Row("given friends and common mean", "given+mean", tuple(AROUND_A_MEAN)),
    _Row(_ORACLE, "oracle", tuple(AROUND_A_MEAN)),
    _Row("all users as one", "", ("LINUCB-SIN", "TS-SIN", "EG-SIN")),
    _Row("longest context", "", ("Longest",)),
    _Row(_POPULARITY, "", ("Longest (popularity)",)),
    _Row("learned graph", "given", LEARNERS, ("tuned",)),
    _Row("  its edges, weights of 1", "given", LEARNERS, ("own-edges",)),
    _Row("  its diagonal alone", "given", LEARNERS, ("own-diagonal",)),
    _Row("  its mean diagonal held at 1", "given", LEARNERS, ("unit-diagonal",)),
    _Row("  with second moments, d + 1", "given", LEARNERS, ("moments",)),
    _Row("  with second moments, d", "given", LEARNERS, ("moments-d",)),
    _Row("  the given graph instead", "given", LEARNERS, ("given-later",)),
    _Row(f"  {_ORACLE}", "oracle", LEARNERS, ("given-later",)),
)
# Lane of a choice rule in its row, by the marker of its policies.
_LANES = {"o": -0.25, "s": 0.0, "^": 0.25, "v": -0.15, "P": 0.15}
_RULES = {"o": "UCB", "s": "Thompson sampling", "^": "epoch-greedy"}
# Looks of the readings: marker size, whether the marker is filled, and label.
_READINGS = {
    "tuned": (6.5, True, "tuned for this graph"),
    "as-given": (4.5, False, "values tuned for the given graph"),
    "lam-0.01": (2.5, True, "\N{GREEK SMALL LETTER LAMDA} = 0.01"),
}


def draw(
    table: pd.DataFrame,
    gains: pd.DataFrame,
    labels: Mapping[str, str],
    path: str | os.PathLike,
    *,
    generated: bool = False,
) -> None:
    """Draw one panel per dataset, with a row for each graph, and write the files.

    Parameters
    ----------
    table, gains : DataFrame
        As `horde.results.controls.control_table` and `gains_table` return them.
    labels : mapping of str to str
        Labels of the datasets.
    path : path
        Path of the PNG; `horde.figures.style.save` writes the other files next to it.
    generated : bool
        Whether the data are generated: the figure then says so.
    """
    seeds, fewest = int(table["seeds"].max()), int(table["seeds"].min())
    caption = {
        "seeds": seeds,
        "seeds of policies that learn a graph": fewest,
        "generated_data": generated,
        "intervals": "95 % Student's t-interval over seeds",
        "gains": {
            labels[dataset]: _gains(part[part["reading"] == "tuned"])
            for dataset, part in gains.groupby("dataset", sort=False)
        },
    }
    learners = [policy for policy in LEARNERS if (table["policy"] == policy).any()]
    notes = [
        style.GENERATED if generated else "",
        averaging(seeds),
        f"{style.LOWER}; lines: given friends",
        f"{' and '.join(learners)}: {fewest} runs" if fewest < seeds else "",
    ]
    with style.styled():
        style.save(_figure(table, labels, notes, learners), path, caption)


def _gains(tuned: pd.DataFrame) -> list[dict[str, Any]]:
    """Return one record per policy: what each of `GAINS` takes off the ratio."""
    return [
        {"policy": policy}
        | {
            row.gain: str(Interval(row.difference, row.difference_low, row.difference_high))
            for row in part.itertuples()
        }
        for policy, part in tuned.groupby("policy", sort=False)
    ]


def _figure(
    table: pd.DataFrame, labels: Mapping[str, str], notes: list[str], learners: list[str]
) -> Figure:
    datasets = list(dict.fromkeys(table["dataset"]))
    rows = [row for row in _ROWS if not _of(table, row).empty]
    looks = style.looks([policy for row in _ROWS for policy in row.policies])
    looks["Longest (popularity)"] = looks["Longest"]
    size = (3.9, 0.4 * len(rows))
    space = {"left": 2.75, "right": 0.2, "gap": 0.3, "top": 0.9, "bottom": 1.05}
    title = "What is a friend worth?"
    figure, grid = style.panels(len(datasets), title, notes, size=size, sharey=True, **space)
    for axes, dataset in zip(grid, datasets, strict=True):
        _panel(axes, table[table["dataset"] == dataset], rows, looks)
        axes.set(title=labels[dataset], xlabel="Final regret relative to Random")
        style.rows(axes, [row.label for row in rows])
    readings = table["reading"].unique()
    drawn = {looks[policy].marker for policy in table["policy"]}
    marks = [
        *((marker, "tuned", label) for marker, label in _RULES.items() if marker in drawn),
        *((looks[policy].marker, "tuned", policy) for policy in learners),
        *(("s", name, label) for name, (*_, label) in _READINGS.items() if name in {*readings}),
    ]
    handles = [
        Line2D([], [], label=label, **_marker(marker, "black", reading))
        for marker, reading, label in marks
    ]
    figure.legend(handles=handles, loc="lower left", ncols=4)
    return figure


def _of(table: pd.DataFrame, row: _Row) -> pd.DataFrame:
    shown = table["graph"].fillna("") == row.graph
    shown &= table["policy"].isin(row.policies) & table["reading"].isin(row.readings or _READINGS)
    return table[shown]


def _panel(
    axes: Axes, table: pd.DataFrame, rows: list[_Row], looks: Mapping[str, style.Look]
) -> None:
    for place in range(0, len(rows), 2):
        axes.axhspan(place - 0.5, place + 0.5, color="#f3f3f3", zorder=0)
    for place, row in enumerate(rows):
        for run in _of(table, row).itertuples():
            look = looks[run.policy]
            lane = place + _LANES.get(look.marker, 0.0)
            axes.plot(run.ratio_mean, lane, **_marker(look.marker, look.colour, run.reading))
            if run.reading == "tuned" or row.readings:
                dashes = style.DASHED if row.label.strip() in (_ORACLE, _POPULARITY) else "-"
                ends = [run.ratio_low, run.ratio_high]
                axes.plot(ends, [lane, lane], color=look.colour, lw=1.1, ls=dashes)
    given = _of(table, _Row("", "given", tuple(AROUND_A_MEAN), ("tuned",)))
    for run in given.itertuples():
        axes.axvline(run.ratio_mean, color=looks[run.policy].colour, lw=0.6, alpha=0.5, zorder=1)


def _marker(marker: str, colour: str, reading: str) -> dict[str, Any]:
    size, filled, _ = _READINGS.get(reading, _READINGS["tuned"])
    return {
        "linestyle": "none",
        "marker": marker,
        "markersize": size,
        "color": colour,
        "markerfacecolor": colour if filled else "white",
        "markeredgecolor": "white" if filled and size > 3 else colour,
        "markeredgewidth": 0.8,
    }
