"""From the configuration to the jobs: which runs there are, and what each depends on.

Each function returns only what a job's result depends on. A job is therefore redone when, and only
when, one of these values changes.
"""

from dataclasses import asdict

from horde import files
from horde.data import sources
from horde.policies import registry

# Figures that are not a dataset's regret, by their name in the tables of Figure 1.
SCALABILITY_FIGURES = {"1a": "fig1a_n", "1b": "fig1b_d", "1c": "fig1c_million"}
# Figure 3, by the dataset it is drawn of; and the picture of what was learned.
LEARNING_FIGURES = {"lastfm": "fig3a_lastfm_learning", "delicious": "fig3b_delicious_learning"}
LEARNED_GRAPH = "fig3_learned_graph"
# All names that a dataset's regret figure must not have.
FIGURES = (
    *SCALABILITY_FIGURES.values(),
    *LEARNING_FIGURES.values(),
    *(LEARNED_GRAPH, "figB_theory", "sensitivity"),
)
# Policies whose finished runs hold a learned graph.
LEARNERS = ("L-EG", "U-EG")
# Each graph-based policy and its independent counterpart: what it is on the empty graph
# (Section 4.2, remark on Theorem 2).
COUNTERPARTS = {"G-EG": "EG-IND", "G-TS": "TS-IND", "GOBLIN": "LINUCB-IND"}
# What the paper fixes for posteriors on a graph, beside the numbers.
_GRAPH_SETTINGS = ("solver", "iterations", "sampler")


def is_generated(config: dict) -> bool:
    """Whether any of the data is generated: results then say that they are not the paper's."""
    return any(entry["kind"] == "generated" for entry in config["datasets"].values())


def regret_figures(config: dict) -> dict[str, str]:
    """Return figure name -> dataset, one for each dataset; those that were given a name first."""
    given = config["figures"]["regret"]["names"]
    names = {regret_figure(config, dataset): dataset for dataset in config["datasets"]}
    return dict(sorted(names.items(), key=lambda item: (item[1] not in given, item[0])))


def regret_figure(config: dict, dataset: str) -> str:
    """Return the name of the regret figure of `dataset`."""
    return config["figures"]["regret"]["names"].get(dataset, f"{dataset}_regret")


def learning_figures(config: dict) -> dict[str, str]:
    """Return figure name -> dataset, for the datasets of Figure 3 that the configuration has."""
    return {figure: name for name, figure in LEARNING_FIGURES.items() if name in config["datasets"]}


def learners(config: dict) -> list[str]:
    """Return the policies of Figure 3 that learn a graph."""
    return [name for name in config["figures"]["learning"]["policies"] if name in LEARNERS]


def variants_of(policy: str, variants: list[str]) -> list[str]:
    """Return those of `variants` (tuned, paper) that differ for `policy`.

    A policy without hyper-parameters is run once, as the first of them.
    """
    return variants if registry.entry(policy).tunes else variants[:1]


def fixed_params(config: dict, policy: str, variant: str) -> dict:
    """Return a policy's settings but for those that tuning chooses.

    Parameters
    ----------
    config : dict
        As `horde.experiments.config.checked` returns it.
    policy : str
        Name of the policy.
    variant : str
        ``tuned`` (sigma is 1 then), ``paper``, or one of the configuration's alternatives, for
        which tuning chooses as for ``tuned``.

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
    values = config["paper_values"] | own
    return {name: values[name] for name in names if name not in entry.fixed} | own


def changes(config: dict, policy: str, variant: str) -> dict:
    """Return what an alternative changes in a policy, whatever tuning chose; often nothing."""
    return config["alternatives"].get(variant, {}).get("policies", {}).get(policy, {})


def all_params(config: dict, policy: str, variant: str, chosen: dict) -> dict:
    """Return a policy's settings: what is fixed, what tuning chose, what an alternative changes."""
    return fixed_params(config, policy, variant) | chosen | changes(config, policy, variant)


def seeds(config: dict, kind: str) -> list[int]:
    """Return the seeds of a kind: ``figure``, or one of those that no choice was made on.

    The latter are ``verdict``, ``learning`` and ``sensitivity``.
    """
    counts = config["seeds"] | {"sensitivity": config["sensitivity"]["seeds"]}
    first = 0 if kind == "figure" else config["seeds"]["fresh"]
    return list(range(first, first + counts[kind]))


def blocks(config: dict, kind: str) -> list[list[int]]:
    """Split the seeds of a kind into blocks, each run by one job.

    All blocks but the last have ``seeds.block`` seeds, so that further seeds change no block that
    is full.
    """
    size = config["seeds"]["block"]["figure" if kind == "figure" else "fresh"]
    listed = seeds(config, kind)
    return [listed[k : k + size] for k in range(0, len(listed), size)]


def grids(config: dict, policy: str) -> dict[str, list[float]]:
    """Return the values to try of each hyper-parameter that `policy` tunes, in its order."""
    return {name: config["tuning"]["grids"][name] for name in registry.entry(policy).tunes}


def validation(config: dict, policy: str) -> dict:
    """Return what the tuning of `policy` depends on: the fields of `validation.Validation`."""
    return {
        "policy": policy,
        "params": fixed_params(config, policy, "tuned"),
        "seed": config["tuning"]["seed"],
        "rounds": config["tuning"]["rounds"],
        "offered": config["offered"],
    }


def experiment(config: dict, policy: str, variant: str, chosen: dict) -> dict:
    """Return what makes a run, as `horde.experiments.run.Experiment` takes it.

    Parameters
    ----------
    config : dict
        As `horde.experiments.config.checked` returns it.
    policy, variant : str
        Name of the policy; ``tuned``, ``paper`` or an alternative.
    chosen : dict
        What tuning chose; empty for ``paper``.
    """
    return {
        "policy": policy,
        "params": dict(sorted(all_params(config, policy, variant, chosen).items())),
        "rounds": config["rounds"],
        "offered": config["offered"],
        "checkpoints": config["checkpoints"],
    }


def changes_data(config: dict, alternative: str) -> bool:
    """Whether an alternative changes the data, so that all policies are tuned and run anew."""
    return "policies" not in config["alternatives"][alternative]


def alternative_runs(config: dict) -> dict[str, list[str]]:
    """Return, for each alternative whose effect is asked for, the datasets that it is run on."""
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
    """Return the policies that an alternative is run with."""
    entry = config["alternatives"][alternative]
    return list(entry.get("policies", config["sensitivity"]["policies"]))


def data_variant(dataset: str, alternative: str) -> str:
    """Name the dataset as an alternative prepares it: ``lastfm@pca``."""
    return f"{dataset}@{alternative}"


def data_variants(config: dict) -> list[str]:
    """Name all datasets as the alternatives that change data prepare them."""
    return [
        data_variant(dataset, name)
        for name in config["alternatives"]
        if changes_data(config, name)
        for dataset in config["datasets"]
    ]


def preparation(config: dict, dataset: str) -> dict:
    """Return what a dataset, or a variant of one, is prepared from and how.

    Returns
    -------
    dict
        ``name``, the dataset's own name, by which random draws are keyed; ``tables``, the dataset
        whose tables are taken; ``features``, the settings of the features.
    """
    name, _, alternative = dataset.partition("@")
    entry = config["alternatives"][alternative] if alternative else {}
    return {
        "name": name,
        "tables": entry.get("tables", name),
        "features": config["features"] | entry.get("features", {}),
    }


def theory(config: dict) -> dict[str, dict]:
    """Return the settings of each policy that the theorems are about, lambda and sigma aside."""
    return {
        policy: all_params(config, policy, "theory", {})
        for policy in config["alternatives"]["theory"]["policies"]
    }


def theory_setup(config: dict) -> dict:
    """Return the fields of `horde.experiments.theory.Setup`."""
    other = ("isolated", "kronecker")
    return {key: value for key, value in config["theory"].items() if key not in other}


def data_source(config: dict, dataset: str) -> dict:
    """Return what the acquisition of `dataset` depends on; its label is cosmetic."""
    entry = {key: value for key, value in config["datasets"][dataset].items() if key != "label"}
    return {"entry": entry, "allow_unverified": config["allow_unverified_data"]}


def known_source(config: dict, dataset: str) -> str | None:
    """Digest what is known of the published archive of `dataset`; None for other kinds of data."""
    entry = config["datasets"][dataset]
    if entry["kind"] != "hetrec":
        return None
    return files.digest(asdict(sources.find(entry["archive"])))[:16]


def scale(config: dict) -> dict[str, object]:
    """Return what must stay the same as long as a run keeps its name, by dotted key.

    Seeds, policies, figures and alternatives are not among it: what is added to these goes on from
    the results that are there. Neither is a dataset that only one configuration has.

    Parameters
    ----------
    config : dict
        As `horde.experiments.config.checked` returned it, in this version or an earlier one.
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
        **{
            f"datasets.{name}": {key: value for key, value in entry.items() if key != "label"}
            for name, entry in datasets.items()
        },
    }
    return {key: config[key] for key in ("rounds", "offered") if key in config} | {
        f"{key}.{name}": value for key, below in nested.items() for name, value in below.items()
    }


def scale_differences(before: dict, now: dict) -> list[str]:
    """Return a line for each key of `scale` in which two configurations of one run differ."""
    found, wanted = scale(before), scale(now)
    return [
        f"{key}: {found[key]!r} there, {value!r} now"
        for key, value in wanted.items()
        if key in found and found[key] != value
    ]
