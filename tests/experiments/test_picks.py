"""The share of rounds in which a cheap mean picks what the exact one picks."""

import numpy as np
import pytest

from horde.data.dataset import Dataset
from horde.experiments.picks import share_of_equal_picks
from horde.experiments.run import Experiment


@pytest.fixture
def share(tmp_path):
    rng = np.random.default_rng(0)
    liked = [np.sort(rng.choice(60, 8, replace=False)) for _ in range(20)]
    users = np.arange(20, dtype=np.int32)
    Dataset(
        name="made",
        features=rng.standard_normal((60, 5)),
        liked_indptr=np.arange(0, 161, 8),
        liked_items=np.concatenate(liked).astype(np.int32),
        edges=np.column_stack([users[:-1], users[1:]]),
        provenance={"kind": "made"},
    ).save(tmp_path / "dataset.npz")

    def share(**params):
        experiment = Experiment("G-EG", {"lam": 0.01, **params}, 200, 10, 1)
        return share_of_equal_picks(experiment, 100, tmp_path / "dataset.npz", print)

    return share


def test_an_exact_mean_picks_as_the_reference_does(share):
    found = share(solver="pcg", tolerance=1e-10)
    assert (found["picks_equal"], found["wrong"], found["rounds"]) == (1.0, 0, 200)
    assert (found["dataset"], found["policy"], found["solver"]) == ("made", "G-EG", "pcg")
    assert found["lam"] == 0.01


def test_a_single_iteration_does_not(share):
    assert share(solver="cg", iterations=1)["picks_equal"] < 1.0
