"""Copy a finished part of a run to the folder of reference results."""

import html
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from horde import files, machine
from horde.errors import ConfigError, DataError
from horde.experiments import plan
from horde.results.tables import read_csv, write_csv
from horde.verdict import published
from horde.verdict.claims import TABLES

COSTS = "timing/costs.csv"
COST_COLUMNS = ["rule", "jobs", "cpu_seconds", "wall_seconds", "peak_mb"]


def _pictures(*names: str) -> list[str]:
    return [f"figures/{name}.{kind}" for name in names for kind in ("png", "json")]


# The files of each part, by their names in the folder of reference results; * stands for any name.
PARTS = {
    "data": [*_pictures("*_data"), "summary/data.csv"],
    "fig1": [
        *_pictures(*plan.SCALABILITY_FIGURES.values()),
        *("timing/scalability.csv", "timing/scalability_slopes.csv"),
        *("summary/kronecker_graphs.csv", "summary/capacity.csv"),
    ],
    "fig2a": [*_pictures("fig2a_lastfm_regret"), "summary/regret_lastfm.csv"],
    "fig2b": [*_pictures("fig2b_delicious_regret"), "summary/regret_delicious.csv"],
    "fig3": [
        *_pictures(*plan.LEARNING_FIGURES.values(), plan.LEARNED_GRAPH),
        *("summary/learning.csv", "summary/learned_graph.csv", "timing/graph_learning.csv"),
    ],
    "figB": [*_pictures("figB_theory"), "summary/trace_bound.csv"],
    "controls": [*_pictures(plan.CONTROLS), "summary/controls.csv", "summary/control_gains.csv"],
    "multiverse": [
        *_pictures("figM_multiverse", "multiverse/*"),
        *("figures/multiverse.html", "summary/multiverse*.csv"),
    ],
    "sensitivity": [*_pictures("sensitivity"), "summary/sensitivity.csv"],
    "verdict": [*published.PLACES, published.RULES, "verdict.html"],
}
# Copied if they exist.
OPTIONAL = {"verdict": [*TABLES.values()]}

# Paths on the machine that made the run; these do not affect results.
_PLACES = {"output": ".", "hetrec_dir": None}
_LISTED_KEYS = 20


def publishable_config(name: str, results: str | os.PathLike) -> dict:
    """Return the configuration of a run, after checking that this part may be published.

    Raises
    ------
    ConfigError
        If there is no such part, or the run is on generated data.
    DataError
        If there is no run, or its configuration is damaged.
    """
    if name not in PARTS:
        raise ConfigError(f"there is no part {name!r} to publish; there are {', '.join(PARTS)}")
    path = Path(results) / "config.json"
    if not path.exists():
        raise DataError(f"{results} holds no run; {_how(name)}")
    config = files.read_json(path)
    try:
        generated, placed = plan.is_generated(config), isinstance(config.get("output", "."), str)
    except (AttributeError, KeyError, TypeError):
        placed = False
    if not placed:
        raise DataError(f"{path} is no configuration of a run; delete it, then {_how(name)}")
    if generated:
        raise ConfigError(
            f"{results} is a run on generated data; publish a run on the real data instead"
        )
    return config


def _how(name: str) -> str:
    return f"make it with `snakemake --cores all {name}`"


def publish(
    name: str,
    results: str | os.PathLike,
    figures: str | os.PathLike,
    to: str | os.PathLike,
    force: bool = False,
) -> list[Path]:
    """Copy a finished part, a description of its machine, and the costs of the run's jobs.

    Parameters
    ----------
    name : str
        A key of `PARTS`.
    results, figures : path
        Folders of one run, ``results/{run}`` and ``figures/{run}``.
    to : path
        Target folder; the same part there is replaced.
    force : bool
        Whether to replace results of another run or configuration.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    ConfigError
        If there is no such part, the run is on generated data, or `to` holds results of another
        run or configuration; names the keys that differ.
    DataError
        If the part is not finished; names the first file that is missing.
    """
    config = publishable_config(name, results) | _PLACES
    results, figures, to = Path(results), Path(figures), Path(to)
    if not force:
        _require_same(config, to)
    places, sources = [*PARTS[name], *OPTIONAL.get(name, [])], {}
    for place in places:
        folder, within = results, place
        if place.startswith("figures/"):
            folder, within = figures, place.removeprefix("figures/")
        found = sorted(folder.glob(within))
        if not found and place in PARTS[name]:
            raise DataError(f"{folder / within} is missing; {_how(name)}")
        prefix = place.removesuffix(within)
        sources |= {f"{prefix}{path.relative_to(folder).as_posix()}": path for path in found}
    # What an earlier run had and this one lacks would seem to be this run's.
    for place in places:
        for path in to.glob(place):
            if path.relative_to(to).as_posix() not in sources:
                path.unlink()
    for place, path in sources.items():
        files.write_bytes(to / place, path.read_bytes())
    for page in (to / place for place in sources if place.endswith(".html")):
        former = Path(os.path.relpath(figures, results)).as_posix()
        files.write_text(page, _linked(page.read_text("utf-8"), former, to))
    files.write_json(to / "config.json", config)
    files.write_json(to / "machines" / f"{name}.json", machine.describe())
    write_csv(_merged_costs(costs(results), to / COSTS), to / COSTS)
    written = [*sources, "config.json", f"machines/{name}.json", COSTS]
    if name == "verdict":
        files.write_text(to / "verdict.md", published.markdown(to))
        written.append("verdict.md")
    return [to / place for place in written]


def _require_same(config: dict, to: Path) -> None:
    """Check that `to` holds no results of another run or configuration."""
    path = to / "config.json"
    if not path.exists():
        return
    there, here = dict(_flat(files.read_json(path) | _PLACES)), dict(_flat(config))
    keys = sorted(key for key in there | here if there.get(key, ...) != here.get(key, ...))
    if keys:
        more = f" and {len(keys) - _LISTED_KEYS} more" if len(keys) > _LISTED_KEYS else ""
        raise ConfigError(
            f"{to} holds results of another run or configuration; these keys differ: "
            f"{', '.join(keys[:_LISTED_KEYS])}{more}. Publish elsewhere with --to FOLDER, or "
            "replace what is there with --force."
        )


def _flat(config: dict, above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the dotted name of each key, and its value."""
    for key, value in config.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _linked(page: str, former: str, to: Path) -> str:
    """Point a page's links to published files; remove links to files that are not published."""

    def link(found: re.Match) -> str:
        target = html.unescape(found[1])
        if target.startswith(f"{former}/"):
            target = f"figures{target.removeprefix(former)}"
        if target.startswith("#") or (to / target).exists():
            return f'<a href="{html.escape(target)}">{found[2]}</a>'
        return found[2]

    return re.sub(r'<a href="([^"]*)">(.*?)</a>', link, page)


def _merged_costs(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Keep the published costs of rules that this run did not run: parts may be of other runs."""
    if not path.exists():
        return table
    former = read_csv(path, COST_COLUMNS)
    kept = former[~former["rule"].isin(table["rule"])]
    return pd.concat([kept, table]).sort_values("rule")


def costs(results: str | os.PathLike) -> pd.DataFrame:
    """Sum up time and memory of the finished jobs of a run, as measured by Snakemake.

    Parameters
    ----------
    results : path
        Folder of the run, with ``timing/jobs/{rule}/*.tsv``.

    Returns
    -------
    DataFrame
        Columns `COST_COLUMNS`, one row per rule: sums of seconds, and the peak memory of a job. NaN
        if jobs were too short to be measured.
    """
    folder = Path(results) / "timing" / "jobs"
    rows = []
    for path in sorted(folder.rglob("*.tsv")):
        job = pd.read_csv(path, sep="\t", na_values=["-", "NA"]).iloc[-1]
        rule = path.relative_to(folder).parts[0]
        rows.append((rule, 1, job["cpu_time"], job["s"], job["max_rss"]))
    table = pd.DataFrame(rows, columns=COST_COLUMNS)
    by_rule = table.groupby("rule", sort=True)
    sums = by_rule[["jobs", "cpu_seconds", "wall_seconds"]].sum(min_count=1)
    return sums.join(by_rule["peak_mb"].max()).reset_index()
