"""Grids, scores and the choice among them."""

import numpy as np
import pytest

from horde import files
from horde.errors import ConfigError, DataError
from horde.experiments import choice
from horde.experiments.choice import choose, grid_points
from horde.experiments.tuning import score
from horde.problem import Problem
from horde.random import draws
from horde.simulation.stream import Stream

GRIDS = {"lam": [0.1, 1.0], "alpha": [0.0, 0.5, 0.2]}


def test_points_are_all_combinations_in_grid_order():
    assert grid_points(GRIDS) == [
        {"lam": lam, "alpha": alpha} for lam in (0.1, 1.0) for alpha in (0.0, 0.5, 0.2)
    ]


def test_a_policy_without_hyper_parameters_has_one_point():
    assert grid_points({}) == [{}]


def test_an_empty_grid_is_named():
    with pytest.raises(ConfigError, match=r"tuning\.grids\.lam"):
        grid_points({"lam": []})


def test_the_lowest_score_is_chosen_and_exact_ties_go_to_the_earlier_entry():
    scores = [({"lam": 1}, 0.9), ({"lam": 2}, 0.8), ({"lam": 3}, 0.8), ({"lam": 4}, 0.85)]
    choice = choose(scores)
    assert (choice.params, choice.score) == ({"lam": 2}, 0.8)
    assert choice.runner_up == ({"lam": 3}, 0.8)
    assert choice.scores == scores


def test_a_single_point_has_no_runner_up():
    assert choose([({}, 1.0)]).runner_up is None


SCORED = [({"lam": 0.1}, 0.9), ({"lam": 1.0}, 0.8)]


def test_a_choice_survives_its_file(tmp_path):
    choice.write(tmp_path / "G-EG.json", choose(SCORED))
    assert choice.read(tmp_path / "G-EG.json", {"lam": [0.1, 1.0]}) == choose(SCORED)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"scores": None}, "no scores"),
        ({"scores": [1]}, "no scores"),
        ({"params": {"lam": 0.1}}, "the lowest"),
        ({"params": {}}, "the lowest"),
        ({"score": 0.7}, "the lowest"),
        ({"more": 1}, "the lowest"),
        ({"of": "delicious/G-EG"}, "that of delicious/G-EG"),
        ({"scores": [*SCORED, ({"lam": 3.0}, 1.0)]}, r"tuning\.grids"),
        ({"scores": [({"lam": 0.1}, 0.9), ({"lam": 1.0}, "nan")]}, "finite"),
    ],
)
def test_an_edited_choice_is_refused_with_file_and_remedy(tmp_path, changed, told):
    path = tmp_path / "G-EG.json"
    choice.write(path, choose(SCORED))
    files.write_json(path, files.read_json(path) | changed)
    with pytest.raises(DataError, match=rf"G-EG\.json is not .*{told}.*delete it"):
        choice.read(path, {"lam": [0.1, 1.0]})


@pytest.mark.parametrize("content", ["{}", "[]", "3", '"text"'])
def test_other_json_is_no_choice(tmp_path, content):
    (tmp_path / "G-EG.json").write_text(content)
    with pytest.raises(DataError, match=r"G-EG\.json is not what tuning chose"):
        choice.read(tmp_path / "G-EG.json", {"lam": [0.1]})


def planted(n_rounds=600, n_arms=8):
    """All of 8 independent arms on offer, each pays more than the last; ratings are noisy."""
    rng = np.random.default_rng(0)
    items = np.tile(np.arange(n_arms, dtype=np.int32), (n_rounds, 1))
    expected = np.tile(np.linspace(0.3, 1.0, n_arms), (n_rounds, 1))
    rewards = expected + 0.2 * rng.normal(size=items.shape)
    return np.eye(n_arms), Stream(np.zeros(n_rounds, np.int32), items, rewards, expected)


def test_tuning_finds_the_planted_optimum():
    """Without a width the first arm is never left; with a huge one no arm is ever preferred."""
    features, stream = planted()
    problem = Problem(1, 8, stream.n_rounds, draws("planted", 0))
    grids = {"lam": [1.0], "alpha": [0.0, 1.0, 1000.0]}
    scores = [
        (point, score("LINUCB-IND", point, problem, stream, features))
        for point in grid_points(grids)
    ]
    assert choose(scores).params == {"lam": 1.0, "alpha": 1.0}
    assert scores[0][1] == pytest.approx(2.0)
    assert scores[2][1] == pytest.approx(1.0, abs=0.05)


def test_a_score_does_not_depend_on_what_else_is_scored():
    features, stream = planted(n_rounds=200)
    problem = Problem(1, 8, 200, draws("planted", 0))
    first = score("TS-IND", {"lam": 1.0, "scale": 0.1}, problem, stream, features)
    score("TS-IND", {"lam": 2.0, "scale": 0.1}, problem, stream, features)
    assert score("TS-IND", {"lam": 1.0, "scale": 0.1}, problem, stream, features) == first


def test_a_stream_on_which_nothing_can_be_wrong_is_refused():
    equal = np.ones((5, 2), dtype=np.uint8)
    stream = Stream(np.zeros(5, np.int32), np.zeros((5, 2), np.int32), equal, equal)
    problem = Problem(1, 2, 5, draws("test", 0))
    with pytest.raises(DataError, match="validation"):
        score("EG-IND", {"lam": 1.0}, problem, stream, np.ones((1, 2)))
