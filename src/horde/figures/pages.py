"""HTML pages, one file each: regret, verdict, preview, and multiverse.

All extend `templates/page.html`. A page loads nothing from the network; its content security
policy forbids it.
"""

import html
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import pandas as pd
import plotly.graph_objects as go
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from horde import files
from horde.experiments.specifications import CHOICES, ORACLE
from horde.figures import interval
from horde.figures.multiverse import LEVELS, WORDS
from horde.figures.regret import TITLES, Y_TITLE, averaging, bands, curve_looks, least_seeds, limits
from horde.figures.style import Look
from horde.results.statistics import Interval
from horde.verdict import context, reading
from horde.verdict.claims import Claim
from horde.verdict.history import Change
from horde.verdict.judge import BOUNDS, NUMBERS

# On a touch screen, dragging on a chart scrolls the page; buttons zoom.
_TOUCH = (
    "if (matchMedia('(pointer: coarse)').matches) Plotly.relayout('{plot_id}', {dragmode: false})"
)
_CONFIG = {
    "responsive": True,
    "displaylogo": False,
    "doubleClick": "reset",
    "modeBarButtons": [["toImage", "zoom2d", "pan2d"]],
}

_templates = jinja2.Environment(
    loader=jinja2.PackageLoader("horde.figures"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


class Panel(NamedTuple):
    """The regret curves of one dataset, a section of the page.

    Attributes
    ----------
    label : str
        Label of the data.
    data : str
        Description of the data.
    table : DataFrame
        As `horde.results.tables.regret_table` returns it, of one dataset.
    """

    label: str
    data: str
    table: pd.DataFrame


def write_regret(
    path: str | os.PathLike, panels: Sequence[Panel], *, run: str, generated: bool
) -> None:
    """Write the page of regret curves, on which readers can read values, hide policies and zoom.

    Parameters
    ----------
    path : path
        Path of the page.
    panels : sequence of Panel
        In the page's order.
    run : str
        Name of the run.
    generated : bool
        Whether the data are generated: the page then says so.
    """
    looks = curve_looks(policy for panel in panels for policy in panel.table["policy"].unique())
    shown = []
    for panel in panels:
        seeds = least_seeds(panel.table)
        numbers = "seed 0" if seeds == 1 else f"seeds 0 to {seeds - 1}"
        charts = [
            _described_chart(f"chart-{len(shown)}-{variant}", variant, part, looks)
            for variant, part in panel.table.groupby("variant", sort=False)
        ]
        about = f"{panel.data}. {averaging(seeds).capitalize()} ({numbers})."
        shown.append({"label": panel.label, "about": about, "charts": charts})
    _write(path, "regret.html", panels=shown, run=run, generated=generated, plotly=get_plotlyjs())


def _described_chart(
    name: str, variant: str, table: pd.DataFrame, looks: Mapping[str, Look]
) -> dict[str, Any]:
    """Return a chart, with what its controls and its text need."""
    return {
        "name": name,
        "title": TITLES.get(variant, variant),
        "chart": _chart(name, table, looks),
        "round": int(table["round"].max()),
        "final": _final(table, looks),
        "keys": [
            {"label": look.label, "colour": look.colour, "dash": _dash(look)}
            for look in (looks[policy] for policy in _best_first(table))
        ],
    }


def _best_first(table: pd.DataFrame) -> list[str]:
    """Return the policies in the order of their last mean ratios."""
    last = table.loc[table.groupby("policy")["round"].idxmax()].sort_values("ratio_mean")
    return last["policy"].tolist()


def _dash(look: Look) -> str:
    """Return the dashes of a line of width 2 as plotly and SVG write them, or ``solid``."""
    lengths = () if isinstance(look.dashes, str) else look.dashes[1]
    return ",".join(f"{2 * length:g}px" for length in lengths) or "solid"


def _chart(name: str, table: pd.DataFrame, looks: Mapping[str, Look]) -> str:
    figure = go.Figure(
        layout={
            "template": "none",
            "height": 520,
            "margin": {"l": 55, "r": 30, "t": 30, "b": 50},
            "font": {"family": "system-ui, sans-serif", "size": 13},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "hovermode": "x unified",
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "#888", "activecolor": "#1a5fb4"},
            # The page has boxes to tick, which work by keyboard, too.
            "showlegend": False,
            "xaxis": {
                "title": {"text": "Round", "standoff": 4},
                "range": [0, int(table["round"].max())],
                "tickformat": ",d",
            },
            "yaxis": {"title": Y_TITLE, "range": limits(table)},
        }
    )
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        axis.update(gridcolor="#d9d9d9", zeroline=False, hoverformat=axis.tickformat)
    figure.add_hline(1, line={"width": 1, "color": "#888", "dash": "dot"})
    curves = {policy: part.sort_values("round") for policy, part in table.groupby("policy")}
    # Best policy first in the values under the pointer.
    for policy in _best_first(table):
        figure.add_traces(_traces(curves[policy], looks[policy]))
    part = {"include_plotlyjs": False, "full_html": False}
    return figure.to_html(config=_CONFIG, div_id=name, post_script=_TOUCH, **part)


def _traces(curve: pd.DataFrame, look: Look) -> list[go.Scatter]:
    """Return a policy's line and, if present, its band; its box toggles both."""
    label = html.escape(look.label)  # plotly reads markup in texts
    rounds, mean = curve["round"].tolist(), curve["ratio_mean"].tolist()
    low, high = curve["ratio_low"].tolist(), curve["ratio_high"].tolist()
    banded = bool(bands(least_seeds(curve)))
    line = go.Scatter(
        x=rounds,
        y=mean,
        name=label,
        legendgroup=label,
        mode="lines",
        line={"color": look.colour, "width": 2, "dash": _dash(look)},
        customdata=[[f" ({a:.4f} to {b:.4f})"] for a, b in zip(low, high, strict=True)]
        if banded
        else None,
        hovertemplate="%{y:.4f}" + ("%{customdata[0]}" if banded else ""),
    )
    if not banded:
        return [line]
    band = go.Scatter(
        x=rounds + rounds[::-1],
        y=low + high[::-1],
        legendgroup=label,
        showlegend=False,
        hoverinfo="skip",
        mode="none",
        fill="toself",
        fillcolor=f"{look.colour}21",
    )
    return [band, line]


def _final(table: pd.DataFrame, looks: Mapping[str, Look]) -> list[tuple[str, str, str]]:
    """Return the last round's values, best first: policy, ratio, interval."""
    last = table[table["round"] == table["round"].max()].sort_values("ratio_mean")
    return [
        (
            looks[row.policy].label,
            f"{row.ratio_mean:.4f}",
            f"{row.ratio_low:.4f} to {row.ratio_high:.4f}" if bands(row.seeds) else "",
        )
        for row in last.itertuples()
    ]


def write_verdict(
    path: str | os.PathLike,
    claims: Mapping[str, Claim],
    verdict: pd.DataFrame,
    alternative: pd.DataFrame,
    tables: Mapping[str, str | os.PathLike],
    figures: str | os.PathLike,
    *,
    run: str,
    generated: bool,
    draft: bool,
    data: Sequence[str],
    seeds: Mapping[str, Sequence[int]],
    changes: Sequence[Change] | None,
    others: Mapping[str, pd.DataFrame],
) -> None:
    """Write the page of the verdict: one row per claim, with its evidence.

    Parameters
    ----------
    path : path
        Path of the page.
    claims : mapping of str to Claim
        All claims, in the order of the page.
    verdict : DataFrame
        Columns `horde.verdict.judge.COLUMNS`, one row per claim, in any order.
    alternative : DataFrame
        Columns `horde.verdict.judge.ALTERNATIVE_COLUMNS`, one row per alternative reading.
    tables : mapping of str to path
        Files that judged the claims, by name. ``runs`` is the table of runs, ``curves`` that of
        checkpoints within runs.
    figures : path
        The folder of the figures.
    run : str
        Name of the run.
    generated : bool
        Whether the data are generated: the page then says so.
    draft : bool
        Whether the rules are a draft: the page then says so.
    data : sequence of str
        A description of each dataset.
    seeds : mapping of str to sequence of int
        The fresh seeds of each kind.
    changes : sequence of Change or None
        Changes of the rules since their first commit; None if unknown.
    others : mapping of str to DataFrame
        The existing tables of `horde.verdict.context.TABLES`.
    """
    folder = Path(path).parent
    contents = {name: pd.read_csv(file) for name, file in tables.items()}

    def relative(target: str | os.PathLike) -> str:
        return Path(os.path.relpath(target, folder)).as_posix()

    def shown(row: pd.Series, claim: Claim) -> dict[str, Any]:
        own = seeds.get(claim.seeds, ())[: claim.number]
        lines = reading.lines_behind(claim, contents, own)
        sources = [(relative(tables[name]), reading.ranges(found)) for name, found in lines.items()]
        number = Interval(*row[NUMBERS])
        picture = interval.picture(number, *row[BOUNDS], row["verdict"], row["factor"])
        more = {"found": reading.found(row), "picture": Markup(picture), "sources": sources}
        return row.to_dict() | more

    entries = [
        {
            "claim": claim,
            "row": shown(row, claim),
            "alternatives": [
                shown(other, next(a for a in claim.alternatives if a.reading == other["reading"]))
                for other in readings
            ],
            "figure": claim.figure and relative(Path(figures) / f"{claim.figure}.png"),
            "others": context.sentences(claim, others),
        }
        for claim, row, readings in reading.by_claim(claims, verdict, alternative)
    ]
    now, before = reading.counts(claims, verdict.set_index("claim")["verdict"])
    facts = {"run": run, "generated": generated, "data": data, "seeds": seeds, "changes": changes}
    _write(path, "verdict.html", entries=entries, counts=now, before=before, draft=draft, **facts)


def write_preview(
    path: str | os.PathLike,
    table: pd.DataFrame,
    *,
    run: str,
    generated: bool,
    data: Sequence[str],
    rounds: int,
    seed: int,
) -> None:
    """Write the page of the preview: one row per claim, each marked as no verdict.

    Parameters
    ----------
    path : path
        Path of the page.
    table : DataFrame
        As `horde.verdict.preview.preview` returns it.
    run : str
        Name of the run.
    generated : bool
        Whether the data are generated: the page then says so.
    data : sequence of str
        A description of each dataset.
    rounds, seed : int
        Rounds of the runs, and the seed that was read.
    """
    rows = [
        {**row, "estimate": "" if pd.isna(row["estimate"]) else f"{row['estimate']:.4g}"}
        for row in table.to_dict("records")
    ]
    facts = {"run": run, "generated": generated, "data": data, "rounds": rounds, "seed": seed}
    _write(path, "preview.html", rows=rows, **facts)


def write_multiverse(
    path: str | os.PathLike,
    claims: Mapping[str, Claim],
    verdicts: pd.DataFrame,
    specifications: pd.DataFrame,
    *,
    run: str,
    generated: bool,
) -> None:
    """Write the page on which readers choose specifications and see where a claim holds.

    Parameters
    ----------
    path : path
        Path of the page.
    claims : mapping of str to Claim
        All claims.
    verdicts : DataFrame
        As `horde.verdict.multiverse.judged` returns it.
    specifications : DataFrame of str
        As `horde.experiments.specifications.read` returns it.
    run : str
        Name of the run.
    generated : bool
        Whether the data are generated: the page then says so.
    """
    judged = verdicts.merge(specifications, on="specification").sort_values("margin")
    rows = judged.set_index("claim")[["specification", "margin", "verdict", *WORDS]]
    content = {
        "choices": [
            {"name": word, "levels": {name: LEVELS.get(name, name) for name in CHOICES[choice]}}
            for choice, word in WORDS.items()
        ],
        "oracle": ORACLE,
        "claims": [
            {"name": name, "statement": claim.statement, "rows": rows.loc[[name]].values.tolist()}
            for name, claim in claims.items()
            if name in rows.index
        ],
    }
    # No text of a specification can end the script.
    data = json.dumps(content).replace("<", "\\u003c")
    facts = {"run": run, "generated": generated, "plotly": get_plotlyjs()}
    _write(path, "multiverse.html", data=data, **facts)


def _write(path: str | os.PathLike, template: str, **content: Any) -> None:
    files.write_text(path, _templates.get_template(template).render(content))
