"""What tests of experiments share."""

from itertools import combinations

import numpy as np
import pytest

from horde.data.dataset import Dataset


@pytest.fixture(scope="session")
def data():
    """Twelve users who like six of forty items each; nine users are all friends."""
    rng = np.random.default_rng(0)
    liked = [np.sort(rng.choice(40, 6, replace=False)) for _ in range(12)]
    return Dataset(
        "made",
        rng.normal(size=(40, 3)).round(3),
        np.arange(0, 73, 6),
        np.concatenate(liked).astype(np.int32),
        np.array(list(combinations(range(9), 2)), dtype=np.int32),
        {"kind": "made"},
    )


@pytest.fixture
def prepared(data, tmp_path):
    """The same as a file."""
    data.save(tmp_path / "dataset.npz")
    return tmp_path / "dataset.npz"
