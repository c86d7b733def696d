"""What is measured and compared, and the rows of `horde bench`."""

import csv

import numpy as np
import pytest

from horde.errors import ConfigError, HordeError
from horde.policies.base import Policy
from horde.simulation.loop import play
from horde.simulation.synthetic import kronecker_environment
from horde.timing import harness
from horde.timing.exactness import compare
from horde.timing.harness import Extent, Request, bench, measure, measure_here
from horde.timing.observations import place_observations

ROUNDS = 120


@pytest.fixture(scope="module")
def environment():
    return kronecker_environment(n=64, d=4, density=0.05, rounds=ROUNDS, offered=6, items=50)


def quiet(message):
    pass


class Recorder(Policy):
    """Always takes the last row; keeps what it sees."""

    def __init__(self):
        self.chosen, self.learned = [], []

    def start(self, problem):
        return self

    def choose(self, user, features):
        self.chosen.append((user, features.copy()))
        return len(features) - 1

    def learn(self, user, x, reward):
        self.learned.append((user, x.copy(), reward))

    def state(self):
        return {}

    def restore(self, state):
        pass


@pytest.fixture
def recorder(monkeypatch, environment):
    """The only policy that is started in the environment."""
    policy = Recorder()
    monkeypatch.setattr(harness, "load_kernels", lambda name, params: None)
    monkeypatch.setattr(type(environment), "start", lambda self, name, params: policy)
    return policy


def learned_rows(environment, policy):
    """Which of the offered rows a recorder has learned from."""
    rows = []
    for t, (_, x, _) in enumerate(policy.learned):
        offered = environment.features[environment.stream.items[t]]
        rows.append(int(np.flatnonzero((offered == x).all(axis=1))[0]))
    return rows


def test_observations_are_placed_and_the_next_rounds_are_timed(environment, recorder):
    measured = measure_here(environment, Request("Random", {}, first=20, most=6))
    assert measured.seconds.shape == measured.cpu_seconds.shape == (6,)
    assert (measured.seconds > 0).all()
    assert learned_rows(environment, recorder) == [0] * 20 + [5] * 6
    users = environment.stream.users[:26].tolist()
    assert [user for user, _, _ in recorder.learned] == users
    # One item alone is chosen before the timed rounds.
    assert [len(offered) for _, offered in recorder.chosen] == [1] + [6] * 6


def test_given_picks_are_learned_from_before_and_within_the_timed_rounds(environment, recorder):
    picks = [t % 3 for t in range(15)]
    measured = measure_here(environment, Request("Random", {}, 10, 10, picks=picks))
    assert len(measured.seconds) == 10
    assert learned_rows(environment, recorder) == picks + [5] * 5


def test_after_its_time_a_measurement_gets_the_fewest_rounds(environment, recorder):
    measured = measure_here(environment, Request("Random", {}, 0, 6, fewest=2, seconds=0.0))
    assert len(measured.seconds) == 2


def test_quartiles_are_those_of_blocks_of_rounds():
    measured = harness.Measured(np.arange(8.0), np.arange(8.0), 0.0, 0.0)
    assert measured.quartiles() == [1.75, 3.5, 5.25]
    assert measured.quartiles(block=4) == [2.5, 3.5, 4.5]


def test_measuring_apart_finds_what_measuring_here_does(environment):
    request = Request("G-EG", {"solver": "local"}, first=40, most=30)
    (apart,) = measure(environment, [request], quiet)
    assert apart.seconds.shape == (30,)
    assert apart.touched == measure_here(environment, request).touched
    assert 20 < apart.peak_mb < 1000


def test_a_failed_measurement_says_what_and_why(environment):
    with pytest.raises(ConfigError, match=r"GOBLIN with .*no .* 'lamb'"):
        list(measure(environment, [Request("GOBLIN", {"lamb": 1}, 0, 5)], quiet))
    with pytest.raises(HordeError, match=r"(?s)Random with .* code 1 .*IndexError"):
        list(measure(environment, [Request("Random", {}, ROUNDS, 5)], quiet))


def test_an_exact_solver_repeats_the_reference_and_a_policy_without_a_graph_has_none(environment):
    messages = []
    extent = Extent(compared=ROUNDS)
    rows = bench(environment, ["G-TS", "EG-IND"], ["pcg", "local"], {}, extent, messages.append)
    assert [(row["policy"], row["solver"]) for row in rows] == [
        ("G-TS", "pcg"),
        ("G-TS", "local"),
        ("EG-IND", "none"),
    ]
    assert rows[0]["picks_equal"] == 1.0
    assert rows[2]["picks_equal"] == rows[2]["touched"] == ""
    assert all(0 < row["us_q25"] <= row["us_q75"] for row in rows)
    assert [(row["n"], row["rounds"]) for row in rows] == [(64, ROUNDS)] * 3
    assert next(csv.reader(harness.csv_text(rows).splitlines())) == list(harness.COLUMNS)


def test_skipped_rounds_are_not_timed_and_goblin_plus_plus_is_compared_with_goblin(environment):
    messages = []
    extent = Extent(skip=100, compared=110)
    (row,) = bench(environment, ["GOBLIN++"], ["local"], {}, extent, messages.append)
    assert (row["solver"], row["rounds"]) == ("cg", 20)
    assert any("of 10 picks differ" in message for message in messages)


@pytest.mark.parametrize(
    ("policy", "solver", "words"),
    [("G-EGG", "local", "G-EG"), ("G-EG", "denes", "dense"), ("GOBLIN", "dense", "memory")],
)
def test_what_cannot_be_measured_is_refused_before(environment, monkeypatch, policy, solver, words):
    monkeypatch.setattr("horde.machine.available_bytes", lambda: 10**6 // 2)
    with pytest.raises(ConfigError, match=words):
        bench(environment, [policy], [solver], {}, Extent(), quiet)


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


def test_the_dense_inverse_gets_as_many_observations_at_once(environment):
    policy = environment.start("GOBLIN", {"lam": 0.1, "solver": "dense"})
    prior = policy.posterior.covariance_.copy()
    place_observations(policy, environment, 100)
    added = np.linalg.inv(policy.posterior.covariance_) - np.linalg.inv(prior)
    # Every context has norm 1: the trace of blockdiag(A) counts the observations, 2 a user.
    assert np.trace(added) == pytest.approx(128, rel=1e-6)
