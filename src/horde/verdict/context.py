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
AS_LEARNED = "as in the paper"
OWN_EDGES = "with its own edges of weight 1"
# What takes the place of a learned graph, by the graph of the data and the name of the control.
LEARNED = {
    ("given", "tuned"): AS_LEARNED,
    ("given", "own-edges"): OWN_EDGES,
    ("given", "own-diagonal"): "with its own diagonal alone",
    ("given", "unit-diagonal"): "with its mean diagonal held at 1",
    ("given", "moments"): "with second moments (weight d + 1)",
    ("given", "moments-d"): "with second moments (weight d)",
    ("given", "given-later"): "with the given graph in its place",
    ("oracle", "given-later"): "with an oracle graph in its place",
}
# The choices of the multiverse.
CHOICES = {
    "tags": "tags of an item",
    "split_tags": "tags cut into words",
    "reduction": "SVD or PCA",
    "scaling": "norm of an item",
    "untagged": "items without tags",
    "hyper": "hyper-parameters",
    "exploration": "exploration",
    "laplacian": "graph Laplacian",
    "every": "rounds per estimate",
    "couplings": "couplings",
    "logdet_weight": "weight of the log-determinant",
    "learned_lam": "prior precision \u03bb",
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
            f"{CHOICES[row['choice']]} ({100 * row['explained']:.0f} % of the variance)"
            for _, row in most.iterrows()
        )
        yield f"Its margin depends most on: {named}."


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
            policy = side.runs.policy
            runs[dataset, policy] = f"Controls: final ratio of {policy} on {words.dataset(dataset)}"
    for (dataset, policy), said in runs.items():
        own = table[(table["dataset"] == dataset) & (table["policy"] == policy)]
        ratios = [f"{_GRAPHS[row['graph']]} {row['ratio_mean']:.3f}" for _, row in own.iterrows()]
        if len(ratios) > 1:
            yield f"{said} with {', '.join(ratios)}."
    for (dataset, policy), said in runs.items():
        ratios = [
            f"{instead} {row['ratio_mean']:.3f}"
            for instead, row in learned(controls, dataset, policy).items()
        ]
        if ratios:
            yield f"{said} {', '.join(ratios)}."


def learned(controls: pd.DataFrame, dataset: str, policy: str) -> dict[str, pd.Series]:
    """Return what takes the place of a policy's learned graph, with the rows, if any."""
    table = controls[(controls["dataset"] == dataset) & (controls["policy"] == policy)]
    table = table.set_index(["graph", "reading"])
    found = {instead: table.loc[key] for key, instead in LEARNED.items() if key in table.index}
    return found if {*found} - {AS_LEARNED} else {}
