"""Figure 1: seconds a round against the number of users, of edges and of features."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from horde.errors import DataError
from horde.figures.labels import End, label_ends
from horde.figures.style import GREY, Look, looks, save, styled

LABELS = {"n": "Users n", "d": "Features d", "edges": "Edges"}
_TITLES = {
    "1a": "Seconds a round over users",
    "1b": "Seconds a round over features",
    "1c": "Seconds a round over users, to {most}",
}
_SIZE = ["n", "d", "edges"]
_FAST = "local"
_LEFT, _RIGHT, _GAP, _PANEL = 0.75, 1.35, 1.45, 3.3
_TICKS = 6


class Panel(NamedTuple):
    """Rows that are drawn against one of their sizes, and how the figure draws each policy."""

    rows: pd.DataFrame
    x: str
    title: str
    looks: Mapping[str, Look]


def draw(
    table: pd.DataFrame,
    which: str,
    path_pdf: str | os.PathLike,
    path_png: str | os.PathLike,
    *,
    generated: bool = False,
    caption: dict[str, Any] | None = None,
) -> None:
    """Draw Figure 1a, 1b or 1c on logarithmic axes and write the figure's files.

    The paper's solvers have solid lines and filled markers, the local ones dashed lines and open
    markers; bars are quartiles; what does not fit is written where it would have been.

    Parameters
    ----------
    table : DataFrame
        Columns ``figure``, ``policy``, ``solver``, ``n``, ``d``, ``edges``, ``seconds_per_round``,
        ``q25``, ``q75``, ``fits``, ``needs_gb``; rows of other figures are ignored.
    which : {"1a", "1b", "1c"}
        Which figure.
    path_pdf, path_png : path
        Where to; ``NAME.json`` appears beside the PNG with the caption's data.
    generated : bool
        Whether this is a demonstration at a reduced scale: the figure then says so.
    caption : dict, optional
        More data for the caption (growth, machine), JSON-able.

    Raises
    ------
    DataError
        If nothing was measured for this figure.
    """
    rows = table[table["figure"] == which]
    if not rows["fits"].astype(bool).any():
        raise DataError(f"nothing was measured for Figure {which}; run its timing job first")
    title = _TITLES[which].format(most=_short(rows["n"].max()))
    title += " (demonstration)" if generated else ""
    with styled():
        figure = _figure(_panels(rows, which), title)
        save(figure, path_pdf, path_png, {**_caption(rows, which), **(caption or {})})


def growth(slopes: pd.DataFrame) -> dict[str, list[dict[str, str]]]:
    """Return the fitted powers for a caption, grouped by the range that they were fitted over.

    Parameters
    ----------
    slopes : DataFrame
        As `horde.timing.tables.slopes_table` returns it.
    """
    groups = slopes.groupby(["x", "x_low", "x_high"], sort=False)
    return {
        f"{x} = {low:,.0f} to {high:,.0f}": [_power(row) for row in rows.itertuples()]
        for (x, low, high), rows in groups
    }


def _power(row: tuple) -> dict[str, str]:
    known = not pd.isna(row.slope_low)
    return {
        "policy": row.policy if row.solver == "none" else f"{row.policy} ({row.solver})",
        f"power_of_{row.x}": f"{row.slope:.2f}",
        "95 % interval": f"{row.slope_low:.2f} to {row.slope_high:.2f}" if known else "",
    }


def graphs(sweeps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return how many edges the problems of some sweeps have, for a caption.

    Parameters
    ----------
    sweeps : sequence of mapping
        As the configuration has them.
    """
    return list(dict.fromkeys(map(_graphs, sweeps)))


def _graphs(sweep: Mapping[str, Any]) -> str:
    kind = "density" if sweep["density"] else "degree"
    told = f"{kind} {_range(sweep[kind])}"
    if len(sweep["users"]) == 1:
        return f"{told} at n = {sweep['users'][0]:,}"
    return f"{told} (edges grow with n{'^2' if sweep['density'] else ''})"


def _range(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _caption(rows: pd.DataFrame, which: str) -> dict[str, Any]:
    refused = rows[~rows["fits"].astype(bool)]
    return {
        "figure": which,
        "users": sorted(rows["n"].unique().tolist()),
        "features": sorted(rows["d"].unique().tolist()),
        "bars": "quartiles over rounds",
        "does_not_fit": refused[["policy", "solver", *_SIZE, "needs_gb"]].to_dict("records"),
    }


# Which rows belong to which panel


def _panels(rows: pd.DataFrame, which: str) -> list[Panel]:
    drawn = looks(rows["policy"])
    if which == "1b":
        return [Panel(rows, "d", f"n = {rows['n'].iloc[0]:,}", drawn)]
    usual, sweep = _usual_density(rows)
    features = f"d = {rows['d'].iloc[0]}"
    panels = [
        Panel(part, "n", f"n = {_reach(part['n'])}, {features}", drawn)
        for part in _small_and_large(usual)
    ]
    swept = sweep.groupby(["policy", "solver"])["edges"].transform("nunique") > 1
    if swept.any():
        sweep = sweep[swept]
        panels.append(Panel(sweep, "edges", f"n = {sweep['n'].iloc[0]:,}, {features}", drawn))
    return panels


def _usual_density(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split off the sweep of the density: the rows of the n that has several numbers of edges.

    At that n, the rows whose density is nearest to the median of all belong to both.
    """
    counts = rows.groupby("n")["edges"].nunique()
    swept = rows["n"].isin(counts.index[counts > 1])
    density = rows["edges"] / rows["n"] ** 2
    usual = density[~swept].median() if (~swept).any() else density.median()
    distance = (np.log(density.clip(lower=1e-12)) - np.log(max(usual, 1e-12))).abs()
    nearest = distance == distance.groupby(rows["n"]).transform("min")
    return rows[~swept | nearest], rows[swept]


def _small_and_large(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the sizes at which the dense inverse was tried, then those beyond, if any."""
    dense = rows.loc[rows["solver"] == "dense", "n"]
    border = dense.max() if len(dense) else 0
    for part in (rows[rows["n"] <= border], rows[rows["n"] > border]):
        if not part.empty:
            yield part


# Drawing


def _key(panels: Sequence[Panel]) -> str:
    """Return what lines and bars mean, without a distinction that these panels do not make."""
    solvers = {solver for panel in panels for solver in panel.rows["solver"]}
    lines = {"solid: as in the paper": solvers - {_FAST}, "dashed: local solver": _FAST in solvers}
    told = [line for line, is_drawn in lines.items() if is_drawn]
    return "; ".join(["synthetic problems", *told, "bars: quartiles"])


def _figure(panels: Sequence[Panel], title: str) -> Figure:
    width = _LEFT + _RIGHT + _PANEL * len(panels) + _GAP * (len(panels) - 1)
    figure = Figure(figsize=(max(width, 6.2), 4.6))
    width = figure.get_figwidth()
    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    figure.subplots_adjust(_LEFT / width, 0.12, 1 - _RIGHT / width, 0.83, wspace=_GAP / _PANEL)
    figure.suptitle(title, x=_LEFT / width, y=0.975, ha="left", fontsize=12, weight="bold")
    figure.text(_LEFT / width, 0.91, _key(panels), fontsize=8.5, color=GREY)
    for axes, panel in zip(grid, panels, strict=True):
        for _, series in panel.rows.groupby(["policy", "solver"], sort=False, dropna=False):
            _series(axes, series, panel)
        _scales(axes, panel)
    grid[0].set_ylabel("Seconds a round")
    grid[0].set_ylim(_decades(pd.concat([panel.rows for panel in panels])))
    for axes, panel in zip(grid, panels, strict=True):
        label_ends(axes, list(_ends(panel)))
        _refusals(axes, panel)
    return figure


def _look(panel: Panel, policy: str, solver: str) -> Look:
    own = panel.looks[policy]
    fast = solver == _FAST
    label = f"{own.label}, local" if fast else own.label
    return Look(own.colour, (0, (4, 1.6)) if fast else "-", own.marker, label)


def _series(axes: Axes, series: pd.DataFrame, panel: Panel) -> None:
    series = series[series["fits"].astype(bool)].sort_values(panel.x)
    if series.empty:
        return
    appearance = _look(panel, series["policy"].iloc[0], series["solver"].iloc[0])
    seconds = series["seconds_per_round"]
    axes.errorbar(
        series[panel.x],
        seconds,
        yerr=[(seconds - series["q25"]).clip(lower=0), (series["q75"] - seconds).clip(lower=0)],
        color=appearance.colour,
        linestyle=appearance.dashes,
        marker=appearance.marker,
        markerfacecolor="white" if appearance.dashes != "-" else appearance.colour,
        elinewidth=1.0,
        capsize=2,
    )


def _scales(axes: Axes, panel: Panel) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title(panel.title)
    axes.set_xlabel(LABELS[panel.x])
    sizes = np.unique(panel.rows[panel.x])
    axes.set_xticks(_thinned(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    axes.yaxis.set_major_locator(LogLocator(10))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _decades(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the whole decades that hold all quartiles, with room above for what does not fit."""
    low, high = np.log10([rows["q25"].min(), rows["q75"].max()])
    return 10 ** np.floor(low), 10 ** np.ceil(high + 0.3 * (~rows["fits"].astype(bool)).any())


def _thinned(sizes: np.ndarray) -> np.ndarray:
    """Keep at most a handful of ascending sizes, far enough apart to be written."""
    least = np.log(sizes[-1] / sizes[0]) / _TICKS
    kept = [sizes[0]]
    for size in sizes[1:]:
        if np.log(size / kept[-1]) >= least:
            kept.append(size)
    return np.array(kept)


def _short(value: float) -> str:
    """Write 16384 as 16,384 and 6250000 as 6.25M."""
    return f"{value / 1e6:.3g}M" if value >= 999_500 else f"{value:,.0f}"


def _reach(sizes: pd.Series) -> str:
    return " to ".join(_short(size) for size in dict.fromkeys([sizes.min(), sizes.max()]))


def _ends(panel: Panel) -> Iterator[End]:
    for (policy, solver), series in panel.rows.groupby(["policy", "solver"], sort=False):
        measured = series[series["fits"].astype(bool)]
        if not measured.empty:
            last = measured.loc[measured[panel.x].idxmax()]
            yield End(last[panel.x], last["seconds_per_round"], _look(panel, policy, solver))


def _refusals(axes: Axes, panel: Panel) -> None:
    """Mark the smallest size at which each series does not fit, at the top of the axes."""
    refused = panel.rows[~panel.rows["fits"].astype(bool)]
    first = refused.loc[refused.groupby(["policy", "solver"], sort=False)[panel.x].idxmin()]
    for position, row in enumerate(first.itertuples()):
        appearance = _look(panel, row.policy, row.solver)
        size, height = getattr(row, panel.x), 0.97 - 0.06 * position
        left = axes.transLimits.transform(axes.transScale.transform((size, 1)))[0] < 0.5
        axes.annotate(
            f"{appearance.label} does not fit at {panel.x} = {_short(size)}:"
            f" needs {row.needs_gb:,.0f} GB",
            xy=(size, height),
            xycoords=axes.get_xaxis_transform(),
            xytext=(6 if left else -6, 0),
            textcoords="offset points",
            ha="left" if left else "right",
            va="center",
            fontsize=8,
            color=appearance.colour,
        )
        axes.plot(size, height, "x", color=appearance.colour, transform=axes.get_xaxis_transform())
