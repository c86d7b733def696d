"""A prepared dataset: item features, who likes what, who knows whom."""

import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from horde import files
from horde.checks import are_weights, ascending, outside
from horde.errors import DataError
from horde.graph import controls
from horde.graph.precision import Precision, adjacency, laplacian
from horde.problem import Problem
from horde.random import draws


@dataclass(frozen=True)
class Dataset:
    """The data that a simulation needs; checked on construction.

    Attributes
    ----------
    name : str
        Name of the dataset; part of the key of every random draw (see `horde.random`).
    features : ndarray of float64, shape (n_items, d)
        Context vector x_j of each item, finite.
    liked_indptr : ndarray of int64, shape (n + 1,)
        User i likes ``liked_items[liked_indptr[i]:liked_indptr[i + 1]]``.
    liked_items : ndarray of int32, shape (nnz,)
        Items, strictly ascending within a user.
    edges : ndarray of int32, shape (m, 2)
        Friendships as pairs i < j, each once, in ascending order.
    provenance : dict
        Origin of the data, JSON-able.
    edge_weights : ndarray of float64, shape (m,), or None
        Weight of each friendship, positive; None if all are 1.

    Raises
    ------
    DataError
        If the arrays contradict each other or the description above.
    """

    name: str
    features: np.ndarray
    liked_indptr: np.ndarray
    liked_items: np.ndarray
    edges: np.ndarray
    provenance: dict[str, Any] = field(default_factory=dict)
    edge_weights: np.ndarray | None = None

    def __post_init__(self):
        for fault, found in _faults(self):
            if found:
                raise DataError(f"dataset {self.name!r}: {fault}")

    @property
    def n_users(self) -> int:
        """Number of users n."""
        return len(self.liked_indptr) - 1

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.features.shape[0]

    @property
    def n_features(self) -> int:
        """Length d of a context vector."""
        return self.features.shape[1]

    def likes(self) -> sparse.csr_matrix:
        """Return a matrix of int32, shape (n, n_items): 1 where a user likes an item."""
        ones = np.ones(len(self.liked_items), dtype=np.int32)
        shape = (self.n_users, self.n_items)
        return sparse.csr_matrix((ones, self.liked_items, self.liked_indptr), shape=shape)

    def precision(self) -> Precision:
        """Return L = L_G + I of the friendships (Section 3.1)."""
        return laplacian(adjacency(self.edges, self.n_users, self.edge_weights))

    def problem(self, seed: int, rounds: int, graph: str = "given") -> Problem:
        """Return the `Problem` of `rounds` rounds; `seed` keys its random draws.

        `graph` is one of `horde.graph.controls.GRAPHS`.
        """
        draw = draws(self.name, seed)
        if graph == "given":
            precision = self.precision()
        else:
            given = self.edges, self.likes(), draw, self.edge_weights
            precision = controls.prior(graph, *given)
        return Problem(precision.n_users, self.n_features, rounds, draw, precision)

    def save(self, path: str | os.PathLike) -> None:
        """Write the dataset as one npz file; equal datasets give equal bytes."""
        arrays = files.fields_of(self)
        arrays["provenance"] = np.array(json.dumps(self.provenance, sort_keys=True))
        files.save_arrays(path, **arrays)


def load(path: str | os.PathLike) -> Dataset:
    """Read a dataset that `Dataset.save` wrote.

    Raises
    ------
    DataError
        If the file is missing, damaged, or holds something else.
    """
    arrays = files.load_arrays(path)
    try:
        texts = {"name": str(arrays["name"]), "provenance": json.loads(str(arrays["provenance"]))}
        return Dataset(**arrays | texts)
    except (KeyError, TypeError, ValueError, DataError) as error:
        raise DataError(
            f"{path} holds no prepared dataset ({error}); delete it and prepare it again"
        ) from error


def require(path: str | os.PathLike, name: str) -> None:
    """Check that a file holds the dataset `name`.

    Raises
    ------
    DataError
        If the file holds another dataset, or none.
    """
    found = load(path).name
    if found != name:
        raise DataError(
            f"{path} holds the dataset {found!r}, not {name!r}; delete it and prepare it again"
        )


def _faults(data: Dataset):
    """Yield (message, whether it applies); each check assumes that the earlier ones passed."""
    features, indptr, items = data.features, data.liked_indptr, data.liked_items
    edges, weights = data.edges, data.edge_weights
    yield (
        "features are not a float64 table",
        features.ndim != 2 or features.dtype != np.float64 or 0 in features.shape,
    )
    yield "a feature is not a finite number", not np.isfinite(features).all()
    yield "liked_indptr is not one-dimensional", indptr.ndim != 1 or indptr.dtype != np.int64
    yield "it has no user", len(indptr) < 2
    yield "liked_items is not one-dimensional", items.ndim != 1 or items.dtype != np.int32
    yield (
        "liked_indptr does not fit liked_items",
        indptr[0] != 0 or indptr[-1] != len(items) or (np.diff(indptr) < 0).any(),
    )
    yield "a liked item does not exist", outside(items, len(features))
    user = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    yield "a user's liked items do not ascend", not ascending(user, items)
    yield "edges are not pairs", edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype != np.int32
    yield "an edge leads to a user who does not exist", outside(edges, len(indptr) - 1)
    yield "an edge is not a pair i < j", (edges[:, 0] >= edges[:, 1]).any()
    yield "the edges do not ascend", not ascending(edges[:, 0], edges[:, 1])
    yield (
        "edge_weights are not positive numbers, one an edge",
        weights is not None and not are_weights(weights, len(edges)),
    )
