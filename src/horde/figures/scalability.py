"""Figure 1: seconds per round against the number of users, of edges and of features."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from horde.errors import DataError
from horde.figures import style
from horde.figures.style import End, Look

_TITLES = {
    "1a": "Figure 1a: seconds per round by n",
    "1b": "Figure 1b: seconds per round by d",
    "1c": "Figure 1c (ours): seconds per round by n",
}
_COVERED = 9  # points, size of a marker below another
_X_TITLES = {"n": "Users n", "d": "Features d", "edges": "Edges"}
_SERIES = ["policy", "solver"]
_FAST = "local"
# How baselines of 2016 are written (`horde.timing.baselines`).
_BASELINES = {"numpy": "NumPy", "inverse": "full inverse", "anew": "pooled anew"}
_WITHOUT_EDGES = "CG, L = I"
_TICKS = 6
_LABEL = 0.25  # inches of height for each label


class Panel(NamedTuple):
    """A panel: rows of series, drawn against the size in column `x`."""

    rows: pd.DataFrame
    x: str
    title: str


def draw(
    table: pd.DataFrame,
    which: str,
    path: str | os.PathLike,
    *,
    generated: bool = False,
    caption: dict[str, Any] | None = None,
) -> None:
    """Draw Figure 1a, 1b or 1c on logarithmic axes and write the figure's files.

    The paper's solvers have solid lines and filled markers, the local ones dashed lines and open
    markers, baselines as written in 2016 dotted lines and open markers. Bars are quartiles. A note
    replaces the points that do not fit into memory.

    Parameters
    ----------
    table : DataFrame
        Columns ``figure``, ``policy``, ``solver``, ``n``, ``d``, ``edges``, ``seconds_per_round``,
        ``q25``, ``q75``, ``fits``, ``needs_gb``; rows of other figures are ignored.
    which : {"1a", "1b", "1c"}
        Name of the figure.
    path : path
        Path of the PNG; `horde.figures.style.save` writes the other files next to it.
    generated : bool
        Whether this is a demonstration at a reduced scale: the figure then says so.
    caption : dict, optional
        More data for the caption (growth, machine), JSON-able.

    Raises
    ------
    DataError
        If nothing was measured for this figure.
    """
    rows = table[table["figure"] == which].astype({"fits": bool})
    if not rows["fits"].any():
        raise DataError(f"nothing was measured for Figure {which}; run its timing job first")
    refused = rows[~rows["fits"]]
    stated = {
        "figure": which,
        "users": sorted(rows["n"].unique().tolist()),
        "features": sorted(rows["d"].unique().tolist()),
        "bars": "quartiles over rounds",
        "does_not_fit": refused[[*_SERIES, "n", "d", "edges", "needs_gb"]].to_dict("records"),
    }
    with style.styled():
        by_features = Panel(rows, "d", f"n = {rows['n'].iloc[0]:,}")
        panels = [by_features] if which == "1b" else list(_users_and_edges(rows))
        title = f"{_TITLES[which]} ({style.LOWER})"
        figure = _figure(panels, title, "demonstration" if generated else "", rows)
        style.save(figure, path, stated | (caption or {}))


def growth(slopes: pd.DataFrame) -> dict[str, list[dict[str, str]]]:
    """Return the fitted powers for a caption, grouped by the range of the fit.

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
    """Return a description of the numbers of edges of sweeps, for a caption.

    Parameters
    ----------
    sweeps : sequence of mapping
        Sweeps of the configuration.
    """
    return list(dict.fromkeys(map(_graphs, sweeps)))


def _graphs(sweep: Mapping[str, Any]) -> str:
    kind = "density" if sweep["density"] else "degree"
    low, high = min(sweep[kind]), max(sweep[kind])
    values = f"{kind} {low:g}" + (f" to {high:g}" if high > low else "")
    if len(sweep["users"]) == 1:
        return f"{values} at n = {sweep['users'][0]:,}"
    return f"{values} (edges grow with n{'^2' if sweep['density'] else ''})"


# Rows of each panel


def _users_and_edges(rows: pd.DataFrame) -> Iterator[Panel]:
    """Yield the panels: sizes of the dense inverse, larger sizes, and the sweep of edges."""
    usual, sweep = _usual_density(rows)
    features = f"d = {rows['d'].iloc[0]}"
    border = usual.loc[usual["solver"] == "dense", "n"].max()  # NaN if there is none
    small = usual["n"] <= border
    for part in (usual[small], usual[~small]):
        if not part.empty:
            ends = dict.fromkeys([part["n"].min(), part["n"].max()])
            yield Panel(part, "n", f"n = {' to '.join(map(_short, ends))}, {features}")
    swept = sweep[sweep.groupby(_SERIES)["edges"].transform("nunique") > 1]
    if not swept.empty:
        yield Panel(swept, "edges", f"n = {swept['n'].iloc[0]:,}, {features}")


def _usual_density(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split off the sweep of the density: the rows of the n with several numbers of edges.

    At that n, the rows with the density nearest to the median of all rows belong to both.
    """
    swept = rows.groupby("n")["edges"].transform("nunique") > 1
    density = rows["edges"] / rows["n"] ** 2
    usual = density[~swept].median() if (~swept).any() else density.median()
    distance = (np.log(density.clip(lower=1e-12)) - np.log(max(usual, 1e-12))).abs()
    nearest = distance == distance.groupby(rows["n"]).transform("min")
    return rows[~swept | nearest], rows[swept]


# Drawing


def _figure(panels: Sequence[Panel], title: str, note: str, rows: pd.DataFrame) -> Figure:
    policies = style.looks(rows["policy"])
    looks = {
        pair: _look(policies[pair[0]], pair[1])
        for panel in panels
        for pair in panel.rows[_SERIES].itertuples(index=False, name=None)
    }
    solvers = {solver for panel in panels for solver in panel.rows["solver"]}
    most = max(len(panel.rows[_SERIES].drop_duplicates()) for panel in panels)
    notes = {
        note: True,
        "synthetic": True,
        "solid: paper's solver": solvers - {_FAST, *_BASELINES},
        "dashed: local": _FAST in solvers,
        "dotted: as written in 2016": any(look.dashes == ":" for look in looks.values()),
        "bars: quartiles": True,
    }
    applying = [note for note, applies in notes.items() if applies]
    size = (4.1 if len(panels) == 1 else 3.3, max(3.27, _LABEL * most))
    space = {"left": 0.75, "right": 1.6, "gap": 1.45, "bottom": 0.55}
    figure, grid = style.panels(len(panels), title, applying, size=size, sharey=True, **space)
    drawn = []
    for axes, panel in zip(grid, panels, strict=True):
        drawn.append(
            [
                _series(axes, series.sort_values(panel.x), panel.x, looks[pair])
                for pair, series in panel.rows[panel.rows["fits"]].groupby(_SERIES, sort=False)
            ]
        )
        _scales(axes, panel)
    # Whole decades with all quartiles, and one more where sizes that do not fit are written.
    low, high = np.log10([rows["q25"].min(), rows["q75"].max()])
    grid[0].set_ylim(10 ** np.floor(low), 10 ** (np.ceil(high) + (not rows["fits"].all())))
    grid[0].set_ylabel("Seconds per round")
    for axes, panel, series in zip(grid, panels, drawn, strict=True):
        for line in style.reveal(axes, [line for line, _ in series]):
            line.set_markersize(_COVERED)
        style.label_ends(axes, [end for _, end in series])
        _refusals(axes, panel, looks)
    return figure


def _look(policy: Look, solver: str) -> Look:
    if solver == _FAST:
        return policy._replace(dashes=style.DASHED, label=f"{policy.label}, local")
    without_edges = solver == "cg" and policy.label.endswith("-IND")
    if baseline := _WITHOUT_EDGES if without_edges else _BASELINES.get(solver):
        return policy._replace(dashes=":", label=f"{policy.label}, {baseline}")
    return policy._replace(dashes="-")


def _series(axes: Axes, series: pd.DataFrame, x: str, look: Look) -> tuple[Line2D, End]:
    """Draw a series with its quartiles; return its line and where it ends."""
    seconds = series["seconds_per_round"]
    drawn = axes.errorbar(
        series[x],
        seconds,
        yerr=[(seconds - series["q25"]).clip(lower=0), (series["q75"] - seconds).clip(lower=0)],
        color=look.colour,
        linestyle=look.dashes,
        marker=look.marker,
        markerfacecolor=look.colour if look.dashes == "-" else "white",
        elinewidth=1.0,
        capsize=2,
    )
    return drawn.lines[0], End(series[x].iloc[-1], seconds.iloc[-1], look)


def _scales(axes: Axes, panel: Panel) -> None:
    axes.set(xscale="log", yscale="log", title=panel.title, xlabel=_X_TITLES[panel.x])
    axes.set_xticks(_thinned(np.unique(panel.rows[panel.x])))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    style.decades(axes.yaxis, LogLocator(10))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _thinned(sizes: np.ndarray) -> list[float]:
    """Return at most a handful of the ascending sizes, far enough apart for labels."""
    least = np.log(sizes[-1] / sizes[0]) / _TICKS
    kept = [sizes[0]]
    for size in sizes[1:]:
        if np.log(size / kept[-1]) >= least:
            kept.append(size)
    return kept


def _short(value: float) -> str:
    """Format 16384 as 16,384 and 6250000 as 6.25M."""
    return f"{value / 1e6:.3g}M" if value >= 999_500 else f"{value:,.0f}"


def _refusals(axes: Axes, panel: Panel, looks: Mapping[tuple[str, str], Look]) -> None:
    """Mark the smallest size at which each series does not fit, at the top of the axes."""
    x, refused = panel.x, panel.rows[~panel.rows["fits"]]
    first = refused.loc[refused.groupby(_SERIES, sort=False)[x].idxmin()]
    for position, row in enumerate(first.itertuples()):
        look, size, height = looks[row.policy, row.solver], getattr(row, x), 0.95 - 0.1 * position
        left = axes.transLimits.transform(axes.transScale.transform((size, 1)))[0] < 0.5
        axes.annotate(
            f"{look.label} does not fit\nat {x} = {_short(size)}: {row.needs_gb:,.0f} GB",
            xy=(size, height),
            xycoords=axes.get_xaxis_transform(),
            xytext=(6 if left else -6, 0),
            textcoords="offset points",
            ha="left" if left else "right",
            va="center",
            fontsize=8,
            linespacing=1.0,
            color=look.colour,
        )
        axes.plot(size, height, "x", color=look.colour, transform=axes.get_xaxis_transform())
