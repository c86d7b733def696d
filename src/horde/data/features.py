"""Preparation: from canonical tables to context vectors (Section 5, "Experimental setup").

An item is described by its tags: TF-IDF, then a projection to d features. Each choice that the
paper leaves open is a named setting.
"""

import re
from collections.abc import Iterable

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, svds

from horde.checks import choice
from horde.data.dataset import Dataset
from horde.data.tables import Tables
from horde.errors import ConfigError, DataError
from horde.graph.statistics import graph_statistics
from horde.random import generator

# Features are rounded so that two LAPACK builds give the same file.
DECIMALS = 6
# A component whose singular value is below this share of the largest one is noise.
NOISE = 1e-9
SEPARATORS = re.compile(r"[\W_]+")


def prepare(
    tables: Tables,
    name: str,
    provenance: dict,
    *,
    dimension: int = 25,
    tags: str = "set",
    split_tags: bool = False,
    reduction: str = "svd",
    scaling: str = "none",
    untagged: str = "keep",
) -> tuple[Dataset, dict]:
    """Make the dataset that simulations run on, and its summary.

    Parameters
    ----------
    tables : Tables
        As acquired.
    name : str
        Name of the dataset.
    provenance : dict
        Of the tables; the settings below are added to it.
    dimension : int
        d, the number of features of an item, at least 1. Where the tags have fewer independent
        directions, the remaining features are 0.
    tags : {"set", "counts"}
        An item's tags count once each, or as often as they were given.
    split_tags : bool
        Whether a tag stands for its words, in lower case.
    reduction : {"svd", "pca"}
        Truncated SVD of the TF-IDF matrix, or of that matrix with its column means taken off.
    scaling : {"none", "max", "unit"}
        Context vectors as they come; divided by the largest norm (Assumption 1: ||x|| <= 1); or
        each divided by its own.
    untagged : {"keep", "drop"}
        Whether items without tags stay. Kept, such an item's TF-IDF row is 0.

    Returns
    -------
    Dataset
    dict
        Counts, density, degrees, components, untagged items, explained variance, Tr(L^-1)/n.

    Raises
    ------
    ConfigError
        If a setting is none of the above, or counts are asked of data without them.
    DataError
        If no item has a tag.
    """
    params = {
        "dimension": dimension,
        "tags": choice("tags", tags, ("set", "counts")),
        "split_tags": split_tags,
        "reduction": choice("reduction", reduction, ("svd", "pca")),
        "scaling": choice("scaling", scaling, ("none", "max", "unit")),
        "untagged": choice("untagged", untagged, ("keep", "drop")),
    }
    if dimension < 1:
        raise ConfigError(f"features.dimension is {dimension}; it must be at least 1")
    if tags == "counts" and not tables.counted:
        raise ConfigError(
            f"features.tags is 'counts', but {name} does not tell how often a tag was given"
        )
    if untagged == "drop":
        tables = tables.with_items(np.unique(tables.item_tags[:, 0]))
    counts = tag_counts(tables, counted=tags == "counts", split=split_tags)
    if counts.nnz == 0:
        raise DataError(f"{name}: no item has a tag, so there is nothing to describe items by")
    features, explained = reduce(tf_idf(counts), dimension, centred=reduction == "pca")
    dataset = Dataset(
        name=name,
        features=np.round(scale(features, scaling), DECIMALS) + 0.0,
        liked_indptr=np.searchsorted(tables.likes[:, 0], np.arange(len(tables.user_ids) + 1)),
        liked_items=np.ascontiguousarray(tables.likes[:, 1]),
        edges=tables.friends,
        provenance=provenance | {"features": params},
    )
    return dataset, summary(dataset, counts, explained)


def tag_counts(tables: Tables, *, counted: bool, split: bool) -> sparse.csr_matrix:
    """Return how often each item was given each tag, or each word where `split`.

    Returns
    -------
    scipy.sparse.csr_matrix, shape (n_items, n_tags)
        Counts; 0 or 1 unless `counted`.
    """
    items, tags, counts = tables.item_tags.T
    shape = (len(tables.item_ids), len(tables.tag_names))
    matrix = sparse.csr_matrix((counts.astype(np.float64), (items, tags)), shape=shape)
    if split:
        matrix = sparse.csr_matrix(matrix @ _words(tables.tag_names))
    if not counted:
        matrix.data[:] = 1.0
    return matrix


def _words(tag_names: Iterable[str]) -> sparse.csr_matrix:
    """Return which tag has which word, 0 or 1, shape (n_tags, n_words)."""
    split = [sorted({w for w in SEPARATORS.split(t.lower()) if w} or {t}) for t in tag_names]
    column = {word: j for j, word in enumerate(sorted(set().union(*split)))}
    rows = np.repeat(np.arange(len(split)), [len(words) for words in split])
    columns = [column[word] for words in split for word in words]
    shape = (len(split), len(column))
    return sparse.csr_matrix((np.ones(len(columns)), (rows, columns)), shape=shape)


def tf_idf(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """Weigh counts by log((1 + n_items) / (1 + items with the tag)) + 1; rows to unit norm.

    The weights are rounded to 12 decimals, since processors differ in the last digit of a
    logarithm. Rows without tags stay 0.
    """
    with_tag = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.round(np.log((1 + counts.shape[0]) / (1 + with_tag)) + 1, 12)
    weighted = sparse.csr_matrix(counts @ sparse.diags(idf))
    return sparse.csr_matrix(sparse.diags(1 / _norms(weighted)) @ weighted)


def _norms(matrix) -> np.ndarray:
    """Return the norm of each row, 1 for a row of zeros."""
    squares = matrix.multiply(matrix) if sparse.issparse(matrix) else matrix * matrix
    norms = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
    return np.where(norms > 0, norms, 1.0)


def reduce(
    matrix: sparse.csr_matrix, dimension: int, *, centred: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Project rows on the leading right singular vectors.

    Parameters
    ----------
    matrix : scipy.sparse.csr_matrix, shape (n_items, n_tags)
        What to project.
    dimension : int
        Number of singular vectors d.
    centred : bool
        Take off the column means first (principal components), without densifying.

    Returns
    -------
    ndarray, shape (n_items, d)
        By descending singular value; 0 where there are fewer directions than d.
    ndarray, shape (d,)
        Share of the sum of squares that each explains.
    """
    mean = np.asarray(matrix.mean(axis=0)).ravel() if centred else np.zeros(matrix.shape[1])
    total = matrix.multiply(matrix).sum() - matrix.shape[0] * (mean * mean).sum()
    values, vectors = _leading(matrix, mean, min(dimension, *matrix.shape))
    kept = values > NOISE * values.max(initial=0.0)
    values, vectors = values[kept], _fixed_signs(vectors[kept])
    features = np.zeros((matrix.shape[0], dimension))
    features[:, : len(values)] = matrix @ vectors.T - vectors @ mean
    explained = np.zeros(dimension)
    explained[: len(values)] = values**2 / total if total > 0 else 0.0
    return features, explained


def _leading(matrix, mean: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k largest singular values, descending, and their right vectors (k, n_tags)."""
    smaller = min(matrix.shape)
    # ARPACK needs room beside the vectors that it looks for.
    if smaller <= 2 * k + 20:
        _, values, vectors = np.linalg.svd(matrix.toarray() - mean, full_matrices=False)
        return values[:k], vectors[:k]
    start = generator("features", 0, "start_vector").random(smaller)
    operator = _centred(matrix, mean) if mean.any() else matrix
    _, values, vectors = svds(operator, k=k, v0=start, solver="arpack")
    order = np.argsort(-values)
    return values[order], vectors[order]


def _centred(matrix, mean: np.ndarray) -> LinearOperator:
    """Return ``matrix - 1 mean^T`` as an operator, without forming it."""

    def times(x):
        return matrix @ x.ravel() - mean @ x.ravel()

    def transposed_times(y):
        return matrix.T @ y.ravel() - mean * y.sum()

    return LinearOperator(matrix.shape, matvec=times, rmatvec=transposed_times, dtype=matrix.dtype)


def _fixed_signs(vectors: np.ndarray) -> np.ndarray:
    """Make the first of the largest entries of each row positive."""
    size = np.abs(vectors)
    first = np.argmax(size >= size.max(axis=1, keepdims=True) * (1 - 1e-6), axis=1)
    return vectors * np.sign(vectors[np.arange(len(vectors)), first])[:, None]


def scale(features: np.ndarray, scaling: str) -> np.ndarray:
    """Scale context vectors: ``none``, by the largest norm (``max``), or each (``unit``)."""
    if scaling == "none":
        return features
    norms = _norms(features)
    if scaling == "max":
        return features / norms[features.any(axis=1)].max(initial=0.0)
    return features / norms[:, None]


def summary(dataset: Dataset, counts: sparse.csr_matrix, explained: np.ndarray) -> dict:
    """Return what there is to say of a prepared dataset, rounded to 6 decimals.

    Parameters
    ----------
    dataset : Dataset
    counts : scipy.sparse.csr_matrix, shape (n_items, n_tags)
        Tags of the items.
    explained : ndarray, shape (d,)
        Share explained by each feature.

    Returns
    -------
    dict
        Can be written as JSON.
    """
    liked = np.diff(dataset.liked_indptr)
    tagged = np.diff(counts.indptr) > 0
    return {
        "name": dataset.name,
        "statement": dataset.provenance.get("statement", ""),
        "users": dataset.n_users,
        "users_who_like_nothing": int((liked == 0).sum()),
        "items": dataset.n_items,
        "items_without_tags": int((~tagged).sum()),
        "likes": len(dataset.liked_items),
        "likes_of_items_without_tags": int((~tagged[dataset.liked_items]).sum()),
        "liked_per_user": {"min": int(liked.min()), "max": int(liked.max())},
        "tags": counts.shape[1],
        "features": dataset.n_features,
        "explained_variance": round(float(explained.sum()), DECIMALS),
        "explained_variance_by_feature": np.round(explained, DECIMALS).tolist(),
        "graph": graph_statistics(dataset.edges, dataset.n_users),
    }
