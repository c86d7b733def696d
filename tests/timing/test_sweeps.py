import pytest

from horde.policies import registry
from horde.timing import baselines
from horde.timing.sweeps import Place, mistakes, params_of, places, points, policies, series_of

VALUES = {
    "lam": 0.02,
    "sigma": 1.5,
    "alpha": 0.03,
    "alpha2": 0.4,
    "scale": 0.05,
    "iterations": 4,
    "sampler": "perturbation",
}


def sweep(**changes):
    return {
        "users": [10, 20],
        "features": [2],
        "density": [0.1],
        "degree": None,
        "series": {"G-EG": ["cg", "local"]},
    } | changes


def test_a_sweep_crosses_its_sizes():
    crossed = places(sweep(features=[2, 3], density=[0.1, 0.2]))
    assert len(crossed) == len(set(crossed)) == 8
    assert Place(20, 0.2, 3) in crossed


def test_a_degree_becomes_a_density():
    assert places(sweep(density=None, degree=[4.5])) == [Place(10, 0.5, 2), Place(20, 4.5 / 19, 2)]


def test_a_point_of_two_sweeps_is_measured_once():
    both = points([sweep(), sweep(users=[20, 5], series={"G-EG": ["cg"], "CLUB": ["none"]})])
    assert list(both) == [Place(5, 0.1, 2), Place(10, 0.1, 2), Place(20, 0.1, 2)]
    assert both[Place(20, 0.1, 2)] == [("G-EG", "cg"), ("G-EG", "local"), ("CLUB", "none")]


def test_series_and_policies_are_named_once():
    sweeps = [sweep(), sweep(users=[30], series={"G-EG": ["cg"], "CLUB": ["none"]})]
    assert series_of(sweeps) == [("G-EG", "cg"), ("G-EG", "local"), ("CLUB", "none")]
    assert policies(sweeps) == ["CLUB", "G-EG"]


@pytest.mark.parametrize("policy", registry.POLICIES)
@pytest.mark.parametrize("solver", ["none", "cg", "local", "dense", "numpy", "inverse", "anew"])
def test_every_series_without_mistakes_can_be_made(policy, solver):
    if not list(mistakes(sweep(series={policy: [solver]}))):
        baselines.make(policy, params_of(policy, solver, VALUES))


def test_the_papers_solver_comes_with_its_sampler_and_values():
    assert params_of("G-TS", "cg", VALUES) == {
        "lam": 0.02,
        "scale": 0.05,
        "sigma": 1.5,
        "solver": "cg",
        "iterations": 4,
        "sampler": "perturbation",
    }
    assert params_of("G-EG", "local", VALUES) == {"lam": 0.02, "sigma": 1.5, "solver": "local"}
    assert params_of("Random", "none", VALUES) == {}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"degree": [3]}, "either density or degree"),
        ({"density": None}, "either density or degree"),
        ({"series": {"G-EGG": ["cg"]}}, "no such policy"),
        ({"series": {"G-EG": ["none"]}}, "not one of its solvers: cg, local, dense"),
        ({"series": {"CLUB": ["cg"]}}, "not one of its solvers: none"),
        ({"series": {"GOBLIN++": ["local"]}}, "not one of its solvers: cg"),
    ],
)
def test_a_contradiction_is_named(changes, words):
    assert not list(mistakes(sweep()))
    (mistake,) = mistakes(sweep(**changes))
    assert words in mistake
