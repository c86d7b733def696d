"""The regret curves as a page: point to read values, toggle policies, zoom."""

import json
import os
from collections.abc import Mapping
from typing import Any

import pandas as pd

from horde.figures.regret import SEEDS_FOR_BANDS, TITLES
from horde.figures.style import Look, looks
from horde.pages import page

_CONTROLS = """<div class="controls">
<label>Data <select id="dataset"></select></label>
<label>Hyper-parameters <select id="setting"></select></label>
<button id="reset">Whole run</button>
</div>
<svg id="chart" role="img" aria-label="Cumulative regret over Random's, against the round"></svg>
<div id="legend"></div>
<p class="soft">Press a name to hide or show its curve. Point at the chart to read values; drag
over a part of it to see that part only.</p>
<h2 id="round"></h2>
<table id="values"></table>"""


def write(
    path: str | os.PathLike,
    table: pd.DataFrame,
    labels: Mapping[str, str],
    *,
    run: str,
    generated: bool,
) -> None:
    """Write the page.

    Parameters
    ----------
    path : path
        Where to.
    table : DataFrame
        As `horde.tables.regret_table` returns it.
    labels : mapping of str to str
        The datasets' names, in the order of choice; those without rows are left out.
    run : str
        Name of the run.
    generated : bool
        Whether the data were generated: the page then says so.
    """
    drawn = looks(table["policy"])
    datasets = {
        name: {"label": label, "settings": _settings(table[table["dataset"] == name], drawn)}
        for name, label in labels.items()
        if (table["dataset"] == name).any()
    }
    content = {"datasets": datasets, "settings": TITLES}
    # A "</script>" in a label would end the element early.
    data = json.dumps(content, allow_nan=False).replace("<", "\\u003c")
    banner = '<p class="banner"><strong>Generated data, not the paper\'s.</strong></p>'
    seeds = int(table["seeds"].min())
    body = (
        f"{banner if generated else ''}\n"
        f"<p>Cumulative regret over the expected regret of a random choice, mean of {seeds} runs"
        f"{' with 95 % intervals' if seeds >= SEEDS_FOR_BANDS else ''}: run {page.text(run)}.</p>\n"
        f'{_CONTROLS}\n<script type="application/json" id="data">{data}</script>'
    )
    page.write(path, "Regret of the policies", body, style="regret.css", script="regret.js")


def _settings(rows: pd.DataFrame, drawn: Mapping[str, Look]) -> dict[str, Any]:
    return {
        setting: {
            "rounds": sorted(part["round"].unique().tolist()),
            "curves": [
                _curve(policy, drawn[policy], curve)
                for policy, curve in part.groupby("policy", sort=False)
            ],
        }
        for setting, part in rows.groupby("setting", sort=False)
    }


def _curve(policy: str, appearance: Look, rows: pd.DataFrame) -> dict[str, Any]:
    rows = rows.sort_values("round")
    dashes = "" if isinstance(appearance.dashes, str) else appearance.dashes[1]
    curve = {
        "policy": policy,
        "label": appearance.label,
        "colour": appearance.colour,
        "dashes": " ".join(str(round(2.2 * length, 1)) for length in dashes),
        "mean": rows["ratio_mean"].tolist(),
    }
    if rows["seeds"].min() >= SEEDS_FOR_BANDS:
        curve |= {"low": rows["ratio_low"].tolist(), "high": rows["ratio_high"].tolist()}
    return curve
