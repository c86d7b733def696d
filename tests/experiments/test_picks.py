"""The share of rounds in which a cheap mean picks what the exact one picks."""

from horde.experiments.picks import share_of_equal_picks
from horde.experiments.run import Experiment


def share(prepared, **params):
    experiment = Experiment("G-EG", {"lam": 0.01, **params}, 200, 10, 1)
    return share_of_equal_picks(experiment, 100, prepared, print)


def test_an_exact_mean_picks_as_the_reference_does(prepared):
    found = share(prepared, solver="pcg", tolerance=1e-10)
    assert (found["picks_equal"], found["wrong"], found["rounds"]) == (1.0, 0, 200)
    assert (found["dataset"], found["policy"], found["solver"]) == ("made", "G-EG", "pcg")
    assert found["lam"] == 0.01


def test_a_single_iteration_does_not(prepared):
    assert share(prepared, solver="cg", iterations=1)["picks_equal"] < 1.0
