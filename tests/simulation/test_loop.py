"""Regret at checkpoints, and runs that are interrupted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from random_dataset import random_dataset

from horde.errors import ConfigError
from horde.policies.base import Policy
from horde.policies.registry import make
from horde.problem import Problem
from horde.random import draws
from horde.simulation import loop as simulation
from horde.simulation.loop import SavedRun, regret_curve, simulate
from horde.simulation.stream import Stream, make_stream

T, K, D = 300, 5, 3
CHECKPOINTS = np.array([1, 100, 300])


@pytest.fixture(scope="module")
def data():
    return random_dataset("toy", 8, 30)


@pytest.fixture(scope="module")
def stream(data):
    return make_stream(data, 0, T, K)


def started(name="TS-IND", **params):
    return make(name, **params).start(Problem(8, D, T, draws("toy", 0)))


@given(
    arrays.arrays(
        np.float64, (12, 3), elements=st.floats(-2, 2, allow_nan=False, allow_subnormal=False)
    ),
    arrays.arrays(np.int32, 12, elements=st.integers(0, 2)),
)
def test_regret_is_the_sum_of_shortfalls(expected, picks):
    stream = Stream(np.zeros(12, np.int32), np.zeros((12, 3), np.int32), expected, expected)
    curve = regret_curve(stream, picks, np.array([5, 12]))
    for at, rounds in enumerate((5, 12)):
        shortfall = [row.max() - row for row in expected[:rounds]]
        own = sum(row[pick] for row, pick in zip(shortfall, picks, strict=False))
        assert curve.regret[at] == pytest.approx(own, abs=1e-12)
        random = sum(row.mean() for row in shortfall)
        assert curve.random_regret[at] == pytest.approx(random, abs=1e-12)


def test_the_random_policy_has_the_regret_expected_of_it(data):
    long = make_stream(data, 1, 20_000, K)
    random = make("Random").start(Problem(8, D, 20_000, draws("toy", 1)))
    curve = simulate(random, long, data.features, np.array([20_000]))
    assert curve.ratio[-1] == pytest.approx(1.0, abs=0.02)


def test_the_policy_is_shown_the_offered_features_and_the_reward_of_its_pick(data, stream):
    class Recorder(Policy):
        def start(self, problem):
            self.t = 0
            return self

        def choose(self, user, features):
            assert user == stream.users[self.t]
            np.testing.assert_array_equal(features, data.features[stream.items[self.t]])
            assert features.flags.c_contiguous
            return self.t % K

        def learn(self, user, x, reward):
            row = self.t % K
            assert user == stream.users[self.t]
            np.testing.assert_array_equal(x, data.features[stream.items[self.t, row]])
            assert reward == stream.rewards[self.t, row]
            self.t += 1

    recorder = Recorder().start(None)
    curve = simulate(recorder, stream, data.features, CHECKPOINTS)
    assert recorder.t == T
    picks = np.arange(T) % K
    missed = 1 - stream.rewards[np.arange(T), picks].astype(int)
    np.testing.assert_array_equal(curve.regret, np.cumsum(missed)[CHECKPOINTS - 1])


@pytest.mark.parametrize(
    "checkpoints", [[], [0, T], [5, 5, T], [T, 5], [5, T - 1], [5, T + 1], [[5, T]], [1.5, T]]
)
def test_wrong_checkpoints_are_refused(data, stream, checkpoints):
    with pytest.raises(ConfigError, match="checkpoints"):
        simulate(started(), stream, data.features, np.array(checkpoints))


def test_ratio_is_not_a_number_where_no_choice_can_be_wrong():
    equal = np.ones((4, 2))
    stream = Stream(np.zeros(4, np.int32), np.zeros((4, 2), np.int32), equal, equal)
    assert np.isnan(regret_curve(stream, np.zeros(4, np.int32), np.array([4])).ratio).all()


class InterruptionError(Exception):
    pass


def interrupt(policy, at):
    """Make `policy` raise after it has played `at` rounds."""
    play, left = policy.play, [at]

    def play_or_die(rounds, picks):
        left[0] -= len(picks)
        if left[0] < 0:
            raise InterruptionError
        play(rounds, picks)

    policy.play = play_or_die
    return policy


@pytest.mark.parametrize("name", ["TS-IND", "EG-IND", "CLUB", "Random"])
def test_an_interrupted_run_goes_on_with_the_same_digits(tmp_path, monkeypatch, data, stream, name):
    monkeypatch.setattr(simulation, "SAVE_SECONDS", 0.0)
    whole = simulate(started(name), stream, data.features, CHECKPOINTS)
    saved = SavedRun(tmp_path / "run.npz", "key")
    for at in (57, 100):
        policy = interrupt(started(name), at)
        with pytest.raises(InterruptionError):
            simulate(policy, stream, data.features, CHECKPOINTS, saved_run=saved)
    ticks = []
    resumed = simulate(
        started(name),
        stream,
        data.features,
        CHECKPOINTS,
        progress=lambda done, total: ticks.append((done, total)),
        saved_run=saved,
    )
    assert ticks[-1] == (T, T)
    np.testing.assert_array_equal(resumed.regret, whole.regret)
    # The second run went on from the first, and the third from the second.
    assert len(SavedRun(tmp_path / "run.npz", "key").restore(started(name))) == T
    saved.remove()
    assert list(tmp_path.iterdir()) == []


def test_only_the_rounds_that_are_left_are_played(tmp_path, data, stream):
    saved = SavedRun(tmp_path / "run.npz", "key")
    saved.save(started("EG-IND"), np.zeros(T - 10, dtype=np.int32))
    policy = interrupt(started("EG-IND"), 10)
    simulate(policy, stream, data.features, CHECKPOINTS, saved_run=saved)


@pytest.mark.parametrize("damage", ["other key", "truncated", "not an archive", "missing"])
def test_a_state_that_cannot_be_used_is_ignored(tmp_path, data, stream, damage):
    path = tmp_path / "run.npz"
    SavedRun(path, "other" if damage == "other key" else "key").save(
        started(), np.zeros(99, dtype=np.int32)
    )
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:-50])
    elif damage == "not an archive":
        path.write_bytes(b"<html>")
    elif damage == "missing":
        path.unlink()
    saved = SavedRun(path, "key")
    resumed = simulate(started(), stream, data.features, CHECKPOINTS, saved_run=saved)
    whole = simulate(started(), stream, data.features, CHECKPOINTS)
    np.testing.assert_array_equal(resumed.regret, whole.regret)


def test_progress_is_told_while_the_rounds_go_on(monkeypatch, data, stream):
    monkeypatch.setattr(simulation, "PROGRESS_SECONDS", 0.0)
    ticks = []
    simulate(started(), stream, data.features, CHECKPOINTS, lambda *tick: ticks.append(tick))
    assert len(ticks) > 5
    assert ticks == sorted(ticks)
    assert ticks[-1] == (T, T)
