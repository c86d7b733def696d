"""The regret curves as a page: point to read values, toggle policies, zoom."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from horde.figures import page
from horde.figures.regret import SEEDS_FOR_BANDS, TITLES, curve_looks
from horde.figures.style import Look

_CONTROLS = """<div class="controls">
<label>Data <select id="panel"></select></label>
<label>Hyper-parameters <select id="setting"></select></label>
<button id="reset">Whole run</button>
</div>
<svg id="chart" role="img" aria-label="Cumulative regret over Random's, against the round"></svg>
<div id="legend"></div>
<p id="about"></p>
<p class="soft">Press a name to hide or show its curve. Point at the chart to read values; drag
over a part of it to see that part only, or along one axis to narrow that one alone.</p>
<h2 id="round"></h2>
<table id="values"></table>"""

_DIFFERENCES = """<p class="soft">Differences from the paper: a tuned GOBLIN, G-EG, G-TS, L-EG and
U-EG compute means with the local solver, exact to 99.9 % of the picks; GOBLIN does so with the
paper's hyper-parameters too. L-EG and U-EG re-estimate the graph every 10,000 rounds unless
configured otherwise (the paper: 1,000). CLUB's alpha2 is ours, since the paper gives none.
<code>docs/deviations.md</code> of the repository says more, and what this does to results.</p>"""


class Panel(NamedTuple):
    """Curves that are shown together.

    Attributes
    ----------
    label : str
        Its name in the choice.
    data : str
        What the data are.
    table : DataFrame
        As `horde.results.tables.regret_table` returns it, of one dataset.
    """

    label: str
    data: str
    table: pd.DataFrame


def write(path: str | os.PathLike, panels: Sequence[Panel], *, run: str, generated: bool) -> None:
    """Write the page.

    Parameters
    ----------
    path : path
        Where to.
    panels : sequence of Panel
        In the order of choice.
    run : str
        Name of the run.
    generated : bool
        Whether the data were generated: the page then says so.
    """
    drawn = curve_looks(policy for panel in panels for policy in panel.table["policy"].unique())
    content = {"panels": [_panel(panel, drawn) for panel in panels], "variants": TITLES}
    # A "</script>" in a label would end the element early.
    data = json.dumps(content, allow_nan=False).replace("<", "\\u003c")
    banner = '<p class="banner"><strong>Generated data, not the paper\'s.</strong></p>'
    body = (
        f"{banner if generated else ''}\n"
        f"<p>Cumulative regret over the expected regret of a random choice: run {page.text(run)}."
        f"</p>\n{_CONTROLS}\n{_DIFFERENCES}\n"
        f'<script type="application/json" id="data">{data}</script>'
    )
    page.write(path, "Regret of the policies", body, style="regret.css", script="regret.js")


def _panel(panel: Panel, drawn: Mapping[str, Look]) -> dict[str, Any]:
    seeds = int(panel.table["seeds"].min())
    bands = " and 95 % interval" if seeds >= SEEDS_FOR_BANDS else ""
    averaged = f"Mean{bands} over the seeds {', '.join(map(str, range(seeds)))}"
    return {
        "label": panel.label,
        "about": f"{panel.data}. {averaged if seeds > 1 else 'One run, seed 0'}.",
        "variants": _variants(panel.table, drawn),
    }


def _variants(rows: pd.DataFrame, drawn: Mapping[str, Look]) -> dict[str, Any]:
    return {
        variant: {
            "rounds": sorted(part["round"].unique().tolist()),
            "curves": [
                _curve(policy, drawn[policy], curve)
                for policy, curve in part.groupby("policy", sort=False)
            ],
        }
        for variant, part in rows.groupby("variant", sort=False)
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
