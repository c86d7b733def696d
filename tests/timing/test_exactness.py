"""Policies compared with a reference, and the rows of `horde bench`."""

import pytest

from horde.errors import ConfigError
from horde.simulation.loop import play
from horde.timing.bench import COLUMNS, bench
from horde.timing.exactness import compare

ROUNDS = 120  # of the environment


@pytest.mark.parametrize("name", ["G-EG", "G-TS", "GOBLIN"])
def test_an_equal_policy_differs_nowhere_whether_or_not_rounds_are_skipped(environment, name):
    params = {"solver": "pcg"}
    for skip in (0, 60):
        reference, equal = environment.start(name, params), environment.start(name, params)
        picks, (found,) = compare(environment, reference, [equal], ROUNDS, skip)
        assert (found.rounds, found.wrong, found.share) == (ROUNDS - skip, 0, 1.0)
        # Skipped rounds leave what the warm-started solver keeps as it was, but for rounding.
        assert found.error < 1e-5
        alone = play(environment.start(name, params), environment.stream, environment.features)
        assert picks.tolist() == alone.tolist()


def test_another_policy_differs_but_not_where_all_items_tie(environment):
    def agreement(n_rounds):
        reference, other = (
            environment.start("G-TS", {"solver": "pcg", "scale": scale}) for scale in (0.0, 10.0)
        )
        return compare(environment, reference, [other], n_rounds)[1][0]

    found = agreement(ROUNDS)
    assert 20 < found.wrong < ROUNDS
    assert found.error == pytest.approx(0, abs=1e-9)
    # In the first round all means are zero.
    assert agreement(1).wrong == 0


def test_an_exact_solver_repeats_the_reference_and_a_policy_without_a_graph_has_none(environment):
    table = bench(environment, ["G-TS", "EG-IND"], ["pcg", "local"], {}, 0, ROUNDS, print)
    assert tuple(table.columns) == COLUMNS
    series = [["G-TS", "pcg"], ["G-TS", "local"], ["EG-IND", "none"]]
    assert table[["policy", "solver"]].values.tolist() == series
    assert table["picks_equal"][0] == 1.0
    assert table["picks_equal"][2] == table["touched"][2] == ""
    assert ((table["us_q25"] > 0) & (table["us_q25"] <= table["us_q75"])).all()
    assert table[["n", "rounds"]].values.tolist() == [[64, ROUNDS]] * 3


def test_skipped_rounds_are_not_timed_and_goblin_plus_plus_is_compared_with_goblin(environment):
    messages = []
    table = bench(environment, ["GOBLIN++"], ["local"], {}, 100, 110, messages.append)
    assert table[["solver", "rounds"]].values.tolist() == [["cg", 20]]
    assert any("of 10 picks differ" in message for message in messages)


@pytest.mark.parametrize(
    ("policy", "solver", "words"),
    [("G-EGG", "local", "G-EG"), ("G-EG", "denes", "dense"), ("GOBLIN", "dense", "memory")],
)
def test_what_cannot_be_measured_is_refused_before(environment, monkeypatch, policy, solver, words):
    monkeypatch.setattr("horde.machine.available_bytes", lambda: 10**5)
    with pytest.raises(ConfigError, match=words):
        bench(environment, [policy], [solver], {}, 0, 0, print)
