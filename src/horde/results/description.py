"""A dataset in numbers: friends, components, likes, explained variance, and homophily.

Homophily is the share of likes that friends have in common, against that of strangers: what a graph
of friends can tell about a user's likes.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from horde.data.dataset import Dataset
from horde.graph.precision import adjacency
from horde.random import generator

COLUMNS = ["dataset", "quantity", "at", "value"]
# Distributions: quantity -> what `at` counts. The value is the share of at least that many.
DISTRIBUTIONS = {
    "users by friends": "friends",
    "users by likes": "likes of a user",
    "items by likes": "likes of an item",
}
SIZES, EXPLAINED = "users of a component", "explained variance"
FRIENDS, STRANGERS = "likes in common, friends", "likes in common, strangers"
PAIRS = 100_000
_POINTS = 200
_LIKES_AT_ONCE = 10_000_000


def describe(data: Dataset, explained: Sequence[float]) -> pd.DataFrame:
    """Describe a dataset.

    Parameters
    ----------
    data : Dataset
    explained : sequence of float
        Share of the variance of tags that each feature explains, shape (d,).

    Returns
    -------
    DataFrame
        Columns `COLUMNS`. A number has one row, with NaN in ``at``. A distribution has a row for
        each of at most 200 values ``at``, spaced evenly in logarithm: ``value`` is the share of
        users or items with at least that many. `SIZES` has the size of the component of rank
        ``at``; `EXPLAINED` the variance that the first ``at`` features explain together.
        `FRIENDS` and `STRANGERS` are means of the Jaccard index of the liked items over pairs of
        users who like something; NaN without such pairs. Strangers are the ends of friendships of
        such users, paired at random, so active users are as frequent as among friends.
    """
    n, graph = data.n_users, adjacency(data.edges, data.n_users)
    _, component = connected_components(graph, directed=False)
    sizes = np.sort(np.bincount(component))[::-1]
    friends = np.diff(graph.indptr)
    per_user = np.diff(data.liked_indptr)
    per_item = np.bincount(data.liked_items, minlength=data.n_items)
    counts = dict(zip(DISTRIBUTIONS, (friends, per_user, per_item), strict=True))
    numbers = {
        "users": n,
        "items": data.n_items,
        "likes": len(data.liked_items),
        "friendships": len(data.edges),
        "components": len(sizes),
        "users of the largest component": int(sizes[0]),
        "users without friends": int((friends == 0).sum()),
        "users who like nothing": int((per_user == 0).sum()),
        "features": data.n_features,
        **{
            f"{DISTRIBUTIONS[quantity]}, {statistic.__name__}": float(statistic(found))
            for quantity, found in counts.items()
            for statistic in (np.mean, np.median, np.max)
        },
        **_homophily(data),
    }
    rows = [(name, np.nan, value) for name, value in numbers.items()]
    for quantity, found in counts.items():
        rows += [(quantity, *point) for point in _at_least(found)]
    rows += [(SIZES, rank, sizes[rank - 1]) for rank in _thinned(len(sizes))]
    rows += [(EXPLAINED, k, math.fsum(explained[:k])) for k in range(1, len(explained) + 1)]
    table = pd.DataFrame(rows, columns=COLUMNS[1:]).astype({"at": float, "value": float})
    return table.assign(dataset=data.name)[COLUMNS]


def numbers(table: pd.DataFrame) -> dict[str, float]:
    """Return the numbers of a described dataset, without its distributions."""
    rows = table[table["at"].isna()]
    return dict(zip(rows["quantity"], rows["value"], strict=True))


def _at_least(counts: np.ndarray) -> Iterator[tuple[float, float]]:
    """Yield each value above 0, and the share of entries of at least this value."""
    values, occurring = np.unique(counts, return_counts=True)
    shares = np.cumsum(occurring[::-1])[::-1] / len(counts)
    positive = values > 0
    values, shares = values[positive], shares[positive]
    for place in _thinned(len(values)):
        yield float(values[place - 1]), float(shares[place - 1])


def _thinned(m: int) -> np.ndarray:
    """Return at most `_POINTS` of the numbers 1, ..., m, both ends among them."""
    if m <= _POINTS:
        return np.arange(1, m + 1)
    # No logarithm: processors differ in its last digit.
    steps = m ** (1 / (_POINTS - 1))
    kept, power = [], 1.0
    for _ in range(_POINTS - 1):
        kept.append(int(power + 1e-6))
        power *= steps
    return np.unique([*kept, m])


def _homophily(data: Dataset) -> dict[str, float]:
    n, (i, j) = data.n_users, data.edges.T.astype(np.int64)
    known = i * n + j  # ascends, since edges do
    like = np.diff(data.liked_indptr) > 0
    both = like[i] & like[j]
    i, j = i[both], j[both]
    rng = generator(data.name, 0, "homophily")
    chosen = rng.permutation(len(i))[:PAIRS]
    found = {"pairs of friends": 0, FRIENDS: np.nan, "pairs of strangers": 0, STRANGERS: np.nan}
    if len(i) == 0:
        return found
    repeats = -(-PAIRS // len(i))
    ends = np.concatenate([i, j])
    left, right = (rng.permutation(np.tile(ends, repeats))[:PAIRS] for _ in range(2))
    left, right = np.minimum(left, right), np.maximum(left, right)
    code = left * n + right
    place = np.minimum(np.searchsorted(known, code), len(known) - 1)
    apart = (left != right) & (known[place] != code)
    for name, pairs, a, b in (
        ("pairs of friends", FRIENDS, i[chosen], j[chosen]),
        ("pairs of strangers", STRANGERS, left[apart], right[apart]),
    ):
        shares = _in_common(data, a, b)
        found[name] = len(shares)
        found[pairs] = math.fsum(shares) / len(shares) if len(shares) else np.nan
    return found


def _in_common(data: Dataset, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the Jaccard index of the likes of each pair of users who both like something."""
    counts, likes = np.diff(data.liked_indptr), data.likes()
    # Rows of pairs are copied, so take as many pairs at once as fit into memory.
    parts = np.cumsum(counts[a] + counts[b]) // _LIKES_AT_ONCE
    shared = [
        np.asarray(likes[a[parts == part]].multiply(likes[b[parts == part]]).sum(axis=1)).ravel()
        for part in np.unique(parts)
    ]
    common = np.concatenate(shared) if shared else np.zeros(0)
    return common / (counts[a] + counts[b] - common)
