"""Preparation: from canonical tables to context vectors (Section 5, "Experimental setup").

Tags describe an item: TF-IDF, then a projection to d features. Each choice that the paper leaves
open is a setting. A user's own item features take the place of tags.
"""

import re

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from horde.checks import choice
from horde.data.dataset import Dataset
from horde.data.tables import Tables
from horde.errors import ConfigError, DataError
from horde.graph.statistics import graph_statistics

# Features are rounded so that two LAPACK builds give the same file.
DECIMALS = 6
# Components with singular values below this share of the largest one are rounding noise. So are
# projections with a norm below it, since rows have norm 1.
NOISE = 1e-9
# Rows that are decomposed at a time.
ROWS = 100_000
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
    item_features: str = "keep",
) -> tuple[Dataset, dict]:
    """Prepare the dataset for simulations, and its summary.

    Parameters
    ----------
    tables : Tables
        As acquired.
    name : str
        Name of the dataset.
    provenance : dict
        Provenance of the tables; the settings below are added to it.
    dimension : int
        Number d of features, at least 1. If the tags have fewer independent directions, the
        remaining features are 0.
    tags : {"set", "counts", "log"}
        Whether each tag of an item counts once, as often as it was given, or 1 + log of that.
    split_tags : bool
        Whether to split tags into words, in lower case.
    reduction : {"svd", "pca", "likes"}
        Truncated SVD of the TF-IDF matrix, or of this matrix minus its column means. Or, without
        tags, the number of users who like the item: one feature, which knows the rewards.
    scaling : {"none", "max", "unit"}
        Context vectors are not scaled; divided by the largest norm (Assumption 1: ||x|| <= 1); or
        each divided by its own norm.
    untagged : {"keep", "drop"}
        Whether to keep items without tags (or features); the TF-IDF row of such an item is 0.
    item_features : {"keep", "reduce"}
        Whether the user's own item features are used as they are, or projected like a TF-IDF
        matrix. `tags` and `split_tags` do not matter then.

    Returns
    -------
    Dataset
    dict
        Counts, density, degrees, components, untagged items, explained variance, Tr(L^-1)/n.

    Raises
    ------
    ConfigError
        If a setting has an unknown value, or the data have no counts, and `tags` needs them.
    DataError
        If no item has a tag.
    """
    params = {
        "dimension": dimension,
        "tags": choice("tags", tags, ("set", "counts", "log")),
        "split_tags": split_tags,
        "reduction": choice("reduction", reduction, ("svd", "pca", "likes")),
        "scaling": choice("scaling", scaling, ("none", "max", "unit")),
        "untagged": choice("untagged", untagged, ("keep", "drop")),
        "item_features": choice("item_features", item_features, ("keep", "reduce")),
    }
    if dimension < 1:
        raise ConfigError(f"features.dimension is {dimension}; it must be at least 1")
    if tags != "set" and not tables.counted:
        raise ConfigError(f"features.tags is {tags!r}, but {name} has no counts of tags; use 'set'")
    own = tables.item_features is not None
    if untagged == "drop":
        tables = tables.with_items(np.flatnonzero(_described(tables)))
    described = _described(tables)
    if not described.any():
        raise DataError(f"{name}: no item has a tag, so items have no features; add tags")
    if own:
        matrix = tables.item_features
        unused = ("tags", "split_tags", *(["dimension", "reduction"] * (item_features == "keep")))
    else:
        counts = tag_counts(tables, counted=tags != "set", split=split_tags)
        if tags == "log":
            # Processors differ in the last digit of a logarithm.
            counts.data = np.round(1.0 + np.log(counts.data), 12)
        matrix, unused = tf_idf(counts), ("item_features",)
    if reduction == "likes":
        likers = np.bincount(tables.likes[:, 1], minlength=len(tables.item_ids))
        features, explained = likers.astype(np.float64)[:, None], np.zeros(1)
        unused = (*unused, "scaling")
    elif own and item_features == "keep":
        features = scale(matrix, scaling)
        squares = np.square(matrix).sum(axis=0)
        explained = squares / squares.sum()
    else:
        # Rows of TF-IDF have norm 1. Smaller own features are rounded in a unit of their size, a
        # power of two, which keeps all digits.
        unit = min(2.0 ** np.round(np.log2(row_norms(matrix).max())), 1.0) if own else 1.0
        features, explained = reduce(matrix / unit, dimension, centred=reduction == "pca")
        features = np.round(scale(features, scaling), DECIMALS) + 0.0
        features *= unit if scaling == "none" else 1.0
    dataset = Dataset(
        name=name,
        features=features,
        liked_indptr=np.searchsorted(tables.likes[:, 0], np.arange(len(tables.user_ids) + 1)),
        liked_items=np.ascontiguousarray(tables.likes[:, 1]),
        edges=tables.friends,
        provenance=provenance
        | {"features": {key: value for key, value in params.items() if key not in unused}},
        edge_weights=tables.friend_weights,
    )
    return dataset, summary(dataset, described, matrix.shape[1], explained)


def _described(tables: Tables) -> np.ndarray:
    """Return for each item whether it has a tag, or a feature other than 0."""
    if tables.item_features is not None:
        return tables.item_features.any(axis=1)
    return np.bincount(tables.item_tags[:, 0], minlength=len(tables.item_ids)) > 0


def tag_counts(tables: Tables, *, counted: bool, split: bool) -> sparse.csr_matrix:
    """Return how often each item has each tag, or each word if `split`.

    Returns
    -------
    scipy.sparse.csr_matrix, shape (n_items, n_tags)
        Counts; 0 or 1 unless `counted`. Words are in ascending order.
    """
    items, tags, counts = tables.item_tags.T
    shape = (len(tables.item_ids), len(tables.tag_names))
    matrix = sparse.csr_matrix((counts.astype(np.float64), (items, tags)), shape=shape)
    if split:
        words = CountVectorizer(analyzer=_words, binary=True).fit_transform(tables.tag_names)
        matrix = sparse.csr_matrix(matrix @ words)
    if not counted:
        matrix.data[:] = 1.0
    return matrix


def _words(tag: str) -> list[str]:
    return [word for word in SEPARATORS.split(tag.lower()) if word] or [tag]


def tf_idf(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """Weigh counts by log((1 + n_items) / (1 + items with the tag)) + 1; rows to unit norm.

    Rows without tags stay 0.
    """
    weights = TfidfTransformer().fit(counts)
    # Processors differ in the last digit of a logarithm.
    weights.idf_ = np.round(weights.idf_, 12)
    return sparse.csr_matrix(weights.transform(counts))


def reduce(
    matrix: sparse.csr_matrix | np.ndarray, dimension: int, *, centred: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Project rows on the leading right singular vectors.

    Parameters
    ----------
    matrix : scipy.sparse.csr_matrix or ndarray, shape (n_items, n_tags)
        Matrix to project.
    dimension : int
        Number of singular vectors d.
    centred : bool
        Subtract the column means first (principal components), without a dense matrix.

    Returns
    -------
    ndarray, shape (n_items, d)
        Columns by descending singular value. Columns beyond the number of directions are 0, and so
        are rows without a component in these directions.
    ndarray, shape (d,)
        Share of the sum of squares that each column explains.
    """
    mean = np.asarray(matrix.mean(axis=0)).ravel() if centred else np.zeros(matrix.shape[1])
    squares = matrix.multiply(matrix) if sparse.issparse(matrix) else np.square(matrix)
    total = squares.sum() - matrix.shape[0] * (mean * mean).sum()
    k = min(dimension, *matrix.shape)
    if min(matrix.shape) > 2 * k + 20:
        # random_state fixes ARPACK's start vector.
        if centred:
            model = PCA(k, svd_solver="arpack", random_state=0).fit(matrix)
        else:
            model = TruncatedSVD(k, algorithm="arpack", random_state=0).fit(matrix)
        values, vectors = model.singular_values_, model.components_
    else:  # ARPACK finds fewer vectors than the matrix has.
        _, values, vectors = np.linalg.svd(_triangle(matrix, mean), full_matrices=False)
        values, vectors = values[:k], vectors[:k]
    kept = values > NOISE * values.max(initial=0.0)
    values, vectors = values[kept], _fixed_signs(vectors[kept])
    features = np.zeros((matrix.shape[0], dimension))
    features[:, : len(values)] = matrix @ vectors.T - vectors @ mean
    features[row_norms(features) < NOISE] = 0.0
    explained = np.zeros(dimension)
    explained[: len(values)] = values**2 / total if total > 0 else 0.0
    return features, explained


def _triangle(matrix: sparse.csr_matrix | np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return R of a QR decomposition of `matrix` - `mean`, by blocks of rows to save memory.

    R has the same singular values and right singular vectors.
    """
    R = np.empty((0, matrix.shape[1]))
    for first in range(0, matrix.shape[0], ROWS):
        block = matrix[first : first + ROWS]
        block = block.toarray() if sparse.issparse(block) else block
        R = np.linalg.qr(np.concatenate([R, block - mean]), mode="r")
    return R


def _fixed_signs(vectors: np.ndarray) -> np.ndarray:
    """Flip the sign of rows so that the first of the largest entries is positive."""
    size = np.abs(vectors)
    first = np.argmax(size >= size.max(axis=1, keepdims=True) * (1 - 1e-6), axis=1)
    return vectors * np.sign(vectors[np.arange(len(vectors)), first])[:, None]


def scale(features: np.ndarray, scaling: str) -> np.ndarray:
    """Scale context vectors: not (``none``), by the largest norm (``max``), or each (``unit``)."""
    if scaling == "unit":
        return normalize(features)
    if scaling == "max":
        return features / (row_norms(features).max() or 1.0)
    return features


def summary(dataset: Dataset, described: np.ndarray, tags: int, explained: np.ndarray) -> dict:
    """Return summary statistics of a prepared dataset, rounded to 6 decimals.

    Parameters
    ----------
    dataset : Dataset
    described : ndarray of bool, shape (n_items,)
        Whether an item has a tag, or features of its own.
    tags : int
        Number of tags, or of the user's own item features.
    explained : ndarray, shape (d,)
        Share of the sum of squares explained by each feature.

    Returns
    -------
    dict
        JSON-able.
    """
    liked = np.diff(dataset.liked_indptr)
    return {
        "name": dataset.name,
        "statement": dataset.provenance.get("statement", ""),
        "warnings": [
            *dataset.provenance.get("warnings", []),
            *([] if dataset.features.any() else ["all features of all items are 0"]),
        ],
        "users": dataset.n_users,
        "users_who_like_nothing": int((liked == 0).sum()),
        "items": dataset.n_items,
        "items_without_tags": int((~described).sum()),
        "likes": len(dataset.liked_items),
        "likes_of_items_without_tags": int((~described[dataset.liked_items]).sum()),
        "liked_per_user": {"min": int(liked.min()), "max": int(liked.max())},
        "tags": tags,
        "features": dataset.n_features,
        "explained_variance": round(float(explained.sum()), DECIMALS),
        "explained_variance_by_feature": np.round(explained, DECIMALS).tolist(),
        "graph": graph_statistics(dataset.edges, dataset.n_users, dataset.edge_weights),
    }
