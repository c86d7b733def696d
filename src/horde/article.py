"""The article on the published results: what it looks up there, and the sentences it chooses.

The template (`docs/article/article.typ`) holds the prose. All numbers in it, all tables, and all
sentences with an outcome come from `facts`.
"""

import json
import math
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import typst
import yaml

from horde import files
from horde.errors import ConfigError
from horde.experiments import plan
from horde.results import controls as control_results
from horde.results import description
from horde.results.statistics import t_interval
from horde.results.tables import read_csv
from horde.verdict import claims as paper_claims
from horde.verdict import context, published, reading, sensitivity, words
from horde.verdict.claims import Claim
from horde.verdict.judge import judged_tables
from horde.verdict.multiverse import TOGETHER
from horde.verdict.rules import INCONCLUSIVE, NOT_REPRODUCED, NOT_RUN, REPRODUCED

TITLE = "[Re] Horde of Bandits using Gaussian Markov Random Fields"
# Letter of a claim -> what it is about.
SUBJECTS = {
    "S": "Scalability",
    "R": "Regret",
    "L": "Learning the graph",
    "T": "Tuning and numerics",
    "B": "Theory",
    "C": "Why the graph helps",
}
# Tables that a run may lack, by what the article says of them.
TABLES = {
    "data": "summary/data.csv",
    "sensitivity": "summary/sensitivity.csv",
    "controls": "summary/controls.csv",
    "gains": "summary/control_gains.csv",
    "multiverse": "summary/multiverse_claims.csv",
    "effects": "summary/multiverse_effects.csv",
    "trace": "summary/trace_bound.csv",
    "learning": "timing/graph_learning.csv",
    "costs": "timing/costs.csv",
}
FIGURES = (
    *plan.SCALABILITY_FIGURES.values(),
    *("fig2a_lastfm_regret", "fig2b_delicious_regret"),
    *plan.LEARNING_FIGURES.values(),
    *(plan.CONTROLS, "figM_multiverse"),
)
# Numbers of a dataset that its table shows.
DESCRIBED = (
    *("users", "items", "likes", "friendships", "components"),
    *("users without friends", description.FRIENDS, description.STRANGERS),
)
_TUNED = "tuned"
_GB = 1e9


def files_of(results: str | os.PathLike) -> list[Path]:
    """Return the files of the published results that the article reads, and that exist."""
    results = Path(results)
    places = [
        *("config.json", published.RULES, *published.PLACES, "machines/verdict.json"),
        *paper_claims.TABLES.values(),
        *TABLES.values(),
        *(f"figures/{name}.png" for name in FIGURES),
    ]
    return [results / place for place in dict.fromkeys(places) if (results / place).exists()]


def typeset(template: str | os.PathLike, results: str | os.PathLike) -> bytes:
    """Return the article as PDF: the same bytes for the same results and template.

    Parameters
    ----------
    template : path
        The Typst file; the files that it includes and `remarks.yaml` are in its folder.
    results : path
        Folder of published results.

    Raises
    ------
    ConfigError
        If the template has an error; names it.
    """
    template, results = Path(template).resolve(), Path(results).resolve()
    remarks = yaml.safe_load(template.with_name("remarks.yaml").read_text("utf-8"))
    found = facts(results, remarks)
    root = Path(os.path.commonpath([template.parent, results]))
    folder = f"/{results.relative_to(root).as_posix()}"
    found["figures"] = {name: f"{folder}/{place}" for name, place in found["figures"].items()}
    try:
        return typst.compile(
            template,
            root=root,
            ignore_system_fonts=True,
            sys_inputs={"facts": json.dumps(found)},
        )
    except RuntimeError as error:
        raise ConfigError(f"{template} can't be typeset: {error}") from error


def facts(
    results: str | os.PathLike, remarks: Mapping[str, Mapping[str, str]] | None = None
) -> dict[str, Any]:
    """Return all that the template looks up, as text, lists and dicts.

    Parameters
    ----------
    results : path
        Folder of published results.
    remarks : mapping, optional
        Claim -> verdict -> a sentence that is added to a claim with this verdict.

    Returns
    -------
    dict
        A part whose table is missing is ``{"missing": sentence}``.

    Raises
    ------
    DataError, ConfigError
        If a file of the verdict is missing or damaged.
    """
    results = Path(results)
    config = files.read_json(results / "config.json")
    claims, evidence = published.read_folder(results)
    judged = judged_tables(claims, config["verdict"]["claims"], evidence)
    rows = pd.concat([judged["verdict"], judged["timing"]]).set_index("claim").loc[list(claims)]
    tables = {
        name: read_csv(results / place)
        for name, place in TABLES.items()
        if (results / place).exists()
    }
    shares = {name: tables[name] for name in ("multiverse", "effects") if name in tables}
    found = {
        "title": TITLE,
        "date": _date(tables.get("learning")),
        "result": reading.in_one_sentence(rows["verdict"]),
        "rules": rules_in_words(claims, rows["verdict"], paper_claims.status(results / published.RULES)),
        "setup": _setup(config, evidence.seeds),
        "groups": by_subject(rows["verdict"]),
        "claims": [
            _claim(claim, rows.loc[name], judged["alternative"], shares, remarks or {})
            for name, claim in claims.items()
        ],
        "figures": {
            name: f"figures/{name}.png"
            for name in FIGURES
            if (results / f"figures/{name}.png").exists()
        },
        "errors": _errors(config, tables.get("trace"), rows),
        "machine": _machine(results / "machines/verdict.json"),
    }
    changed = tables.get("sensitivity")
    for entry in found["claims"]:
        entry["sensitive"] = [] if changed is None else changed_under(entry["name"], changed, config)
    makers = {
        "data": (("data",), "The description of the datasets", _data),
        "sensitivity": (("sensitivity",), "The sensitivity analysis", _sensitivity),
        "controls": (("controls", "gains"), "The controls", _controls),
        "multiverse": (("multiverse", "effects"), "The multiverse", _multiverse),
        "costs": (("costs",), "The costs", _costs),
    }
    for part, (needed, subject, make) in makers.items():
        if all(name in tables for name in needed):
            found[part] = make(*(tables[name] for name in needed), config)
        else:
            verb = "were" if subject.endswith("s") and part != "sensitivity" else "was"
            found[part] = {"missing": f"{subject} {verb} not run for these results."}
    return found


# Sentences chosen by what was found


def joined(names: Iterable[str]) -> str:
    """Return ``a``, ``a and b``, or ``a, b and c``."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def rules_in_words(
    claims: Mapping[str, Claim], verdicts: Mapping[str, str], status: paper_claims.Status
) -> str:
    """Return which version of the rules judged, and what the version before had found."""
    now, before = reading.counts(claims, verdicts)
    if not any(before.values()):
        return (
            f"The claims are judged by version {status.version} of the rules, "
            "written before the first run on the published data."
        )
    return (
        f"Version {status.version} of the rules judges the claims: {reading.counted(now)}. "
        f"It was written knowing the verdicts of the version before, on other seeds: "
        f"{reading.counted(before)}."
    )


def by_subject(verdicts: pd.Series) -> list[dict[str, str]]:
    """Return how many claims of each letter have each outcome, one dict per letter.

    Parameters
    ----------
    verdicts : Series of str
        Indexed by claim.
    """
    rows = []
    for letter, subject in SUBJECTS.items():
        own = verdicts[verdicts.index.str[0] == letter]
        if len(own):
            numbers = [len(own), *((own == outcome).sum() for outcome in reading.OUTCOMES)]
            rows.append({"letter": letter, "subject": subject, "numbers": list(map(str, numbers))})
    return rows


def changed_under(claim: str, table: pd.DataFrame, config: Mapping) -> list[str]:
    """Return the alternatives that change the verdict on a claim, each with the new verdict.

    Parameters
    ----------
    claim : str
    table : DataFrame
        Columns `horde.verdict.sensitivity.COLUMNS`.
    config : mapping
        Has the labels of the alternatives.
    """
    found = []
    for name, part in table.groupby("alternative", sort=False):
        for change in _changes(part):
            changed, _, verdicts = change.partition(": ")
            if changed == claim:
                found.append(f"{_label(name, config)}: {verdicts.partition(' to ')[2]}")
    return found


def graph_in_words(gains: pd.DataFrame, dataset: str) -> list[str]:
    """Return what the graph is worth on a dataset, a sentence each.

    Parameters
    ----------
    gains : DataFrame
        Columns `horde.results.controls.GAIN_COLUMNS`; the reading is ``tuned``.
    dataset : str
        Its name in the table.
    """
    own = gains[(gains["dataset"] == dataset) & (gains["reading"] == _TUNED)]
    by_gain = {name: part.set_index("policy") for name, part in own.groupby("gain", sort=False)}
    name, said = words.dataset(dataset), []
    if "graph" not in by_gain:
        return said
    whole = by_gain["graph"]
    for policies, text in (
        (_above(whole), "the graph lowers the final ratio of {}, by {} against no graph"),
        (_unclear(whole), "the graph makes no clear difference for {}"),
        (_below(whole), "the graph raises the final ratio of {}, by {} against no graph"),
    ):
        if policies:
            sizes = _range(whole.loc[policies, "difference"].abs())
            said.append(f"On {name} {text.format(joined(policies), sizes)}.")
    helped = _above(whole)
    for part, text in (
        ("pooling", "Users permuted on the graph give {} of this gain: that is pooling."),
        ("friendship", "Friendship gives {} of it."),
        ("mean", "A common mean without any graph gives {} of it."),
    ):
        if part in by_gain and (both := [name for name in helped if name in by_gain[part].index]):
            shares = by_gain[part].loc[both, "difference"] / whole.loc[both, "difference"]
            said.append(text.format(_range(100 * shares, words.PERCENT, 0)))
    for part, better, same, worse in (
        (
            "friendship",
            "Given friends do better than permuted users for {}.",
            "Given friends and permuted users are not told apart for {}.",
            "Given friends do worse than permuted users for {}.",
        ),
        (
            "graph against mean",
            "The graph does better than a common mean for {}.",
            "The graph and a common mean are not told apart for {}.",
            "The graph does worse than a common mean for {}.",
        ),
    ):
        if part in by_gain:
            table = by_gain[part]
            for policies, text in (
                (_above(table), better),
                (_unclear(table), same),
                (_below(table), worse),
            ):
                if policies:
                    said.append(text.format(joined(policies)))
    return said


def multiverse_in_words(shares: pd.DataFrame) -> list[str]:
    """Return which claims hold in most specifications, and whether all hold together.

    Parameters
    ----------
    shares : DataFrame
        Columns `horde.verdict.multiverse.SHARE_COLUMNS`.
    """
    together = [TOGETHER.format(letter) for letter in SUBJECTS]
    single = shares[~shares["claim"].isin(together)].set_index("claim")["share"]
    said = []
    for names, text in (
        (single.index[single > 0.5], "{} hold in more than half of the specifications."),
        (single.index[single <= 0.5], "{} hold in half of them or fewer."),
    ):
        if len(names):
            said.append(text.format(joined(names)))
    for _, row in shares[shares["claim"].isin(together)].iterrows():
        letter = row["claim"].removeprefix(TOGETHER.format(""))
        where = f"{row['holds']:,} of {row['specifications']:,} specifications"
        if row["holds"]:
            said.append(f"All claims {letter} hold together in {where}.")
        else:
            none = f"none of {row['specifications']:,} specifications"
            said.append(f"All claims {letter} hold together in {none}.")
    return said


def _above(table: pd.DataFrame) -> list[str]:
    return list(table.index[table["difference_low"] > 0])


def _below(table: pd.DataFrame) -> list[str]:
    return list(table.index[table["difference_high"] < 0])


def _unclear(table: pd.DataFrame) -> list[str]:
    clear = {*_above(table), *_below(table)}
    return [name for name in table.index if name not in clear]


def _range(values: Iterable[float], unit: str = "", digits: int = 3) -> str:
    shown = [f"{value:.{digits}f}".replace("-", "−") for value in (min(values), max(values))]
    return f"{shown[0]}{unit}" if shown[0] == shown[1] else f"{shown[0]} to {shown[1]}{unit}"


# Parts of the article


def _claim(
    claim: Claim,
    row: pd.Series,
    alternative: pd.DataFrame,
    tables: Mapping[str, pd.DataFrame],
    remarks: Mapping[str, Mapping[str, str]],
) -> dict[str, Any]:
    others = alternative[alternative["claim"] == claim.name]
    named = {"multiverse": "multiverse_claims", "effects": "multiverse_effects"}
    return {
        "name": claim.name,
        "letter": claim.name[0],
        "statement": claim.statement,
        "quote": claim.quote,
        "source": claim.source,
        "found": reading.found(row),
        "verdict": row["verdict"],
        "readings": [f"{other['reading']}: {other['verdict']}" for _, other in others.iterrows()],
        "multiverse": context.sentences(
            claim, {named[name]: table for name, table in tables.items()}
        ),
        "before": claim.before.verdict if claim.before else "",
        "remark": remarks.get(claim.name, {}).get(row["verdict"], ""),
    }


def _setup(config: Mapping, seeds: Mapping[str, Sequence[int]]) -> dict[str, str]:
    tuning, own = config["tuning"], config["seeds"]
    streams = tuning.get("streams", 1)
    return {
        "rounds": f"{config['rounds']:,}",
        "offered": str(config["offered"]),
        "features": str(config["features"]["dimension"]),
        "figure_seeds": str(own["figure"]),
        "exploration": f"0 to {own['exploration'] - 1}" if "exploration" in own else "",
        "verdict_seeds": _seeds(seeds["verdict"]),
        "learning_seeds": _seeds(seeds["learning"]),
        "tuning_rounds": f"{tuning['rounds']:,}",
        "streams": f"{streams} validation streams" if streams > 1 else "one validation stream",
        "lam": f"{config['paper_values']['lam']:g}",
        "grid": ", ".join(f"{value:,g}" for value in tuning["grids"]["lam"]),
        "every": f"{config['policies']['L-EG']['tuned'].get('every', ''):,}"
        if "L-EG" in config["policies"]
        else "",
        "level": f"{100 * t_interval.__defaults__[0]:g}{words.PERCENT}",
    }


def _seeds(seeds: Sequence[int]) -> str:
    return f"{seeds[0]} to {seeds[-1]}"


def _date(learning: pd.DataFrame | None) -> list[int] | None:
    """Return year, month and day of the last of the timed runs."""
    if learning is None or learning.empty:
        return None
    last = pd.to_datetime(learning["started"], utc=True).max()
    return [last.year, last.month, last.day]


def _machine(path: Path) -> dict[str, str]:
    if not path.exists():
        return {"missing": "The machine is not described in these results."}
    found = files.read_json(path)
    return {"cpu": found["cpu"], "python": found["python"], "system": found["system"]}


def _data(table: pd.DataFrame, config: Mapping) -> dict[str, Any]:
    rows = []
    for dataset, part in table.groupby("dataset", sort=False):
        numbers = description.numbers(part)
        shown = [words.number(numbers[name]) for name in DESCRIBED if name in numbers]
        rows.append([words.dataset(dataset), *shown])
    return {"head": ["dataset", *DESCRIBED], "rows": rows}


def _sensitivity(table: pd.DataFrame, config: Mapping) -> dict[str, Any]:
    rows, quiet = [], 0
    for name, part in table.groupby("alternative", sort=False):
        if name == sensitivity.BASELINE:
            continue
        most = part.loc[part["difference"].abs().idxmax()]
        where = f"{most['policy']}, {words.dataset(most['dataset'])}"
        changes = [change.replace(" to ", " → ") for change in _changes(part)]
        quiet += not changes
        rows.append(
            [_label(name, config), f"{_signed(most['difference'])} ({where})", "; ".join(changes) or "none"]
        )
    return {
        "rows": rows,
        "sentence": f"{quiet} of {len(rows)} alternatives change no verdict that could be judged.",
        "seeds": str(table["seeds"].max()),
    }


def _controls(ratios: pd.DataFrame, gains: pd.DataFrame, config: Mapping) -> dict[str, Any]:
    tuned = gains[gains["reading"] == _TUNED]
    asked = [name for name in control_results.GAINS if (tuned["gain"] == name).any()]
    rows = [
        [
            words.dataset(dataset),
            policy,
            *(_gain(part[part["gain"] == name]) for name in asked),
        ]
        for (dataset, policy), part in tuned.groupby(["dataset", "policy"], sort=False)
    ]
    return {
        "head": ["dataset", "policy", *asked],
        "rows": rows,
        "sentences": [
            sentence for name in tuned["dataset"].unique() for sentence in graph_in_words(gains, name)
        ],
        "seeds": str(gains["seeds"].max()),
    }


def _gain(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "–"
    row = rows.iloc[0]
    margin = (row["difference_high"] - row["difference_low"]) / 2
    return f"{_signed(row['difference'])} ± {margin:.3f}"


def _multiverse(shares: pd.DataFrame, effects: pd.DataFrame, config: Mapping) -> dict[str, Any]:
    rows = []
    for _, row in shares.iterrows():
        own = effects[(effects["claim"] == row["claim"]) & (effects["explained"] > 0)]
        most = own.nlargest(1, "explained")
        named = [
            f"{context.choice(best['choice'])} ({100 * best['explained']:.0f}{words.PERCENT})"
            for _, best in most.iterrows()
        ]
        rows.append(
            [
                row["claim"],
                f"{row['specifications']:,}",
                f"{100 * row['share']:.0f}{words.PERCENT}",
                f"{100 * row['share_reproduced']:.0f}{words.PERCENT}",
                *(named or ["–"]),
            ]
        )
    return {"rows": rows, "sentences": multiverse_in_words(shares)}


def _costs(table: pd.DataFrame, config: Mapping) -> dict[str, Any]:
    return {
        "hours": words.number(table["cpu_seconds"].sum() / 3600, 2),
        "memory": words.number(table["peak_mb"].max() / 1000, 2),
        "jobs": f"{table['jobs'].sum():,}",
    }


def _errors(config: Mapping, trace: pd.DataFrame | None, rows: pd.DataFrame) -> dict[str, Any]:
    """Return the numbers behind the errors of the paper."""
    d, lam = config["features"]["dimension"], config["paper_values"]["lam"]
    found = {"variance": words.number(1 / lam), "five_cg": _five_cg(rows)}
    if trace is None:
        return found | {"missing": "The bound on the trace was not run for these results."}
    by_graph = trace.set_index(["graph", "reading"])
    unnormalised = trace[trace["reading"] == "unnormalised"]
    worst = unnormalised.loc[unnormalised["slack"].idxmin()]
    of_l = trace[trace["reading"] == "L"]
    infinite = trace[(trace["reading"] == "L_G") & ~trace["bound"].map(math.isfinite)]
    found |= {
        "graphs": str(len(of_l)),
        "holds": str((of_l["slack"] >= 0).sum()),
        "infinite": str(len(infinite)),
        "worst": worst["graph"],
        "worst_bound": words.number(worst["bound"]),
        "worst_trace": words.number(worst["trace_over_n"]),
    }
    if ("lastfm", "L") in by_graph.index:
        n, share = by_graph.loc[("lastfm", "L"), ["n", "trace_over_n"]]
        # Appendix B: the first term of C, with Tr(L^-1) of the Last.fm graph.
        constant = math.sqrt(48 * share * n / lam)
        found |= {
            "users": f"{n:,.0f}",
            "constant": words.number(constant, 2),
            "epochs": words.number(constant**2 / 1e6, 2),
            "weights": words.number(d * n + 1, 2),
            "dense": words.number((d * n) ** 2 * 8 / _GB),
        }
    if {("delicious", "L"), ("delicious_consistent", "L")} <= {*by_graph.index}:
        whole, kept = (
            by_graph.loc[(name, "L"), "n"] for name in ("delicious", "delicious_consistent")
        )
        found |= {"faulty": f"{whole - kept:,.0f}", "of_users": f"{whole:,.0f}"}
    return found


def _five_cg(rows: pd.DataFrame) -> str:
    """Return what claim T2 says of the five iterations, as it was judged."""
    verdict = rows["verdict"].get("T2", NOT_RUN)
    return {
        REPRODUCED: "For the mean at the tuned λ they are enough (claim T2).",
        NOT_REPRODUCED: "For the mean they are not enough, even at the tuned λ (claim T2).",
        INCONCLUSIVE: "Whether they are enough for the mean is open (claim T2).",
        NOT_RUN: "Whether they are enough for the mean was not run (claim T2).",
    }[verdict]


def _changes(part: pd.DataFrame) -> list[str]:
    """Return ``R3: reproduced to inconclusive``, one entry for each changed claim."""
    changed = part["claims_changed"].iloc[0]
    return changed.split("; ") if isinstance(changed, str) and changed else []


def _label(alternative: str, config: Mapping) -> str:
    entry = config["alternatives"].get(alternative) or {}
    return entry.get("label", alternative).replace("lambda", "λ").replace(" x ", " × ")


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")
