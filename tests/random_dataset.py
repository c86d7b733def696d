"""A small dataset of random likes, which tests of several folders share."""

from collections.abc import Iterable

import numpy as np

from horde.data.dataset import Dataset

LIKES = 6


def random_dataset(
    name: str, users: int, items: int, edges: Iterable[tuple[int, int]] = (), **more
) -> Dataset:
    """Return a dataset with three features, whose users like six items each."""
    rng = np.random.default_rng(0)
    liked = [np.sort(rng.choice(items, LIKES, replace=False)) for _ in range(users)]
    return Dataset(
        name,
        rng.normal(size=(items, 3)),
        np.arange(0, LIKES * users + 1, LIKES),
        np.concatenate(liked).astype(np.int32),
        np.array([*edges], dtype=np.int32).reshape(-1, 2),
        **more,
    )
