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


def test_points_are_all_combinations_in_grid_order():
    assert grid_points({"lam": [0.1, 1.0], "alpha": [0.0, 0.5, 0.2]}) == [
        {"lam": lam, "alpha": alpha} for lam in (0.1, 1.0) for alpha in (0.0, 0.5, 0.2)
    ]
    # A policy without hyper-parameters.
    assert grid_points({}) == [{}]


def test_an_empty_grid_is_named():
    with pytest.raises(ConfigError, match=r"tuning\.grids\.lam"):
        grid_points({"lam": []})


def test_the_lowest_mean_is_chosen_and_exact_ties_go_to_the_earlier_entry():
    scores = [({"lam": 1}, [0.9, 0.8]), ({"lam": 2}, [0.7, 0.8]), ({"lam": 3}, [0.8, 0.7])]
    choice = choose(scores)
    assert (choice.params, choice.score) == ({"lam": 2}, 0.75)
    assert choice.scores == scores


def along(lam, *streams):
    """A score of lambda = 0.01 with its best alpha, 0.1, and of another lambda."""
    at_paper = [({"lam": 0.01, "alpha": 0.0}, [2.0, 2.0, 2.0])]
    at_paper.append(({"lam": 0.01, "alpha": 0.1}, [0.8, 0.8, 0.8]))
    return choose([*at_paper, ({"lam": lam, "alpha": 0.2}, list(streams))], paper_lam=0.01)


def test_where_scores_are_flat_the_papers_lambda_is_taken():
    """Differences -.011, .02, .02 have mean .0097, error .0103; with -.009 .0103 and .0097."""
    flat = along(1, 0.811, 0.78, 0.78)
    assert (flat.params, flat.flat) == ({"lam": 0.01, "alpha": 0.1}, True)
    assert flat.score == pytest.approx(0.8)
    clear = along(1, 0.809, 0.78, 0.78)
    assert (clear.params, clear.flat) == ({"lam": 1, "alpha": 0.2}, False)


def test_no_choice_is_flat_at_the_papers_lambda_with_one_stream_or_where_it_was_not_tried():
    assert not along(0.01, 0.7, 0.8, 0.9).flat
    one = [({"lam": 0.01}, [0.9]), ({"lam": 1}, [0.8])]
    assert (choose(one, 0.01).params, choose(one, 0.01).flat) == ({"lam": 1}, False)
    assert not choose([({"lam": 0.1}, [1.0, 1.1]), ({"lam": 1}, [1.0, 1.1])], 0.01).flat


@pytest.mark.parametrize(
    ("values", "chosen", "edges"),
    [
        ([0.01, 0.1, 1], 0.01, ["lam"]),
        ([0.01, 0.1, 1], 1, ["lam"]),
        ([0.01, 0.1, 1], 0.1, []),
        ([0, 0.1, 1], 0, []),
        ([0, 0.1, 1], 0.1, []),
        ([0, 0.1, 1], 1, ["lam"]),
        ([0.5], 0.5, []),
    ],
)
def test_the_edge_of_a_grid_is_named_except_towards_zero(values, chosen, edges):
    choice = choose([({"lam": value}, [abs(value - chosen)]) for value in values])
    assert (choice.params, choice.edges) == ({"lam": chosen}, edges)


@pytest.mark.parametrize("width", ["alpha", "scale"])
def test_a_width_of_zero_makes_a_policy_greedy(width):
    assert choose([({"lam": 1, width: 0.0}, [1.0])]).greedy
    assert not choose([({"lam": 1, width: 1e-6}, [1.0])]).greedy
    assert not choose([({"lam": 1, "alpha2": 0.0}, [1.0])]).greedy


SCORED = [({"lam": 0.1}, [0.9, 0.8]), ({"lam": 1.0}, [0.8, 0.9])]


def test_a_choice_survives_its_file(tmp_path):
    for paper_lam in (None, 1.0):
        chosen = choose(SCORED, paper_lam)
        choice.write(tmp_path / "G-EG.json", chosen)
        assert choice.read(tmp_path / "G-EG.json", {"lam": [0.1, 1.0]}, paper_lam) == chosen


def test_a_choice_at_two_edges_survives_its_file(tmp_path):
    """Files have sorted keys, whatever the order of the policy's hyper-parameters."""
    grids = {"lam": [0.1, 1.0], "alpha": [0.5, 1.0]}
    chosen = choose([(point, [sum(point.values())]) for point in grid_points(grids)])
    assert chosen.edges == ["alpha", "lam"]
    choice.write(tmp_path / "GOBLIN.json", chosen)
    assert choice.read(tmp_path / "GOBLIN.json", grids) == chosen


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"scores": None}, "no scores"),
        ({"scores": [1]}, "no scores"),
        ({"params": {"lam": 1.0}}, "is chosen"),
        ({"params": {}}, "is chosen"),
        ({"score": 0.7}, "is chosen"),
        ({"flat": True}, "is chosen"),
        ({"more": 1}, "is chosen"),
        ({"of": "delicious/G-EG"}, "that of delicious/G-EG"),
        ({"scores": [*SCORED, ({"lam": 3.0}, [1.0, 1.0])]}, r"tuning\.grids"),
        ({"scores": [({"lam": 0.1}, [0.9]), ({"lam": 1.0}, ["nan"])]}, "finite"),
        ({"scores": [({"lam": 0.1}, [0.9]), ({"lam": 1.0}, [0.8, 0.9])]}, "equal numbers"),
        ({"scores": [({"lam": 0.1}, []), ({"lam": 1.0}, [])]}, "equal numbers"),
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
    stream = Stream(np.zeros(n_rounds, np.int32), items, rewards, expected)
    return Problem(1, n_arms, n_rounds, draws("planted", 0)), stream, np.eye(n_arms)


def test_tuning_finds_the_planted_optimum():
    """Without a width the first arm is never left; with a huge one no arm is ever preferred."""
    grids = {"lam": [1.0], "alpha": [0.0, 1.0, 1000.0]}
    scores = [(point, [score("LINUCB-IND", point, *planted())]) for point in grid_points(grids)]
    assert choose(scores).params == {"lam": 1.0, "alpha": 1.0}
    assert scores[0][1] == pytest.approx([2.0])
    assert scores[2][1] == pytest.approx([1.0], abs=0.05)


def test_a_score_does_not_depend_on_what_else_is_scored():
    case = planted(n_rounds=200)
    first = score("TS-IND", {"lam": 1.0, "scale": 0.1}, *case)
    score("TS-IND", {"lam": 2.0, "scale": 0.1}, *case)
    assert score("TS-IND", {"lam": 1.0, "scale": 0.1}, *case) == first


def test_a_stream_on_which_nothing_can_be_wrong_is_refused():
    equal = np.ones((5, 2), dtype=np.uint8)
    stream = Stream(np.zeros(5, np.int32), np.zeros((5, 2), np.int32), equal, equal)
    problem = Problem(1, 2, 5, draws("test", 0))
    with pytest.raises(DataError, match="validation"):
        score("EG-IND", {"lam": 1.0}, problem, stream, np.ones((1, 2)))
