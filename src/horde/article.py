"""The article on the published results: what it looks up there, and the sentences it chooses.

The template (`docs/article/article.typ`) holds the prose. All numbers in it, all tables, and all
sentences with an outcome come from `facts`.
"""

import inspect
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import typst
import yaml

from horde import files
from horde.errors import ConfigError
from horde.experiments import plan
from horde.results import description
from horde.results.controls import LEARNERS
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
    "S": ("Scalability", "time per round and memory, over users, edges and features"),
    "R": ("Regret", "the order of policies on Last.fm and Delicious"),
    "L": ("Learning the graph", "regret and time of L-EG and U-EG"),
    "T": ("Tuning and numerics", "the best λ and σ, and the iterations of a solver"),
    "B": ("Theory", "growth of regret, and what a graph's connections do to it"),
    "C": ("Our questions", "whether friends or pooling help, and all claims on regret at once"),
}
# Tables that a run may lack, besides those that judge claims.
TABLES = context.TABLES | {
    "data": "summary/data.csv",
    "sensitivity": "summary/sensitivity.csv",
    "gains": "summary/control_gains.csv",
    "costs": "timing/costs.csv",
}
FIGURES = (
    *plan.SCALABILITY_FIGURES.values(),
    *("fig2a_lastfm_regret", "fig2b_delicious_regret"),
    *plan.LEARNING_FIGURES.values(),
    *(plan.CONTROLS, "figM_multiverse"),
)
# What the article says of a part whose tables are not there.
MISSING = {
    "data": "The description of the datasets was not run for these results.",
    "tuning": "Flat scores and greedy choices are not marked in these results.",
    "sensitivity": "The sensitivity analysis was not run for these results.",
    "controls": "The controls were not run for these results.",
    "multiverse": "The multiverse was not run for these results.",
    "costs": "The costs were not measured for these results.",
    "errors": "The bound on the trace was not computed for these results.",
    "machine": "The machine is not described in these results.",
}
# Numbers of a dataset that its table shows.
DESCRIBED = (
    *("users", "items", "likes", "friendships", "components"),
    *("users without friends", description.FRIENDS, description.STRANGERS),
)
_SYMBOLS = {
    "lambda": "λ",
    "sigma": "σ",
    "nu_2": "ν₂",
    "L^-1": "L⁻¹",
    "sqrt(T)": "√T",
    "^2": "²",
    " x ": " × ",
}
# What claim T2 says of the five iterations, by its verdict.
_FIVE_CG = {
    REPRODUCED: "For the mean they are enough (claim T2).",
    NOT_REPRODUCED: "For the mean they are not enough (claim T2).",
    INCONCLUSIVE: "Whether they are enough for the mean is open (claim T2).",
    NOT_RUN: "Whether they are enough for the mean was not run (claim T2).",
}
_TUNED = "tuned"
_AGAINST_MEAN = "graph against mean"
# A space that no line ends with.
_JOIN = "\u00a0"


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
    given = {"facts": json.dumps(found)}
    try:
        return typst.compile(template, root=root, ignore_system_fonts=True, sys_inputs=given)
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
    status = paper_claims.status(results / published.RULES)
    judged = judged_tables(claims, config["verdict"]["claims"], evidence)
    rows = pd.concat([judged["verdict"], judged["timing"]])
    verdicts = rows.set_index("claim").loc[list(claims), "verdict"]
    machine = results / "machines/verdict.json"
    tables = evidence.tables | {
        name: read_csv(results / place)
        for name, place in TABLES.items()
        if (results / place).exists()
    }
    changes = sensitivity.changes(tables["sensitivity"]) if "sensitivity" in tables else {}
    found = {
        "title": TITLE,
        "date": _date(tables.get("graph_learning")),
        "result": reading.in_one_sentence(verdicts),
        "outcomes": _outcomes(verdicts),
        "rules": rules_in_words(claims, verdicts, status),
        "setup": _setup(config, evidence.seeds),
        "groups": by_subject(verdicts),
        "subjects": subjects_in_words(verdicts),
        "claims": [
            {
                **_claim(claim, row, readings, tables, changes, config),
                "before": _before(claim, row["verdict"], status.version),
                "remark": (remarks or {}).get(claim.name, {}).get(row["verdict"], ""),
            }
            for claim, row, readings in reading.by_claim(claims, rows, judged["alternative"])
        ],
        "figures": {
            name: f"figures/{name}.png"
            for name in FIGURES
            if (results / f"figures/{name}.png").exists()
        },
        "errors": _errors(config, tables.get("trace_bound"), verdicts),
        "undrawn": "These curves were not drawn for these results.",
        "machine": files.read_json(machine) if machine.exists() else _missing("machine"),
    }
    for part, (make, *needed) in _PARTS.items():
        if all(name in tables for name in needed):
            found[part] = make(*(tables[name] for name in needed), config)
        else:
            found[part] = _missing(part)
    return found


def _missing(part: str) -> dict[str, str]:
    return {"missing": MISSING[part]}


# Sentences chosen by what was found


def joined(names: Iterable[str]) -> str:
    """Return ``a``, ``a and b``, or ``a, b and c``."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def rules_in_words(
    claims: Mapping[str, Claim], verdicts: Mapping[str, str], status: paper_claims.Status
) -> str:
    """Return which version of the rules judged, and what the version before had found."""
    papers = reading.papers(claims)
    now, before = reading.counts(papers, verdicts)
    if not any(before.values()):
        return (
            f"The claims are judged by version {status.version} of the rules, "
            "written before the first run on the published data."
        )
    return (
        f"We revised the rules after version {status.version - 1} had judged the paper's claims: "
        f"{reading.counted(before)}. "
        f"Version {status.version} judges them on new seeds: {reading.counted(now)}."
    )


def by_subject(verdicts: pd.Series) -> list[dict[str, str]]:
    """Return how many claims of each letter have each outcome, one dict per letter.

    Parameters
    ----------
    verdicts : Series of str
        Indexed by claim.
    """
    rows = []
    for letter, (subject, about) in SUBJECTS.items():
        own = verdicts[verdicts.index.str[0] == letter]
        if len(own):
            numbers = [len(own), *((own == outcome).sum() for outcome in _outcomes(verdicts))]
            row = {"letter": letter, "subject": subject, "about": about}
            rows.append(row | {"numbers": list(map(str, numbers))})
    return rows


def _outcomes(verdicts: pd.Series) -> list[str]:
    """Return the outcomes that are counted: the first two, and others that a claim has."""
    return [*reading.OUTCOMES[:2], *(one for one in reading.OUTCOMES[2:] if one in {*verdicts})]


def subjects_in_words(verdicts: pd.Series) -> str:
    """Return in one sentence how many claims of each subject reproduce."""
    parts = [
        f"{row['numbers'][1]} of {row['numbers'][0]} on {row['subject'].lower()}"
        for row in by_subject(verdicts)
    ]
    return f"Claims that reproduce: {joined(parts)}."


def gain_in_words(gains: pd.DataFrame, dataset: str) -> list[str]:
    """Return what the graph gains on a dataset, how much of it is pooling, and what a mean gains.

    Parameters
    ----------
    gains : DataFrame
        Columns `horde.results.controls.GAIN_COLUMNS`; the reading is ``tuned``.
    dataset : str
        Its name in the table.

    Returns
    -------
    list of str
        A sentence each. A gain is clear if its interval excludes 0.
    """
    parts = _by_gain(gains, dataset)
    if "graph" not in parts:
        return []
    whole, said = parts["graph"], []
    lowers, unclear, raises = _told_apart(whole)
    graph = f"On {words.dataset(dataset)} the graph"

    def moves(verb: str, policies: list[str]) -> str:
        sizes = _percent(whole.loc[policies, "difference"].abs())
        return f"{graph} {verb} the regret of {joined(policies)} by {sizes} of a random policy's."

    if lowers:
        said.append(moves("lowers", lowers))
        own = _by_gain(gains[gains["policy"].isin(lowers)], dataset)
        if {"pooling", "friendship"} <= {*own}:
            said.append(_split_in_words(own["pooling"], own["friendship"], whole))
        if _AGAINST_MEAN in own:
            beyond = _percent(own[_AGAINST_MEAN]["difference"])
            said.append(f"Beyond a common mean without a graph, the graph gains {beyond}.")
    if unclear:
        said.append(f"{graph} makes no clear difference for {joined(unclear)}.")
    if raises:
        said.append(moves("raises", raises))
    return said


def _split_in_words(pooling: pd.DataFrame, friendship: pd.DataFrame, whole: pd.DataFrame) -> str:
    if not _told_apart(pooling)[0]:
        return "Permuted users gain nothing: the whole gain is friendship."
    shares = (
        _percent(part["difference"] / whole.loc[part.index, "difference"], digits=0)
        for part in (pooling, friendship)
    )
    return "Pooling of any users is {} of this gain, friendship {}.".format(*shares)


def friends_in_words(gains: pd.DataFrame, dataset: str) -> list[str]:
    """Return whether friends beat permuted users and a common mean, with `gain_in_words`' input."""
    parts, said = _by_gain(gains, dataset), []
    for gain, one, does, other in (
        ("friendship", "Given friends", "do", "permuted users"),
        (_AGAINST_MEAN, "The graph", "does", "a common mean without any graph"),
    ):
        if gain not in parts:
            continue
        better, same, worse = _told_apart(parts[gain])
        for policies, outcome in (
            (better, f"{one} {does} better than {other}"),
            (same, f"{one} and {other} are not told apart"),
            (worse, f"{one} {does} worse than {other}"),
        ):
            if policies:
                said.append(f"{outcome} for {joined(policies)}.")
    return said


def _by_gain(gains: pd.DataFrame, dataset: str) -> dict[str, pd.DataFrame]:
    own = gains[(gains["dataset"] == dataset) & (gains["reading"] == _TUNED)]
    return {name: part.set_index("policy") for name, part in own.groupby("gain", sort=False)}


def _told_apart(table: pd.DataFrame) -> tuple[list[str], list[str], list[str]]:
    """Return the policies whose difference is above 0, unclear, and below 0."""
    above, below = table["difference_low"] > 0, table["difference_high"] < 0
    return tuple([*table.index[which]] for which in (above, ~above & ~below, below))


def _percent(shares: pd.Series, digits: int = 1) -> str:
    """Return the smallest and the largest of these shares; one number if they are the same."""
    ends = [f"{100 * end:z.{digits}f}" for end in (min(shares), max(shares))]
    return " to ".join(dict.fromkeys(ends)).replace("-", words.MINUS) + words.PERCENT


def tuning_in_words(table: pd.DataFrame) -> list[str]:
    """Return how many choices are flat, at an edge of their grid, or greedy.

    Parameters
    ----------
    table : DataFrame
        Columns `horde.results.tables.TUNING_COLUMNS`.
    """
    chosen = table[table["chosen"]]
    said = []
    for holds, none, verbs, rest in (
        (
            chosen["flat"].astype(bool),
            "No choice is the paper's λ for want of a clearly better one",
            ("is", "are"),
            "the paper's λ, since no better one is told apart from it",
        ),
        (
            chosen["edge"].notna() & (chosen["edge"] != ""),
            "No choice lies at an edge of its grid other than zero",
            ("lies at an edge of its grid", "lie at an edge of their grids"),
            "other than zero",
        ),
        (
            chosen["greedy"].astype(bool),
            "All choices explore by the posterior",
            ("sets", "set"),
            "exploration by the posterior to zero, which makes the policy greedy",
        ),
    ):
        number = int(holds.sum())
        counted = f"{number:,} of {len(chosen)} choices {verbs[number != 1]} {rest}"
        said.append(f"{counted if number else none}.")
    return said


def always_greedy(table: pd.DataFrame) -> list[str]:
    """Return the policies that are greedy on every dataset, with `tuning_in_words`' input."""
    greedy = table[table["chosen"]].groupby("policy")["greedy"].all()
    return [*greedy.index[greedy]]


def trace_in_words(table: pd.DataFrame) -> list[str]:
    """Return for which reading of "the Laplacian" the bound on its trace holds (Section 4.1).

    Parameters
    ----------
    table : DataFrame
        ``summary/trace_bound.csv``.
    """
    by_reading = dict(tuple(table.groupby("reading")))
    of_l, of_graph, other = (by_reading[name] for name in ("L", "L_G", "unnormalised"))
    infinite = (~of_graph["bound"].map(math.isfinite)).sum()
    worst = other.loc[other["slack"].idxmin()]
    outcome = "holds on all of them"
    if worst["slack"] < 0:
        outcome = (
            f"is false: on the graph “{worst['graph']}” it is {words.number(worst['bound'])}, "
            f"and the left side is {words.number(worst['trace_over_n'])}"
        )
    return [
        f"For the second smallest eigenvalue of L it holds on {(of_l['slack'] >= 0).sum()} "
        f"of {len(of_l)} graphs.",
        f"For that of the normalised Laplacian itself it is infinite on {_many(infinite)} of them.",
        f"For that of the unnormalised Laplacian it {outcome}.",
    ]


def schedule_in_words(trace: float, lam: float, rounds: int) -> str:
    """Return how long the schedule of Appendix B explores only.

    Parameters
    ----------
    trace : float
        Tr(L^-1).
    lam : float
        Prior precision.
    rounds : int
        T.

    Notes
    -----
    Epoch q exploits for floor(sqrt(q) / C) rounds. C is at least its first term,
    sqrt(48 Tr(L^-1) / lambda).
    """
    constant = math.sqrt(48 * trace / lam)
    said, epochs = f"the constant C is at least {words.number(constant, 2)}", constant**2
    if epochs <= rounds:
        return f"{said}. So the first {epochs:,.0f} epochs have no exploitation round."
    return (
        f"{said}. So no epoch before epoch {epochs:,.0f} has an exploitation round, "
        "and the whole run explores."
    )


def multiverse_in_words(shares: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return which claims hold in most specifications, and how often all claims hold together.

    Parameters
    ----------
    shares : DataFrame
        Columns `horde.verdict.multiverse.SHARE_COLUMNS`.
    """
    together = {TOGETHER.format(letter): letter for letter in SUBJECTS}
    single = shares[~shares["claim"].isin(list(together))].set_index("claim")["share"]
    apart = []
    for names, where in (
        (single.index[single > 0.5], "in more than half of the specifications"),
        (single.index[single <= 0.5], "in at most half of the specifications"),
    ):
        if len(names):
            verb = "hold" if len(names) > 1 else "holds"
            apart.append(f"By the point estimate {joined(names)} {verb} {where}.")
    whole = []
    for _, row in shares[shares["claim"].isin(list(together))].iterrows():
        names = [name for name in single.index if name[0] == together[row["claim"]]]
        whole.append(
            f"All of {names[0]} to {names[-1]} hold together, by the point estimate, in "
            f"{_many(row['holds'])} of {row['specifications']:,} combinations of open choices."
        )
    return apart, whole


def _many(number: int) -> str:
    return f"{number:,}" if number else "none"


# Parts of the article


def _claim(
    claim: Claim,
    row: pd.Series,
    readings: Sequence[pd.Series],
    tables: Mapping[str, pd.DataFrame],
    changes: Mapping[str, Mapping[str, tuple[str, str]]],
    config: Mapping,
) -> dict[str, Any]:
    """Return what was found for a claim, other readings of it, and what the multiverse says."""
    there = {name: table for name, table in tables.items() if name != "controls"}
    return {
        "name": claim.name,
        "letter": claim.name[0],
        "statement": _symbols(claim.statement),
        "source": claim.source,
        "found": _kept(reading.found(row)),
        "verdict": row["verdict"],
        "readings": [f"{other['reading']} ({other['verdict']})" for other in readings],
        "multiverse": [_kept(sentence) for sentence in context.sentences(claim, there)],
        "sensitive": [
            f"“{_label(name, config)}” ({changed[claim.name][1]})"
            for name, changed in changes.items()
            if claim.name in changed and changed[claim.name][1] != row["verdict"]
        ],
    }


def _before(claim: Claim, verdict: str, version: int) -> str:
    """Return the verdict by the version of the rules before, if it was another one."""
    if not claim.before or claim.before.verdict == verdict:
        return ""
    return f"Version {version - 1} of the rules, on other runs, gave: {claim.before.verdict}."


def _symbols(text: str) -> str:
    """Return a claim's statement, or a label, with the paper's symbols."""
    for written, symbol in _SYMBOLS.items():
        text = text.replace(written, symbol)
    return text


def _kept(text: str) -> str:
    """Keep numbers and their units in one line."""
    return re.sub(r"(?<=\d) (?=%|GB)", _JOIN, text)


def _setup(config: Mapping, seeds: Mapping[str, Sequence[int]]) -> dict[str, str]:
    tuning, own = config["tuning"], config["seeds"]
    streams = tuning["streams"]
    every = config["policies"].get("L-EG", {"tuned": {}})["tuned"].get("every")
    level = inspect.signature(t_interval).parameters["level"].default
    return {
        "rounds": f"{config['rounds']:,}",
        "offered": str(config["offered"]),
        "features": str(config["features"]["dimension"]),
        "figure_seeds": str(own["figure"]),
        "exploration": _seeds(range(own["exploration"])),
        "verdict_seeds": _seeds(seeds["verdict"]),
        "learning_seeds": _seeds(seeds["learning"]),
        "tuning_rounds": f"{tuning['rounds']:,}",
        "streams": f"{streams} validation streams" if streams > 1 else "one validation stream",
        "iterations": str(config["paper_values"]["iterations"]),
        "lam": f"{config['paper_values']['lam']:g}",
        "grids": {name: _grid(values) for name, values in tuning["grids"].items()},
        "every": f"{every:,}" if every else "",
        "level": f"{100 * level:g}{words.PERCENT}",
    }


def _grid(values: Sequence[float]) -> str:
    return ", ".join(f"{value:,.6f}".rstrip("0").rstrip(".") for value in values)


def _seeds(seeds: Sequence[int]) -> str:
    return f"{seeds[0]} to {seeds[-1]}"


def _date(learning: pd.DataFrame | None) -> list[int] | None:
    """Return year, month and day of the last of the timed runs."""
    if learning is None or learning.empty:
        return None
    last = pd.to_datetime(learning["started"], utc=True).max()
    return [last.year, last.month, last.day]


def _data(table: pd.DataFrame, config: Mapping) -> dict[str, Any]:
    numbers = {
        config["datasets"].get(dataset, {}).get("label", dataset): description.numbers(part)
        for dataset, part in table.groupby("dataset", sort=False)
    }
    return {
        "head": ["", *numbers],
        "rows": [
            [name, *(_counted(of.get(name, math.nan)) for of in numbers.values())]
            for name in DESCRIBED
        ],
    }


def _counted(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() else words.number(value)


def _sensitivity(table: pd.DataFrame, config: Mapping) -> dict[str, Any]:
    rows, changes = [], sensitivity.changes(table)
    for name, part in table.groupby("alternative", sort=False):
        if name == sensitivity.BASELINE or part["difference"].isna().all():
            continue
        most = part.loc[part["difference"].abs().idxmax()]
        where = f"{most['policy']}, {words.dataset(most['dataset'])}"
        changed = [f"{claim}: {' → '.join(both)}" for claim, both in changes.get(name, {}).items()]
        moved = f"{_signed(most['difference'])} ({where})"
        rows.append([_label(name, config), moved, "; ".join(changed) or "none"])
    changing = sum(changed != "none" for _, _, changed in rows)
    return {
        "rows": rows,
        "sentence": f"{changing} of {len(rows)} readings change a verdict.",
        "seeds": str(table["seeds"].max()),
    }


def _controls(ratios: pd.DataFrame, gains: pd.DataFrame, config: Mapping) -> dict[str, Any]:
    tuned = gains[gains["reading"] == _TUNED]
    datasets = tuned["dataset"].unique()
    columns = [*tuned[["dataset", "policy"]].drop_duplicates().itertuples(index=False, name=None)]
    rows = []
    for (gain, worse, better), part in tuned.groupby(["gain", "worse", "better"], sort=False):
        cells = {(row["dataset"], row["policy"]): _gain(row) for _, row in part.iterrows()}
        rows.append([f"{gain}\n({worse} → {better})", *(cells.get(key, "–") for key in columns)])
    brief = {name: [*map(_kept, gain_in_words(gains, name))] for name in datasets}
    return {
        "head": ["", *(f"{policy}\n{words.dataset(dataset)}" for dataset, policy in columns)],
        "rows": rows,
        "brief": [text for texts in brief.values() for text in texts],
        "sentences": [
            text for name in datasets for text in (*brief[name], *friends_in_words(gains, name))
        ],
        "learned": learned_graphs(ratios),
        "seeds": str(gains["seeds"].max()),
    }


def learned_graphs(ratios: pd.DataFrame) -> dict[str, Any] | None:
    """Return final ratios with parts of a learned graph in its place, and what they show.

    Parameters
    ----------
    ratios : DataFrame
        Columns `horde.results.controls.COLUMNS`.

    Returns
    -------
    dict or None
        ``head`` and ``rows`` of a table, and ``sentences``; None without such controls.
    """
    none = ratios[(ratios["policy"] == "EG-IND") & (ratios["reading"] == _TUNED)]
    none = none.set_index("dataset")
    columns, said = {}, []
    for policy in LEARNERS:
        harmed = []
        for dataset in ratios["dataset"].unique():
            if found := context.learned(ratios, dataset, policy):
                where = f"{policy}\n{words.dataset(dataset)}"
                columns[where] = {name: row["ratio_mean"] for name, row in found.items()}
                if dataset in none.index:
                    columns[where]["without a graph (EG-IND)"] = none.loc[dataset, "ratio_mean"]
                    if _weights_harm(found, none.loc[dataset]):
                        harmed.append(words.dataset(dataset))
        if harmed:
            said.append(
                f"On {joined(harmed)} {policy} does worse than without a graph, "
                "but its own edges with weights of one do better. "
                "So these edges carry information, and the rest of the estimate does the harm."
            )
    if not columns:
        return None
    table = pd.DataFrame(columns)
    return {
        "head": ["", *table.columns],
        "rows": [[name, *(f"{value:.3f}" for value in row)] for name, *row in table.itertuples()],
        "sentences": said,
    }


def _weights_harm(found: Mapping[str, pd.Series], none: pd.Series) -> bool:
    """Return whether a learned graph clearly harms, and its edges with weight 1 clearly help."""
    whole, edges = (found.get(name) for name in (context.AS_LEARNED, context.OWN_EDGES))
    if whole is None or edges is None:
        return False
    return whole["ratio_low"] > none["ratio_high"] and edges["ratio_high"] < none["ratio_low"]


def _gain(row: pd.Series) -> str:
    margin = (row["difference_high"] - row["difference_low"]) / 2
    shown = _signed(row["difference"]) + (f" ± {margin:.3f}" if math.isfinite(margin) else "")
    return shown.replace(" ", _JOIN)


def _multiverse(shares: pd.DataFrame, config: Mapping) -> dict[str, Any]:
    apart, together = multiverse_in_words(shares)
    return {"sentences": [*apart, *together], "together": together}


def _tuning(table: pd.DataFrame, config: Mapping) -> dict[str, Any]:
    greedy = always_greedy(table)
    always = f"Tuning makes {joined(greedy)} greedy on every dataset." if greedy else ""
    return {"sentences": [*tuning_in_words(table), always], "always": always}


def _costs(table: pd.DataFrame, config: Mapping) -> dict[str, Any]:
    return {
        "hours": words.number(table["cpu_seconds"].sum() / 3600, 2),
        "memory": words.number(table["peak_mb"].max() / 1000, 2),
        "jobs": f"{table['jobs'].sum():,}",
    }


# Part of the article -> what makes it, and the tables that this needs.
_PARTS = {
    "data": (_data, "data"),
    "tuning": (_tuning, "tuning"),
    "sensitivity": (_sensitivity, "sensitivity"),
    "controls": (_controls, "controls", "gains"),
    "multiverse": (_multiverse, "multiverse_claims"),
    "costs": (_costs, "costs"),
}


def _errors(config: Mapping, trace: pd.DataFrame | None, verdicts: pd.Series) -> dict[str, Any]:
    """Return the numbers behind the errors of the paper."""
    d, lam = config["features"]["dimension"], config["paper_values"]["lam"]
    found = {"variance": words.number(1 / lam), "five_cg": _FIVE_CG[verdicts.get("T2", NOT_RUN)]}
    if trace is None:
        return found | _missing("errors")
    found["trace"] = trace_in_words(trace)
    of_l = trace[trace["reading"] == "L"].set_index("graph")
    if "lastfm" in of_l.index:
        n, share = of_l.loc["lastfm", ["n", "trace_over_n"]]
        found |= {
            "users": f"{n:,.0f}",
            "schedule": schedule_in_words(share * n, lam, config["rounds"]),
            "weights": f"{d * n + 1:,.0f}",
        }
    if {"delicious", "delicious_consistent"} <= {*of_l.index}:
        whole, kept = of_l.loc[["delicious", "delicious_consistent"], "n"]
        found |= {"faulty": f"{whole - kept:,.0f}", "of_users": f"{whole:,.0f}"}
    return found


def _label(alternative: str, config: Mapping) -> str:
    entry = config["alternatives"].get(alternative) or {}
    return _symbols(entry.get("label", alternative))


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", words.MINUS)
