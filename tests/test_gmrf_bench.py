"""The benchmark's rows: what they hold, and what is compared."""

import csv

import numpy as np
import pytest

from horde import bench
from horde.errors import ConfigError

RECIPE = bench.Synthetic(n=64, d=4, density=0.05, rounds=120, offered=6, items=50)


def test_an_exact_solver_repeats_the_reference_and_a_policy_without_a_graph_has_none(tmp_path):
    policies = ["G-TS", "EG-IND"]
    rows = bench.bench(RECIPE, policies, ["pcg", "local"], log=lambda message: None)
    assert [(row["policy"], row["solver"]) for row in rows] == [
        ("G-TS", "pcg"),
        ("G-TS", "local"),
        ("EG-IND", ""),
    ]
    assert rows[0]["picks_equal"] == 1.0
    assert rows[2]["picks_equal"] == ""
    assert all(0 < row["us_q25"] <= row["us_q75"] for row in rows)
    assert rows[0]["n"] == 64
    bench.write_csv(tmp_path / "bench.csv", rows)
    with (tmp_path / "bench.csv").open() as stream:
        assert next(csv.reader(stream)) == list(bench.COLUMNS)


def test_a_policy_learns_from_the_picks_it_follows():
    arena = RECIPE.make()
    follow = np.zeros(RECIPE.rounds, dtype=np.int32)
    policy = arena.start("G-EG", {"solver": "pcg"})
    bench.play(arena, policy, follow)
    twin = arena.start("G-EG", {"solver": "pcg"})
    for t, user in enumerate(arena.stream.users.tolist()):
        x = arena.features[arena.stream.items[t, 0]]
        twin.choose(user, arena.features[arena.stream.items[t]])
        twin.learn(user, x, float(arena.stream.rewards[t, 0]))
    np.testing.assert_array_equal(policy.posterior.mean(3), twin.posterior.mean(3))


def test_an_unknown_policy_is_refused():
    with pytest.raises(ConfigError, match="G-EG"):
        bench.bench(RECIPE, ["G-EGG"], ["local"], log=lambda message: None)
