"""Comparison of learned graphs with the given graph and between seeds."""

import os
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from horde.data import dataset as datasets
from horde.errors import DataError
from horde.graph.precision import Precision
from horde.policies.graph_learning import Step, read_learned
from horde.results import runs
from horde.results.runs import REMEDY

COLUMNS = [
    *runs.RUN,
    *("estimates", "unconverged", "rejected", "gap", "lam2"),
    *("edges", "density", "given", "kept", "dropped", "added"),
    *("attractive", "repulsive", "isolated", "median_diagonal"),
    *("agreement", "chance_agreement"),
]


def learned_table(paths: Iterable[str | os.PathLike], dataset: str | os.PathLike) -> pd.DataFrame:
    """Compare the learned graphs of finished runs with the given graph and with each other.

    Parameters
    ----------
    paths : iterable of path
        Files ``.../{dataset}/{policy}/{variant}/{block}.npz``, as `horde.results.runs.save` wrote
        them.
    dataset : path
        The prepared dataset of these runs.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, one row per run. ``estimates`` is the number of estimates;
        ``unconverged`` of them stopped before their tolerance (the last feasible V was used), and
        ``rejected`` were not used. ``gap`` is the last duality gap in nats per user, to two digits;
        ``lam2`` the last lambda_2. Of the edges of the final V, ``kept`` are among the ``given``
        edges, ``added`` are not, and ``attractive`` have V_ij < 0. ``isolated`` users have no edge.
        ``agreement`` is the Jaccard index of the edges with those of another seed, averaged over
        the other seeds; ``chance_agreement`` is its value for as many random edges. Both are NaN
        for a single seed.

    Raises
    ------
    DataError
        If a run is missing, damaged, or has learned no graph.
    """
    data = datasets.load(dataset)
    given = _numbered(data.edges[:, 0], data.edges[:, 1], data.n_users)
    pairs = max(data.n_users * (data.n_users - 1) / 2, 1)
    groups: dict[tuple, list[tuple[dict, np.ndarray]]] = {}
    rows = []
    for path in paths:
        names = runs.name(path)
        for seed, (V, steps) in _read(path).items():
            edges = _edges(V)
            row = {**names, "seed": seed, "density": len(edges) / pairs}
            row |= _estimates(steps) | _edges_against(V, edges, given)
            rows.append(row)
            groups.setdefault((names["policy"], names["variant"]), []).append((row, edges))
    for alike in groups.values():
        for row, own in alike:
            others = [edges for other, edges in alike if other is not row]
            row.update(_agreement(own, others, pairs))
    return pd.DataFrame(rows, columns=COLUMNS)


def _read(path: str | os.PathLike) -> dict[int, tuple[Precision, list[Step]]]:
    try:
        return {seed: read_learned(arrays) for seed, arrays in runs.read_learned(path).items()}
    except KeyError as error:
        raise DataError(f"{path} holds no learned graph; {REMEDY}") from error


def _numbered(i: np.ndarray, j: np.ndarray, n: int) -> np.ndarray:
    """Return a distinct number for each pair i < j of n users."""
    return i.astype(np.int64) * n + j


def _edges(V: Precision) -> np.ndarray:
    rows = np.repeat(np.arange(V.n_users), np.diff(V.indptr))
    upper = rows < V.indices
    return _numbered(rows[upper], V.indices[upper], V.n_users)


def _estimates(steps: Sequence[Step]) -> dict[str, float]:
    return {
        "estimates": len(steps),
        "unconverged": sum(not step.converged for step in steps),
        "rejected": sum(not step.used for step in steps),
        # Further digits depend on the linear algebra library.
        "gap": float(f"{steps[-1].gap:.1e}") if steps else np.nan,
        "lam2": steps[-1].lam2 if steps else np.nan,
    }


def _edges_against(V: Precision, edges: np.ndarray, given: np.ndarray) -> dict[str, float]:
    kept = len(np.intersect1d(edges, given))
    attractive = int((V.weights < 0).sum()) // 2
    return {
        "edges": len(edges),
        "given": len(given),
        "kept": kept,
        "dropped": len(given) - kept,
        "added": len(edges) - kept,
        "attractive": attractive,
        "repulsive": len(edges) - attractive,
        "isolated": int((np.diff(V.indptr) == 0).sum()),
        "median_diagonal": float(np.median(V.diagonal)),
    }


def _agreement(own: np.ndarray, others: Sequence[np.ndarray], pairs: float) -> dict[str, float]:
    if not others:
        return {"agreement": np.nan, "chance_agreement": np.nan}
    found = [_jaccard(len(np.intersect1d(own, other)), own, other) for other in others]
    drawn = [_jaccard(len(own) * len(other) / pairs, own, other) for other in others]
    return {"agreement": float(np.mean(found)), "chance_agreement": float(np.mean(drawn))}


def _jaccard(both: float, a: np.ndarray, b: np.ndarray) -> float:
    """Return the Jaccard index of two sets of edges; 1 if both are empty."""
    either = len(a) + len(b) - both
    return both / either if either else 1.0
