"""What the controls and the multiverse say of a claim."""

from collections.abc import Iterator, Mapping

import pandas as pd

from horde.verdict import words
from horde.verdict.claims import Claim

# The tables, with their paths in a run's folder. A verdict does not need them.
TABLES = {
    "controls": "summary/controls.csv",
    "multiverse_claims": "summary/multiverse_claims.csv",
    "multiverse_effects": "summary/multiverse_effects.csv",
}
_GRAPHS = {
    "given": "the given graph",
    "rewired": "a rewired one",
    "permuted": "users permuted on it",
    "given+mean": "the graph and a common mean",
    "none": "no graph",
    "oracle": "an oracle graph",
}
# What takes the place of a learned graph, by the graph of the data and the name of the control.
_LEARNED = {
    ("given", "own-edges"): "with its own edges of weight 1",
    ("given", "own-diagonal"): "with its own diagonal alone",
    ("given", "unit-diagonal"): "with its mean diagonal held at 1",
    ("given", "moments"): "with second moments (weight d + 1)",
    ("given", "moments-d"): "with second moments (weight d)",
    ("given", "given-later"): "with the given graph in its place",
    ("oracle", "given-later"): "with an oracle graph in its place",
}
_CHOICES = {
    "tags": "whether tags are counted",
    "split_tags": "whether tags are split",
    "reduction": "SVD or PCA",
    "scaling": "the norm of the items",
    "untagged": "items without tags",
    "hyper": "the hyper-parameters",
    "exploration": "when exploration takes place",
    "laplacian": "G-EG's Laplacian",
    "every": "how often the graph is estimated",
    "couplings": "the sign of couplings",
    "logdet_weight": "the weight of the log-determinant",
    "learned_lam": "\u03bb",
}
_NAMED_CHOICES = 2
_LEAST_EXPLAINED = 0.005  # a share below this would read 0 %


def sentences(claim: Claim, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return what these tables say of a claim, a sentence each.

    Parameters
    ----------
    claim : Claim
    tables : mapping of str to DataFrame
        Those of `TABLES` that exist.
    """
    return [*_multiverse(claim, tables), *_controls(claim, tables)]


def choice(name: str) -> str:
    """Return a choice of the multiverse in words."""
    return _CHOICES.get(name, name)


def _multiverse(claim: Claim, tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    if "multiverse_claims" not in tables:
        return
    name = "all R" if claim.name == "C3" else claim.name
    table = tables["multiverse_claims"]
    for _, row in table[table["claim"] == name].iterrows():
        yield (
            f"Multiverse: holds by the point estimate in {row['holds']:,} of "
            f"{row['specifications']:,} specifications, by the interval in {row['reproduced']:,}."
        )
    if "multiverse_effects" not in tables:
        return
    effects = tables["multiverse_effects"]
    own = effects[(effects["claim"] == name) & (effects["explained"] >= _LEAST_EXPLAINED)]
    if not own.empty:
        most = own.nlargest(_NAMED_CHOICES, "explained")
        named = ", ".join(
            f"{choice(row['choice'])} ({100 * row['explained']:.0f} % of the variance)"
            for _, row in most.iterrows()
        )
        yield f"It hangs most on: {named}."


def _controls(claim: Claim, tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    if "controls" not in tables:
        return
    controls = tables["controls"]
    table = controls[(controls["reading"] == "tuned") & controls["graph"].isin(list(_GRAPHS))]
    runs = {}
    for side in claim.sides:
        dataset, _, change = side.runs.dataset.partition("@")
        # Runs of another configuration have no controls.
        if side.runs.variant == "tuned" and change in ("", *_GRAPHS):
            runs[dataset, side.runs.policy] = None
    for dataset, policy in runs:
        own = table[(table["dataset"] == dataset) & (table["policy"] == policy)]
        ratios = [f"{_GRAPHS[row['graph']]} {row['ratio_mean']:.3f}" for _, row in own.iterrows()]
        if len(ratios) > 1:
            yield (
                f"Controls: final ratio of {policy} on {words.dataset(dataset)} with "
                f"{', '.join(ratios)}."
            )
    for dataset, policy in runs:
        yield from learned(controls, dataset, policy)


def learned(controls: pd.DataFrame, dataset: str, policy: str) -> list[str]:
    """Return what takes the place of a policy's learned graph, and the final ratios, if any."""
    table = controls.set_index(["dataset", "policy", "graph", "reading"])["ratio_mean"]
    found = [
        f"{instead} {table[key]:.3f}"
        for (graph, reading), instead in _LEARNED.items()
        if (key := (dataset, policy, graph, reading)) in table.index
    ]
    if not found:
        return []
    whole = table[dataset, policy, "given", "tuned"]
    where = f"{policy} on {words.dataset(dataset)}"
    return [f"Controls: final ratio of {where} {whole:.3f}; {', '.join(found)}."]
