"""A finished figure's part of a run, copied to where reference results are kept."""

import html
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from horde import files, machine
from horde.errors import ConfigError, DataError
from horde.experiments import plan
from horde.results.tables import read_csv, write_csv
from horde.verdict import published
from horde.verdict.claims import TABLES

COSTS = "timing/costs.csv"
COST_COLUMNS = ["rule", "jobs", "cpu_seconds", "wall_seconds", "peak_mb"]


@dataclass(frozen=True)
class Part:
    """What belongs to a figure: its pictures by name, and tables below the results' folder.

    `others` are copied if they are there.
    """

    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


PARTS = {
    "fig1": Part(
        tuple(plan.SCALABILITY_FIGURES.values()),
        (
            "timing/scalability.csv",
            "timing/scalability_slopes.csv",
            "summary/kronecker_graphs.csv",
            "summary/capacity.csv",
        ),
    ),
    "fig2a": Part(("fig2a_lastfm_regret",), ("summary/regret_lastfm.csv",)),
    "fig2b": Part(("fig2b_delicious_regret",), ("summary/regret_delicious.csv",)),
    "fig3": Part(
        (*plan.LEARNING_FIGURES.values(), plan.LEARNED_GRAPH),
        ("summary/learning.csv", "summary/learned_graph.csv", "timing/graph_learning.csv"),
    ),
    "figB": Part(("figB_theory",), ("summary/trace_bound.csv", "summary/counterparts.csv")),
    "sensitivity": Part(("sensitivity",), ("summary/sensitivity.csv",)),
    "verdict": Part(
        (),
        (
            *published.VERDICTS,
            published.ALTERNATIVE,
            published.RUNS,
            published.CURVES,
            "verdict.html",
        ),
        tuple(TABLES.values()),
    ),
}


def publishable_config(name: str, results: str | os.PathLike) -> dict:
    """Return the configuration of a run of which this part may be published.

    Raises
    ------
    ConfigError
        If there is no such part, or the run is on generated data.
    DataError
        If there is no run.
    """
    if name not in PARTS:
        raise ConfigError(f"there is no part {name!r} to publish; there are {', '.join(PARTS)}")
    path = Path(results) / "config.json"
    if not path.exists():
        raise DataError(f"{results} holds no run; {_how(name)}")
    config = files.read_json(path)
    if plan.is_generated(config):
        raise ConfigError(f"{results} is a run on generated data, which is no reference result")
    return config


def _how(name: str) -> str:
    return f"make it with `snakemake --cores all {name}`"


def publish(
    name: str, results: str | os.PathLike, figures: str | os.PathLike, to: str | os.PathLike
) -> list[Path]:
    """Copy a finished part, and say on what machine it was made and what the run's jobs cost.

    Parameters
    ----------
    name : str
        A key of `PARTS`.
    results, figures : path
        Folders of one run, ``results/{run}`` and ``figures/{run}``.
    to : path
        Where to; what is there of the same part is replaced.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    ConfigError
        If there is no such part, or the run is on generated data.
    DataError
        If the part is not finished; names the first file that is missing.
    """
    config = publishable_config(name, results)
    part, results, to = PARTS[name], Path(results), Path(to)
    sources = {
        f"figures/{figure}.{kind}": Path(figures) / f"{figure}.{kind}"
        for figure in part.figures
        for kind in ("png", "json")
    } | {table: results / table for table in part.tables}
    for path in sources.values():
        if not path.exists():
            raise DataError(f"{path} is missing; {_how(name)}")
    sources |= {table: results / table for table in part.others if (results / table).exists()}
    for place, path in sources.items():
        files.write_bytes(to / place, path.read_bytes())
    for page in (to / place for place in sources if place.endswith(".html")):
        former = Path(os.path.relpath(figures, results)).as_posix()
        files.write_text(page, _linked(page.read_text("utf-8"), former, to))
    # Not where it lay on the machine that made it.
    files.write_json(to / "config.json", config | {"output": ".", "hetrec_dir": None})
    files.write_json(to / "machines" / f"{name}.json", machine.describe())
    write_csv(_beside_former(costs(results), to / COSTS), to / COSTS)
    places = [*sources, "config.json", f"machines/{name}.json", COSTS]
    if name == "verdict":
        files.write_text(to / "verdict.md", published.markdown(to))
        places.append("verdict.md")
    return [to / place for place in places]


def _linked(page: str, former: str, to: Path) -> str:
    """Let a page's links lead to what was published: figures have moved, some are not there."""

    def link(found: re.Match) -> str:
        target = html.unescape(found[1])
        if target.startswith(f"{former}/"):
            target = f"figures{target.removeprefix(former)}"
        if target.startswith("#") or (to / target).exists():
            return f'<a href="{html.escape(target)}">{found[2]}</a>'
        return found[2]

    return re.sub(r'<a href="([^"]*)">(.*?)</a>', link, page)


def _beside_former(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Keep what other rules took: parts may come from several runs."""
    if not path.exists():
        return table
    former = read_csv(path, COST_COLUMNS)
    kept = former[~former["rule"].isin(table["rule"])]
    return pd.concat([kept, table]).sort_values("rule")


def costs(results: str | os.PathLike) -> pd.DataFrame:
    """Sum up what the finished jobs of a run took, as Snakemake measured it.

    Parameters
    ----------
    results : path
        Folder of the run; ``timing/jobs/{rule}/*.tsv`` lie in it.

    Returns
    -------
    DataFrame
        Columns `COST_COLUMNS`, a row a rule: sums of seconds, the largest memory of a job; NaN
        where jobs were too short to be measured.
    """
    folder = Path(results) / "timing" / "jobs"
    rows = []
    for path in sorted(folder.rglob("*.tsv")):
        job = pd.read_csv(path, sep="\t", na_values=["-", "NA"]).iloc[-1]
        rule = path.relative_to(folder).parts[0]
        rows.append((rule, 1, job["cpu_time"], job["s"], job["max_rss"]))
    table = pd.DataFrame(rows, columns=COST_COLUMNS)
    how = {"jobs": "sum", "cpu_seconds": "sum", "wall_seconds": "sum", "peak_mb": "max"}
    return table.groupby("rule", sort=True).agg(how).reset_index()
