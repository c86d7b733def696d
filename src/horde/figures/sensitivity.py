"""Final ratios under each alternative, next to those of the configured choices."""

import os
import re
from collections.abc import Iterable, Mapping
from textwrap import wrap
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from horde.figures import style
from horde.figures.regret import SEEDS_FOR_BANDS, averaging, bands, least_seeds
from horde.figures.style import GREY, NOTE, NOTE_SIZE, Look
from horde.verdict import sensitivity
from horde.verdict.reading import ranges

# Inches: height of a policy's lane in an alternative's row, space around the lanes, smallest height
# of a row, height of a line of text, and space on both sides of the panels.
_LANE, _AROUND, _LEAST, _LINE = 0.085, 0.12, 0.4, 0.16
_LEFT, _RIGHT = 2.15, 2.05
_LETTERS = 14  # of a line of text, per inch
# Sign before a claim with such a verdict.
_SIGNS = {"reproduced": "+", "not reproduced": "\N{MINUS SIGN}", "inconclusive": "?"}


class _Row(NamedTuple):
    """The row of an alternative.

    `changed` maps a claim to its other verdict; `unjudged` has claims that could not be judged.
    `text` tells both. Each policy of any panel has a lane. `centre` and `height` are in inches from
    the top.
    """

    label: str
    policies: tuple[str, ...]
    changed: Mapping[str, str]
    unjudged: str
    text: str
    centre: float
    height: float

    def lane(self, policy: str) -> float:
        """Return the position of a policy's points, in inches from the top."""
        return self.centre + _LANE * (self.policies.index(policy) - (len(self.policies) - 1) / 2)


def draw(
    table: pd.DataFrame,
    labels: Mapping[str, str],
    statements: Mapping[str, str],
    path: str | os.PathLike,
    *,
    generated: bool = False,
) -> None:
    """Draw one panel per dataset, with a row of points for each alternative.

    A row has a point for each policy that the alternative changes. Each policy has its own lane in
    the row, so that points of equal ratios do not overlap.

    Parameters
    ----------
    table : DataFrame
        As `horde.verdict.sensitivity.table` returns it; its first alternative is the baseline,
        drawn as lines from top to bottom.
    labels : mapping of str to str
        Labels of datasets, and of those alternatives that have one.
    statements : mapping of str to str
        Statement of each claim, shown below for claims with another verdict.
    path : path
        Path of the PNG; `horde.figures.style.save` writes the other files next to it.
    generated : bool
        Whether the data are generated: the figure then says so.
    """
    rows = _rows(table, labels)
    changed = {claim for row in rows.values() for claim in row.changed}
    named = {claim: text for claim, text in statements.items() if claim in changed}
    unjudged: dict[str, list[str]] = {}
    for name, row in rows.items():
        unjudged.setdefault(row.unjudged, []).append(name)
    caption = {
        "alternatives": list(rows),
        "seeds": least_seeds(table),
        "bars": bands(least_seeds(table)),
        "generated_data": generated,
        "claims with another verdict": [f"{claim} ({text})" for claim, text in named.items()],
        "claims that could not be judged": [
            f"{claims} ({', '.join(names)})" for claims, names in unjudged.items() if claims
        ],
    }
    with style.styled():
        figure = _figure(table, rows, labels, named, style.GENERATED if generated else "")
        style.save(figure, path, caption)


def _rows(table: pd.DataFrame, labels: Mapping[str, str]) -> dict[str, _Row]:
    order, rows, top = style.looks(table["policy"]), {}, 0.0
    changes = sensitivity.changes(table)
    not_judged = table["claims_not_judged"].astype(object).fillna("")
    for name, part in table.groupby("alternative", sort=False):
        policies = tuple(policy for policy in order if policy in set(part["policy"]))
        found = {claim: after for claim, (_, after) in changes.get(name, {}).items()}
        label = f"{labels[name]}\n({name})" if name in labels else name
        without = _condensed(re.findall(r"\w+", not_judged[part.index[0]]))
        lines = _changes(found if rows else None, without)
        height = max(_LEAST, _AROUND + _LANE * len(policies), _AROUND + _LINE * len(lines))
        place = top + height / 2
        rows[name] = _Row(label, policies, found, without, "\n".join(lines), place, height)
        top += height
    return rows


def _changes(changed: Mapping[str, str] | None, unjudged: str) -> list[str]:
    """Return the lines that tell which claims have another verdict; None for the baseline."""
    texts = []
    if changed is not None:
        signed = (f"{_SIGNS[verdict]}{claim}" for claim, verdict in changed.items())
        texts.append(", ".join(signed) or "none")
    if unjudged:
        texts.append(f"not judged: {unjudged}")
    return [line for text in texts for line in wrap(text, int(_LETTERS * _RIGHT))]


def _condensed(claims: Iterable[str]) -> str:
    """Format L1, L2, L3, R5 as L1-L3, R5."""
    numbers: dict[str, list[int]] = {}
    for claim in claims:
        numbers.setdefault(claim[0], []).append(int(claim[1:]))
    return ", ".join(
        re.sub(r"(\d+)", rf"{letter}\1", ranges(found)) for letter, found in numbers.items()
    )


def _figure(
    table: pd.DataFrame,
    rows: Mapping[str, _Row],
    labels: Mapping[str, str],
    claims: Mapping[str, str],
    note: str,
) -> Figure:
    looks = style.looks(table["policy"])
    datasets = list(dict.fromkeys(table["dataset"]))
    columns = 4 * len(datasets)  # of the legend
    letters = int(_LETTERS * (_LEFT + _RIGHT + 4.2 * len(datasets)))
    lines = [
        line
        for claim, text in claims.items()
        for line in wrap(f"{claim}: {text}", letters, subsequent_indent="      ")
    ]
    height = sum(row.height for row in rows.values())
    title = f"Sensitivity to choices that the paper leaves open ({style.LOWER})"
    notes = [note, "lines: as configured", averaging(least_seeds(table))]
    space = {"left": _LEFT, "right": _RIGHT, "gap": 0.4, "bottom": 0.65 + _LINE * len(lines)}
    space["top"] = 1.2 + _LINE * -(-len(looks) // columns)
    size = (4.0, height)
    figure, grid = style.panels(len(datasets), title, notes, size=size, sharey=True, **space)
    for axes, dataset in zip(grid, datasets, strict=True):
        _panel(axes, table[table["dataset"] == dataset], rows, looks)
        axes.set(title=labels.get(dataset, dataset), xlabel="Final regret relative to Random")
    grid[0].set_yticks([row.centre for row in rows.values()], [row.label for row in rows.values()])
    grid[0].set_ylim(height, 0)
    _write(grid[-1], rows.values())
    width, height = figure.get_size_inches()
    figure.text(0.1 / width, 0.1 / height, "\n".join(lines), va="bottom", **NOTE)
    points = {line.get_label(): line for axes in grid for line in axes.lines}
    place = {"loc": "upper left", "bbox_to_anchor": ((_LEFT - 0.1) / width, 1 - 0.6 / height)}
    figure.legend(points.values(), points.keys(), ncols=columns, borderaxespad=0, **place)
    return figure


def _panel(
    axes: Axes, points: pd.DataFrame, rows: Mapping[str, _Row], looks: Mapping[str, Look]
) -> None:
    baseline, *others = rows
    bottom = sum(row.height for row in rows.values())
    for name in others[::2]:
        row, half = rows[name], rows[name].height / 2
        axes.axhspan(row.centre - half, row.centre + half, color="#f3f3f3", zorder=0)
    for policy, look in looks.items():
        found = points[points["policy"] == policy]
        base = found.loc[found["alternative"] == baseline, "ratio_mean"]
        axes.vlines(base, 0, bottom, color=look.colour, lw=0.7, alpha=0.45)
        lanes = [rows[name].lane(policy) for name in found["alternative"]]
        if least_seeds(points) >= SEEDS_FOR_BANDS:
            ends = found["ratio_low"], found["ratio_high"]
            axes.hlines(lanes, *ends, color=look.colour, lw=1, alpha=0.6)
        axes.plot(
            found["ratio_mean"],
            lanes,
            linestyle="none",
            marker=look.marker or "|",
            color=look.colour,
            markeredgecolor="white",
            markersize=5.5,
            label=policy,
        )
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)


def _write(axes: Axes, rows: Iterable[_Row]) -> None:
    """Write the text of each row to its right, and what the signs mean above."""
    x, right = 1.02, {"transform": axes.get_yaxis_transform(), "va": "center"}
    signs = "\n".join(f"{sign} {verdict}" for verdict, sign in _SIGNS.items())
    text = f"Claims with another verdict:\n{signs}\nnot judged: a policy was not run"
    above = {"xycoords": axes.transAxes, "xytext": (0, 3), "textcoords": "offset points"}
    axes.annotate(text, (x, 1), fontsize=8, color=GREY, **above)
    for row in rows:
        axes.text(x, row.centre, row.text, fontsize=NOTE_SIZE, **right)
