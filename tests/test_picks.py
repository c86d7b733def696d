"""The share of rounds in which a cheap mean picks what the exact one picks."""

import pytest
from test_batch import dataset  # noqa: F401

from horde.experiments.experiment import Experiment
from horde.experiments.picks import share_of_equal_picks


@pytest.fixture
def share(dataset):  # noqa: F811
    def share(**params):
        experiment = Experiment("G-EG", {"lam": 0.01, **params}, 100, 200, 10, 1)
        return share_of_equal_picks(experiment, dataset, lambda line: None)

    return share


def test_an_exact_mean_picks_as_the_reference_does(share):
    found = share(solver="pcg", tolerance=1e-10)
    assert (found["picks_equal"], found["wrong"], found["rounds"]) == (1.0, 0, 200)
    assert (found["dataset"], found["policy"], found["solver"]) == ("lastfm", "G-EG", "pcg")


def test_a_single_iteration_does_not(share):
    assert share(solver="cg", iterations=1)["picks_equal"] < 1.0
