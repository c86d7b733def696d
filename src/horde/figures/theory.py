"""Figure B: the theorems, on synthetic data that meet their assumptions."""

import os
from collections.abc import Mapping
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from horde.figures import style
from horde.figures.regret import SEEDS_FOR_BANDS, averaging, bands
from horde.figures.style import GREY, NOTE, End, Look
from horde.results.statistics import t_interval

# The powers of T that Theorems 1 and 2 allow.
_RATES = {"G-EG": (2 / 3, "$T^{2/3}$"), "G-TS": (1 / 2, "$T^{1/2}$")}
# Matrices whose second eigenvalue may be meant in the bound.
_READINGS = {
    "L": ("$L$", "o", "#00644A"),
    "L_G": ("$L_G$", "^", "#CC7A00"),
    "unnormalised": ("unnormalised\nLaplacian", "s", "#C2478F"),
}


def draw(
    runs: pd.DataFrame,
    traces: pd.DataFrame,
    bound: pd.DataFrame,
    path: str | os.PathLike,
    *,
    generated: bool = False,
    caption: dict[str, Any] | None = None,
) -> None:
    """Draw regret by round, regret by share of isolated users, and the bound on the trace.

    Parameters
    ----------
    runs : DataFrame
        Columns `horde.results.tables.RUN_COLUMNS`; one dataset per share of isolated users.
    traces : DataFrame
        ``dataset``, ``isolated``, ``trace_over_n``, from `horde.experiments.theory.traces`.
    bound : DataFrame
        As `horde.experiments.theory.trace_bound` returns it.
    path : path
        Path of the PNG; `horde.figures.style.save` writes the other files next to it.
    generated : bool
        Whether this is a demonstration at a reduced scale: the figure then says so.
    caption : dict, optional
        More data for the caption, JSON-able.
    """
    runs = runs[runs["variant"] == "theory"]
    seeds = runs["seed"].nunique()
    stated = {
        "rounds": int(runs["round"].max()),
        "seeds": seeds,
        "policies": runs["policy"].unique().tolist(),
        "bars": bands(seeds),
        "data": "synthetic; they meet the theorems' assumptions",
    }
    title = "Figure B (Appendix B): the theorems, on synthetic data"
    title += " (demonstration)" if generated else ""
    space = {"left": 0.75, "right": 1.4, "gap": 1.4, "bottom": 0.7}
    # The texts are fixed here, so formulas in them can be typeset.
    with style.styled(), matplotlib.rc_context({"text.parse_math": True}):
        figure, axes = style.panels(3, title, [averaging(seeds)], size=(3.25, 2.95), **space)
        looks = style.looks(runs["policy"])
        _growth(axes[0], runs[runs["dataset"] == traces["dataset"].iloc[0]], looks)
        _isolation(axes[1], runs, traces, looks)
        _bounds(axes[2], bound)
        style.save(figure, path, stated | (caption or {}))


def _growth(axes: Axes, runs: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    axes.set(xscale="log", yscale="log", xlabel="Round", ylabel="Cumulative regret")
    axes.set_title(f"Regret of the connected graph ({style.LOWER})")
    ends = []
    for policy, found in runs.groupby("policy", sort=False):
        regret = found.groupby("round")["regret"]
        mean = regret.mean()
        mean = mean[mean > 0]
        axes.plot(mean.index, mean, color=looks[policy].colour, linestyle=looks[policy].dashes)
        if found["seed"].nunique() >= SEEDS_FOR_BANDS:
            _, low, high = np.array([t_interval(regret.get_group(t)) for t in mean.index]).T
            # A logarithmic axis has no place for a lower end at or below 0.
            low = np.maximum(low, mean.min() / 2)
            axes.fill_between(mean.index, low, high, color=looks[policy].colour, alpha=0.13, lw=0)
        ends.append(End(mean.index[-1], mean.iloc[-1], looks[policy]))
        if policy in _RATES:
            _guide(axes, ends[-1], *_RATES[policy])
    axes.set_xlim(runs["round"].min(), runs["round"].max())
    axes.margins(y=0.12)
    axes.autoscale_view()
    style.log_ticks(axes.xaxis)
    style.log_ticks(axes.yaxis)
    style.label_ends(axes, ends)


def _guide(axes: Axes, end: End, power: float, name: str) -> None:
    """Draw the allowed growth through the end of the curve, over the last 90 % of the run."""
    start = end.x / 10, end.y / 10**power
    axes.plot([start[0], end.x], [start[1], end.y], color=GREY, linewidth=0.8)
    below = {"xytext": (0, -4), "textcoords": "offset points", "ha": "center", "va": "top"}
    axes.annotate(name, start, **below, **NOTE)


def _isolation(
    axes: Axes, runs: pd.DataFrame, traces: pd.DataFrame, looks: Mapping[str, Look]
) -> None:
    final = runs[runs["round"] == runs["round"].max()]
    enough = SEEDS_FOR_BANDS * len(traces)
    ends = []
    for policy, found in final.groupby("policy", sort=False):
        regret = found.groupby("dataset")["regret"]
        value, low, high = np.array([t_interval(regret.get_group(x)) for x in traces["dataset"]]).T
        axes.errorbar(
            traces["isolated"],
            value,
            yerr=[value - low, high - value] if len(found) >= enough else None,
            color=looks[policy].colour,
            linestyle=looks[policy].dashes,
            marker=looks[policy].marker,
            capsize=3,
        )
        ends.append(End(traces["isolated"].iloc[-1], value[-1], looks[policy]))
    shares = [f"{row.isolated:.0%}\n{row.trace_over_n:.2f}" for row in traces.itertuples()]
    axes.set_xticks(traces["isolated"], shares)
    axes.set(yscale="log", title=f"Regret at the end ({style.LOWER})")
    axes.set(xlabel="Share of isolated users, and Tr($L^{-1}$)/n", ylabel="Cumulative regret")
    axes.autoscale_view()
    style.log_ticks(axes.yaxis)
    style.label_ends(axes, ends)


def _bounds(axes: Axes, bound: pd.DataFrame) -> None:
    for reading, (name, marker, colour) in _READINGS.items():
        rows = bound[bound["reading"] == reading]
        infinite = int(np.isinf(rows["bound"]).sum())
        label = name + (f"\n(infinite on {infinite})" if infinite else "")
        rows = rows[np.isfinite(rows["bound"])]
        axes.plot(rows["trace_over_n"], rows["bound"], marker, color=colour, label=label)
    low, high = 0.95 * bound["trace_over_n"].min(), 1.05 * bound["trace_over_n"].max()
    line = np.linspace(low, high, 50)
    axes.plot(line, line, color=GREY, linewidth=0.8)
    below = (high, 0.9 * (low + high) / 2)
    axes.annotate("equal: below, the bound fails", below, ha="right", va="top", **NOTE)
    axes.set(yscale="log", title=f"Bound on the trace, {bound['graph'].nunique()} graphs")
    axes.set(xlabel="Tr($L^{-1}$)/n", ylabel="$(1 - 1/n)/\\nu_2 + 1/n$")
    axes.autoscale_view()
    style.log_ticks(axes.yaxis)
    # Outside the axes, where there are no points.
    axes.legend(title="$\\nu_2$ of", alignment="left", loc="upper left", bbox_to_anchor=(1, 1))
