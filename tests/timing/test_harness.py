"""The benchmark's rows: what they hold, and what is compared."""

import csv

import numpy as np
import pytest

from horde.errors import ConfigError
from horde.simulation.environment import Synthetic
from horde.simulation.loop import play
from horde.timing import exact, measure

RECIPE = Synthetic(n=64, d=4, density=0.05, rounds=120, offered=6, items=50)


def quiet(message):
    pass


def test_an_exact_solver_repeats_the_reference_and_a_policy_without_a_graph_has_none():
    rows = measure.bench(RECIPE, ["G-TS", "EG-IND"], ["pcg", "local"], log=quiet)
    assert [(row["policy"], row["solver"]) for row in rows] == [
        ("G-TS", "pcg"),
        ("G-TS", "local"),
        ("EG-IND", "none"),
    ]
    assert rows[0]["picks_equal"] == 1.0
    assert rows[2]["picks_equal"] == ""
    assert all(0 < row["us_q25"] <= row["us_q75"] for row in rows)
    assert [row["n"] for row in rows] == [64] * 3
    assert next(csv.reader(measure.csv_text(rows).splitlines())) == list(measure.COLUMNS)


def test_skipped_rounds_are_not_timed_and_goblin_plus_plus_is_compared_with_goblin():
    extent = measure.Extent(skip=100, compared=110)
    told = []
    (row,) = measure.bench(RECIPE, ["GOBLIN++"], ["local"], {}, extent, told.append)
    assert (row["solver"], row["rounds"]) == ("cg", 20)
    assert any("of 10 picks differ" in message for message in told)


def test_a_policy_learns_from_the_picks_it_is_given():
    arena = RECIPE.make()
    policy = arena.start("G-EG", {"solver": "pcg"})
    measure.play(arena, policy, np.zeros(RECIPE.rounds, dtype=np.int32))
    twin = arena.start("G-EG", {"solver": "pcg"})
    for t, user in enumerate(arena.stream.users.tolist()):
        x = arena.features[arena.stream.items[t, 0]]
        twin.choose(user, arena.features[arena.stream.items[t]])
        twin.learn(user, x, float(arena.stream.rewards[t, 0]))
    np.testing.assert_array_equal(policy.posterior.mean(3), twin.posterior.mean(3))


@pytest.mark.parametrize("name", ["G-EG", "G-TS", "GOBLIN"])
def test_a_twin_in_step_differs_nowhere_whether_or_not_rounds_are_skipped(name):
    arena = RECIPE.make()
    params = {"solver": "pcg"}
    for skip in (0, 60):
        reference, twin = arena.start(name, params), arena.start(name, params)
        picks, (found,) = exact.compare(arena, reference, [twin], RECIPE.rounds, skip)
        assert (found.rounds, found.wrong, found.share) == (RECIPE.rounds - skip, 0, 1.0)
        # Skipped rounds leave what the warm-started solver keeps as it was, but for rounding.
        assert found.error < 1e-5
        assert (
            picks.tolist() == play(arena.start(name, params), arena.stream, arena.features).tolist()
        )


def test_another_policy_differs_but_not_where_all_items_tie():
    arena = RECIPE.make()
    params = {"solver": "pcg", "scale": 0.0}
    other = {"solver": "pcg", "scale": 10.0}
    _, (found,) = exact.compare(
        arena, arena.start("G-TS", params), [arena.start("G-TS", other)], RECIPE.rounds
    )
    assert 20 < found.wrong < RECIPE.rounds
    assert found.error == pytest.approx(0, abs=1e-9)
    # In the first round all means are zero.
    _, (found,) = exact.compare(arena, arena.start("G-TS", params), [arena.start("G-TS", other)], 1)
    assert found.wrong == 0


def test_an_unknown_policy_is_refused():
    with pytest.raises(ConfigError, match="G-EG"):
        measure.bench(RECIPE, ["G-EGG"], ["local"], log=quiet)
