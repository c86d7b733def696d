"""From the configuration to the jobs: the list of runs, and the values that each depends on.

Each function returns only values that a job's result depends on. So a job reruns if and only if one
of them changes.
"""

import re
from collections.abc import Iterable
from dataclasses import asdict

from horde import files
from horde.data import sources
from horde.policies import registry

# Names of the figures of seconds per round, by their name in the tables of Figure 1.
SCALABILITY_FIGURES = {"1a": "fig1a_n", "1b": "fig1b_d", "1c": "fig1c_million"}
# Names of Figure 3 by dataset, and of the figure of the learned graphs.
LEARNING_FIGURES = {"lastfm": "fig3a_lastfm_learning", "delicious": "fig3b_delicious_learning"}
LEARNED_GRAPH = "fig3_learned_graph"
# Name of the figure of the controls.
CONTROLS = "figC_controls"
# Names that the regret figure of a dataset must not have.
FIGURES = (
    *SCALABILITY_FIGURES.values(),
    *LEARNING_FIGURES.values(),
    *(LEARNED_GRAPH, CONTROLS, "figB_theory", "sensitivity"),
)
# Policies that store a learned graph with their runs.
LEARNERS = ("L-EG", "U-EG")
# Each graph-based policy and its independent counterpart, which it equals on the empty graph
# (Section 4.2, remark on Theorem 2).
COUNTERPARTS = {"G-EG": "EG-IND", "G-TS": "TS-IND", "GOBLIN": "LINUCB-IND"}
# The paper's choices for posteriors on a graph that are not numbers.
_GRAPH_SETTINGS = ("solver", "iterations", "sampler")


def is_generated(config: dict) -> bool:
    """Return whether any data are generated; results then say that they are not the paper's."""
    return any(entry["kind"] == "generated" for entry in config["datasets"].values())


def is_published(config: dict) -> bool:
    """Return whether any data are the published ones, which the paper's claims are about."""
    return any(entry["kind"] == "hetrec" for entry in config["datasets"].values())


def regret_figures(config: dict) -> dict[str, str]:
    """Return figure name -> dataset, one per dataset; those with configured names come first."""
    given = config["figures"]["regret"]["names"]
    names = {regret_figure(config, dataset): dataset for dataset in config["datasets"]}
    return dict(sorted(names.items(), key=lambda item: (item[1] not in given, item[0])))


def regret_figure(config: dict, dataset: str) -> str:
    """Return the name of the regret figure of `dataset`."""
    return config["figures"]["regret"]["names"].get(dataset, f"{dataset}_regret")


def title(figure: str, text: str) -> str:
    """Return a figure's title: with the paper's number if its name starts with it (``fig2a_``)."""
    if number := re.match(r"fig(\d[a-z]?)_", figure):
        return f"Figure {number[1]}: {text}"
    return text[0].upper() + text[1:]


def learning_figures(config: dict) -> dict[str, str]:
    """Return figure name -> dataset for those datasets of Figure 3 that the configuration has."""
    return {figure: name for name, figure in LEARNING_FIGURES.items() if name in config["datasets"]}


def learners(config: dict) -> list[str]:
    """Return the policies of Figure 3 that learn a graph."""
    return [name for name in config["figures"]["learning"]["policies"] if name in LEARNERS]


def variants_of(policy: str, variants: list[str]) -> list[str]:
    """Return those of `variants` (tuned, paper) that differ for `policy`.

    A policy without hyper-parameters runs once, as the first variant.
    """
    return variants if registry.entry(policy).tunes else variants[:1]


def fixed_params(config: dict, policy: str, variant: str, dataset: str | None = None) -> dict:
    """Return a policy's hyper-parameters except those that tuning chooses.

    Parameters
    ----------
    config : dict
        As `horde.experiments.config.checked` returns it.
    policy : str
        Name of the policy.
    variant : str
        ``tuned`` (with sigma = 1), ``paper``, or one of the configuration's alternatives, which
        uses the tuned values.
    dataset : str, optional
        A dataset, or a variant of one, whose own ``paper_solver`` counts.

    Returns
    -------
    dict
        As `horde.policies.registry.make` takes them.
    """
    entry = registry.entry(policy)
    own = config["policies"][policy]["paper" if variant == "paper" else "tuned"]
    if "lam" not in entry.tunes:
        return dict(own)
    if variant != "paper":
        return {"sigma": 1.0, **own}
    names = (*entry.tunes, "sigma", *(_GRAPH_SETTINGS if entry.needs_graph else ()))
    solver = paper_solver(config, dataset)
    values = config["paper_values"] | ({"solver": solver} if solver else {}) | own
    return {name: values[name] for name in names if name not in entry.fixed} | own


def changes(config: dict, policy: str, variant: str) -> dict:
    """Return a policy's hyper-parameters that an alternative sets, overriding tuned ones."""
    return config["alternatives"].get(variant, {}).get("policies", {}).get(policy, {})


def paper_solver(config: dict, dataset: str | None) -> str | None:
    """Return the solver that a dataset sets for the paper's values; None if it sets none."""
    return config["datasets"].get((dataset or "").partition("@")[0], {}).get("paper_solver")


def all_params(
    config: dict, policy: str, variant: str, chosen: dict, dataset: str | None = None
) -> dict:
    """Return a policy's hyper-parameters: fixed ones, tuned ones, and those of an alternative."""
    fixed = fixed_params(config, policy, variant, dataset)
    return fixed | chosen | changes(config, policy, variant)


def seeds(config: dict, kind: str) -> list[int]:
    """Return the seeds of a kind.

    Kinds ``exploration``, ``figure``, ``sensitivity``, ``controls`` and ``learners`` (of the
    controls) start at 0. No choice was made on those of ``verdict`` and ``learning``, which judge
    the claims; ``used`` did so in version 1 of the rules.
    """
    own = config["seeds"]
    match kind:
        case "sensitivity" | "controls":
            first, number = 0, config[kind]["seeds"]
        case "learners":
            first, number = 0, config["controls"]["learner_seeds"]
        case "used":
            first, number = own["used"]["first"], own["used"]["number"]
        case _:
            first, number = own["fresh"].get(kind, 0), own[kind]
    return list(range(first, first + number))


def blocks(config: dict, kind: str, number: int | None = None) -> list[list[int]]:
    """Split the seeds of a kind, or the first `number` of them, into blocks, each run by one job.

    All blocks except the last have ``seeds.block`` seeds, so more seeds change no full block.
    """
    if kind in ("controls", "learners"):
        size = config["controls"]["block"]
    else:
        size = config["seeds"]["block"]["fresh" if kind in config["seeds"]["fresh"] else "figure"]
    listed = seeds(config, kind)[:number]
    return [listed[k : k + size] for k in range(0, len(listed), size)]


def judging(config: dict) -> set[int]:
    """Return all seeds that judge the claims."""
    return {seed for kind in config["seeds"]["fresh"] for seed in seeds(config, kind)}


def grids(config: dict, policy: str) -> dict[str, list[float]]:
    """Return the values to try of each tuned hyper-parameter, in the policy's order."""
    return {name: config["tuning"]["grids"][name] for name in registry.entry(policy).tunes}


def paper_lam(config: dict, policy: str) -> float | None:
    """Return the paper's lambda for a policy; None if its lambda is not tuned."""
    values = all_params(config, policy, "paper", {})
    return values["lam"] if "lam" in registry.entry(policy).tunes else None


def validation(config: dict, policy: str, dataset: str) -> dict:
    """Return what tuning on a dataset, or a variant of one, depends on.

    These are the fields of `horde.experiments.tuning.Validation`.
    """
    tuning = config["tuning"]
    return {
        "policy": policy,
        "params": fixed_params(config, policy, "tuned"),
        "paper_lam": paper_lam(config, policy),
        "seeds": list(range(tuning["seed"], tuning["seed"] + tuning["streams"])),
        "rounds": config["tuning"]["rounds"],
        "offered": config["offered"],
        "graph": graph(config, dataset),
    }


def experiment(config: dict, policy: str, variant: str, chosen: dict, dataset: str) -> dict:
    """Return the arguments of `horde.experiments.run.Experiment` for a run.

    Parameters
    ----------
    config : dict
        As `horde.experiments.config.checked` returns it.
    policy, variant : str
        Name of the policy; ``tuned``, ``paper`` or an alternative.
    chosen : dict
        Tuned hyper-parameters; empty for ``paper``.
    dataset : str
        A dataset, or a variant of one.
    """
    return {
        "policy": policy,
        "params": dict(sorted(all_params(config, policy, variant, chosen, dataset).items())),
        "rounds": config["rounds"],
        "offered": config["offered"],
        "checkpoints": config["checkpoints"],
        "graph": graph(config, dataset),
    }


def changes_data(config: dict, alternative: str) -> bool:
    """Return whether an alternative changes the data, so that all policies are tuned again."""
    return "policies" not in config["alternatives"][alternative]


def alternative_runs(config: dict) -> dict[str, list[str]]:
    """Return the datasets that each alternative of the sensitivity analysis runs on."""
    asked = config["sensitivity"]
    where = {
        name: [
            dataset
            for dataset in asked["datasets"]
            if dataset in config["alternatives"][name].get("datasets", asked["datasets"])
        ]
        for name in asked["alternatives"]
    }
    return {name: datasets for name, datasets in where.items() if datasets}


def alternative_policies(config: dict, alternative: str) -> list[str]:
    """Return the policies that an alternative runs."""
    entry = config["alternatives"][alternative]
    return list(entry.get("policies", config["sensitivity"]["policies"]))


def data_variant(dataset: str, alternative: str) -> str:
    """Return the name of a dataset under an alternative that changes data: ``lastfm@pca``."""
    return f"{dataset}@{alternative}"


def data_variants(config: dict) -> list[str]:
    """Return the names of all datasets under the alternatives that change data."""
    return [
        data_variant(dataset, name)
        for name in config["alternatives"]
        if changes_data(config, name)
        for dataset in config["datasets"]
    ]


def graph(config: dict, dataset: str) -> str:
    """Return the graph of a dataset, or of a variant of one (`horde.graph.controls.GRAPHS`)."""
    alternative = dataset.partition("@")[2]
    return config["alternatives"][alternative].get("graph", "given") if alternative else "given"


def prepared(config: dict, dataset: str) -> str:
    """Return the prepared dataset of a variant: its own, or where only the graph differs, the base.

    The graph is changed when a run starts, since some graphs are drawn anew for each seed.
    """
    return dataset.partition("@")[0] if graph(config, dataset) != "given" else dataset


def preparation(config: dict, dataset: str) -> dict:
    """Return how a dataset, or a variant of one, is prepared, and from which tables.

    Returns
    -------
    dict
        ``name``, the dataset's own name, which keys the random draws; ``tables``, the dataset whose
        tables are used; ``features``, the settings of the features.
    """
    name, _, alternative = dataset.partition("@")
    entry = config["alternatives"][alternative] if alternative else {}
    return {
        "name": name,
        "tables": entry.get("tables", name),
        "features": config["features"] | entry.get("features", {}),
    }


def multiverse_setup(config: dict, runs: Iterable[tuple[str, str]]) -> dict:
    """Return the fields of `horde.experiments.multiverse.Setup`.

    Parameters
    ----------
    config : dict
        As `horde.experiments.config.checked` returns it.
    runs : iterable of (str, str)
        Policies and variants that the claims compare. The policies of ``multiverse.policies`` come
        on top, tuned.
    """
    wanted = dict.fromkeys([*runs, *((name, "tuned") for name in config["multiverse"]["policies"])])
    return {
        "runs": [(policy, name, changes(config, policy, name)) for policy, name in wanted],
        "fixed": {policy: fixed_params(config, policy, "tuned") for policy, _ in wanted},
        "paper": {name: config["paper_values"][name] for name in config["tuning"]["grids"]},
        "grids": config["multiverse"]["grids"],
        "tuning_rounds": config["tuning"]["rounds"],
        "tuning_seed": config["tuning"]["seed"],
        "rounds": config["rounds"],
        "offered": config["offered"],
    }


def control_runs(config: dict) -> list[tuple[str, str, str]]:
    """Return dataset (or variant of one), policy and variant of all runs of the controls.

    Policies of a graph run on the given one and on all others, tuned for each. Then they run with
    the values tuned for the given one (``as-given``), and under the other readings. Policies that
    learn a graph run with other things in its place (``learned``).
    """
    asked = config["controls"]
    runs = []
    for dataset in asked["datasets"]:
        for policy in asked["policies"]:
            readings = ["tuned", *asked["readings"]]
            runs += [(dataset, policy, variant) for variant in readings]
            runs += [
                (data_variant(dataset, name), policy, variant)
                for name in asked["graphs"]
                if policy in asked["only"].get(name, asked["policies"])
                for variant in ("tuned", "as-given", *asked["readings"])
            ]
        runs += [(dataset, policy, "tuned") for policy in asked["without_graph"]]
        if "Longest" in asked["without_graph"]:
            runs += [
                (data_variant(dataset, name), "Longest", "tuned") for name in asked["contexts"]
            ]
        for policy in asked["learners"]:
            runs.append((dataset, policy, "tuned"))
            for name in asked["learned"]:
                own = config["alternatives"][name]["policies"].get(policy)
                places = [dataset] if own else []
                # The oracle's graph, from when a graph is learned on.
                if own and own.get("estimate") == "given" and "oracle" in asked["graphs"]:
                    places.append(data_variant(dataset, "oracle"))
                runs += [(place, policy, name) for place in places]
    return runs


def control_graphs(config: dict) -> dict[str, str]:
    """Return the graph of each alternative that changes it, in the order of the controls."""
    return {name: config["alternatives"][name]["graph"] for name in config["controls"]["graphs"]}


def theory(config: dict) -> dict[str, dict]:
    """Return the hyper-parameters of the theorems' policies, without lambda and sigma."""
    return {
        policy: all_params(config, policy, "theory", {})
        for policy in config["alternatives"]["theory"]["policies"]
    }


def theory_setup(config: dict) -> dict:
    """Return the fields of `horde.experiments.theory.Setup`."""
    other = ("isolated", "kronecker")
    return {key: value for key, value in config["theory"].items() if key not in other}


def data_source(config: dict, dataset: str) -> dict:
    """Return the entry of `dataset` without what does not affect the acquisition."""
    entry = _of_data(config["datasets"][dataset])
    return {"entry": entry, "allow_unverified": config["allow_unverified_data"]}


def known_source(config: dict, dataset: str) -> str | None:
    """Return a digest of the declaration of the published archive; None for other kinds of data."""
    entry = config["datasets"][dataset]
    if entry["kind"] != "hetrec":
        return None
    return files.digest(asdict(sources.find(entry["archive"])))[:16]


def scale(config: dict) -> dict[str, object]:
    """Return the values, by dotted key, that must not change while a run keeps its name.

    They exclude seeds, policies, figures and alternatives, since adding to these keeps existing
    results valid. They also exclude a dataset that only one configuration has.

    Parameters
    ----------
    config : dict
        As returned by `horde.experiments.config.checked` of this version or an earlier one.
    """
    datasets = config.get("datasets", {})
    generated = {
        entry["archive"] for entry in datasets.values() if entry.get("kind") == "generated"
    }
    nested = {
        "features": config.get("features", {}),
        "generate": {
            name: size
            for name, size in config.get("generate", {}).items()
            if generated and (name == "seed" or name in generated)
        },
        **{f"datasets.{name}": _of_data(entry) for name, entry in datasets.items()},
    }
    return {key: config[key] for key in ("rounds", "offered") if key in config} | {
        f"{key}.{name}": value for key, below in nested.items() for name, value in below.items()
    }


def scale_differences(before: dict, now: dict) -> list[str]:
    """Return one line for each key of `scale` in which two configurations of a run differ."""
    found, wanted = scale(before), scale(now)
    return [
        f"{key}: {found[key]!r} there, {value!r} now"
        for key, value in wanted.items()
        if key in found and found[key] != value
    ]


def _of_data(entry: dict) -> dict:
    """Return those settings of a dataset that change its data."""
    return {key: value for key, value in entry.items() if key not in ("label", "paper_solver")}
