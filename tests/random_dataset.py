"""Small datasets, which tests of several folders share."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from horde.data.dataset import Dataset

LIKES = 6


def dataset_of(
    likes: Sequence[Collection[int]],
    n_items: int,
    edges: Iterable[tuple[int, int]] = (),
    name: str = "toy",
) -> Dataset:
    """Return a dataset in which user i likes the items ``likes[i]``; its two features are 1."""
    return Dataset(
        name,
        np.ones((n_items, 2)),
        np.cumsum([0, *map(len, likes)]),
        np.array([item for own in likes for item in sorted(own)], dtype=np.int32),
        np.array(sorted(edges), dtype=np.int32).reshape(-1, 2),
    )


def random_dataset(
    name: str, users: int, items: int, edges: Iterable[tuple[int, int]] = (), **more
) -> Dataset:
    """Return a dataset with three features, whose users like six items each."""
    rng = np.random.default_rng(0)
    liked = [rng.choice(items, LIKES, replace=False) for _ in range(users)]
    features = rng.normal(size=(items, 3))
    return replace(dataset_of(liked, items, edges, name), features=features, **more)
