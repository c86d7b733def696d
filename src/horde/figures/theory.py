"""Figure B: what the theorems say, on synthetic data that meet their assumptions."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from horde.figures import ticks
from horde.figures.labels import End, label_ends
from horde.figures.regret import SEEDS_FOR_BANDS, bands
from horde.figures.style import GREY, Look, looks, save, styled
from horde.results.statistics import t_interval

# The powers of T that Theorems 1 and 2 allow.
_RATES = {"G-EG": (2 / 3, "$T^{2/3}$"), "G-TS": (1 / 2, "$T^{1/2}$")}
_READINGS = {"L": ("o", "#00644A"), "L_G": ("^", "#CC7A00"), "unnormalised": ("s", "#C2478F")}


def draw(
    runs: pd.DataFrame,
    traces: pd.DataFrame,
    bound: pd.DataFrame,
    path_pdf: str | os.PathLike,
    path_png: str | os.PathLike,
    *,
    generated: bool = False,
    caption: dict[str, Any] | None = None,
) -> None:
    """Draw regret against the rounds, against the share of isolated users, and the trace's bound.

    Parameters
    ----------
    runs : DataFrame
        Columns `horde.results.tables.RUN_COLUMNS`; a dataset for each share of isolated users.
    traces : DataFrame
        ``dataset``, ``isolated``, ``trace_over_n``, as `horde.experiments.theory.traces` has them.
    bound : DataFrame
        As `horde.experiments.trace_bound.table` returns it.
    path_pdf, path_png : path
        Where to; ``NAME.json`` appears beside the PNG with the caption's data.
    generated : bool
        Whether this is a demonstration at a reduced scale: the figure then says so.
    caption : dict, optional
        More data for the caption, JSON-able.
    """
    seeds = runs["seed"].nunique()
    told = {
        "rounds": int(runs["round"].max()),
        "seeds": seeds,
        "policies": runs["policy"].unique().tolist(),
        "bars": bands(seeds),
        "data": "synthetic, made to meet the theorems' assumptions",
    }
    with styled():
        figure = Figure(figsize=(13.6, 4.4))
        axes = figure.subplots(1, 3)
        figure.subplots_adjust(0.055, 0.16, 0.985, 0.83, wspace=0.42)
        title = "Theory, on synthetic data" + (" (demonstration)" if generated else "")
        figure.suptitle(title, x=0.055, y=0.975, ha="left", fontsize=12, weight="bold")
        drawn = looks(runs["policy"])
        _growth(axes[0], runs[runs["dataset"] == traces["dataset"].iloc[0]], drawn)
        _isolation(axes[1], runs, traces, drawn)
        _bounds(axes[2], bound)
        save(figure, path_pdf, path_png, told | (caption or {}))


def _growth(axes: Axes, runs: pd.DataFrame, drawn: Mapping[str, Look]) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    ends = []
    for policy, found in runs.groupby("policy", sort=False):
        mean = found.groupby("round")["regret"].mean()
        mean = mean[mean > 0]
        appearance = drawn[policy]
        axes.plot(mean.index, mean, color=appearance.colour, linestyle=appearance.dashes)
        ends.append(End(mean.index[-1], mean.iloc[-1], appearance))
        if policy in _RATES:
            _guide(axes, mean, *_RATES[policy])
    axes.set_title("Regret of the connected graph")
    axes.set_xlabel("Round")
    axes.set_ylabel("Cumulative regret")
    axes.set_xlim(runs["round"].min(), runs["round"].max())
    axes.margins(y=0.12)
    axes.autoscale_view()
    ticks.mark(axes.xaxis)
    ticks.mark(axes.yaxis)
    label_ends(axes, ends)


def _guide(axes: Axes, mean: pd.Series, power: float, name: str) -> None:
    """Draw the allowed growth through the curve's end, over the last nine tenths of the run."""
    last = mean.index[-1]
    rounds = np.array([last / 10, last])
    axes.plot(rounds, mean.iloc[-1] * (rounds / last) ** power, color=GREY, linewidth=0.8)
    axes.annotate(
        name,
        (rounds[0], mean.iloc[-1] * (rounds[0] / last) ** power),
        xytext=(0, -4),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=8.5,
        color=GREY,
    )


def _isolation(
    axes: Axes, runs: pd.DataFrame, traces: pd.DataFrame, drawn: Mapping[str, Look]
) -> None:
    final = runs[runs["round"] == runs["round"].max()]
    wanted = SEEDS_FOR_BANDS * len(traces)
    ends = []
    for policy, found in final.groupby("policy", sort=False):
        appearance = drawn[policy]
        rows = [
            t_interval(found.loc[found["dataset"] == dataset, "regret"])
            for dataset in traces["dataset"]
        ]
        value, low, high = np.array(rows).T
        axes.errorbar(
            traces["isolated"],
            value,
            yerr=[value - low, high - value] if len(found) >= wanted else None,
            color=appearance.colour,
            linestyle=appearance.dashes,
            marker=appearance.marker,
            capsize=3,
        )
        ends.append(End(traces["isolated"].iloc[-1], value[-1], appearance))
    axes.set_yscale("log")
    labels = [f"{row.isolated:.0%}\n{row.trace_over_n:.2f}" for row in traces.itertuples()]
    axes.set_xticks(traces["isolated"], labels)
    axes.set_title("Regret at the end")
    axes.set_xlabel("Isolated users, and Tr($L^{-1}$)/n")
    axes.autoscale_view()
    ticks.mark(axes.yaxis)
    label_ends(axes, ends)


def _bounds(axes: Axes, bound: pd.DataFrame) -> None:
    for reading, (marker, colour) in _READINGS.items():
        rows = bound[(bound["reading"] == reading) & np.isfinite(bound["bound"])]
        infinite = int(np.isinf(bound.loc[bound["reading"] == reading, "bound"]).sum())
        name = reading.replace("L_G", "$L_G$").replace("unnormalised", "unnormalised Laplacian")
        label = f"of {name}" + (f"; infinite on {infinite}" if infinite else "")
        axes.plot(rows["trace_over_n"], rows["bound"], marker, color=colour, label=label)
    axes.set_yscale("log")
    low, high = 0.95 * bound["trace_over_n"].min(), 1.05 * bound["trace_over_n"].max()
    line = np.linspace(low, high, 50)
    axes.plot(line, line, color=GREY, linewidth=0.8)
    middle = (low + high) / 2
    axes.annotate("equal", (middle, 0.9 * middle), va="top", fontsize=8.5, color=GREY)
    axes.autoscale_view()
    ticks.mark(axes.yaxis)
    axes.set_title(f"Bound on the trace, {bound['graph'].nunique()} graphs")
    axes.set_xlabel("Tr($L^{-1}$)/n; below the line the bound fails")
    axes.set_ylabel("(1 - 1/n)/$\\nu_2$ + 1/n")
    axes.legend(title="$\\nu_2$", fontsize=8, frameon=False, loc="lower right")
