"""What is measured: which rounds, from which picks, and in a process of its own."""

import os
import sys
from dataclasses import replace

import numpy as np
import psutil
import pytest

from horde.errors import ConfigError, HordeError
from horde.policies.base import Policy
from horde.timing import harness
from horde.timing.harness import Request, measure_here, measuring


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
    with measuring(print) as measure:
        first, second = measure(environment, [request, request])
        (third,) = measure(environment, [request])
    for apart in (first, second, third):
        assert apart.seconds.shape == (30,)
        assert apart.touched == measure_here(environment, request).touched
        assert 20 < apart.peak_mb < 1000


def test_a_measurement_has_its_own_peak_memory(environment):
    request = Request("Random", {}, first=0, most=5)
    large = replace(environment, features=np.ones((4 * 10**6, environment.features.shape[1])))
    with measuring(print) as measure:
        before, more, after = (
            next(measure(each, [request])) for each in (environment, large, environment)
        )
    assert more.peak_mb > 120 + max(before.peak_mb, after.peak_mb)


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """Make requests of a policy that does something odd in its first timed round."""
    (tmp_path / "odd.py").write_text("""
import os, sys
class Odd:
    def __init__(self, deed):
        self.deed = deed
    def start(self, problem):
        self.small = problem.n_users == 5
        return self
    def choose(self, user, features):
        if not self.small:
            exec(self.deed)
        return 0
    def learn(self, user, x, reward):
        pass
""")
    (tmp_path / "sitecustomize.py").write_text("""
from horde.policies import registry
registry.POLICIES["Odd"] = registry.Entry("odd:Odd")
""")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    return lambda deed, rounds=3: Request("Odd", {"deed": deed}, 0, rounds)


@pytest.mark.parametrize(
    ("deed", "logged"),
    [
        ("print('half a line', end='')", "  " + 4 * "half a line"),
        ("print('ended with code 9')", "  ended with code 9"),
    ],
)
def test_what_a_policy_prints_is_logged(environment, odd, deed, logged):
    lines = []
    with measuring(lines.append) as measure:
        (measured,) = measure(environment, [odd(deed, rounds=4)])
    assert len(measured.seconds) == 4
    assert set(lines) == {logged}


@pytest.mark.parametrize(
    ("deed", "message"),
    [
        ("os.kill(os.getpid(), 9)", "code -9"),
        ("os._exit(0)", "code 0"),
        ("input()", "lost sys.stdin"),
        ("raise KeyError('mine')", "KeyError: 'mine'"),
        ("os.write(2, b'\\xff'); 1 / 0", "division by zero"),
    ],
)
def test_a_failed_policy_is_told_and_the_next_is_measured(environment, odd, deed, message):
    with measuring(print) as measure:
        assert len(next(measure(environment, [odd("sys.stderr.write('before')")])).seconds) == 3
        with pytest.raises(HordeError, match=rf"(?s)^measuring Odd with .*{message}") as failed:
            list(measure(environment, [odd(deed)]))
        assert "before" not in str(failed.value)
        assert len(next(measure(environment, [odd("pass", rounds=7)])).seconds) == 7


@pytest.mark.parametrize(
    ("request_", "error", "message"),
    [
        (Request("GOBLIN", {"lamb": 1}, 0, 5), ConfigError, r"GOBLIN with .*no .* 'lamb'"),
        (Request("Random", {}, 120, 5), HordeError, r"(?s)Random with .* code 1 .*IndexError"),
    ],
)
def test_a_failed_measurement_says_what_and_why(environment, request_, error, message):
    with measuring(print) as measure, pytest.raises(error, match=message):
        list(measure(environment, [request_]))


def test_a_killed_process_is_told(environment):
    with measuring(print) as measure:
        for child in psutil.Process().children():
            if harness.__name__ in child.cmdline():
                child.kill()
        with pytest.raises(HordeError, match=r"Random with .* code -9"):
            list(measure(environment, [Request("Random", {}, 0, 5)]))
