"""What tests of experiments share."""

from itertools import combinations

import pytest
from random_dataset import random_dataset


@pytest.fixture(scope="session")
def data():
    """Twelve users who like six of forty items each; nine users are all friends."""
    return random_dataset("made", 12, 40, combinations(range(9), 2), provenance={"kind": "made"})


@pytest.fixture
def prepared(data, tmp_path):
    """The same as a file."""
    data.save(tmp_path / "dataset.npz")
    return tmp_path / "dataset.npz"
