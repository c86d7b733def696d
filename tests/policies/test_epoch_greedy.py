"""Which rounds of epoch-greedy explore, and which are learned from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_suite import Rounds, play, problem

from horde.errors import ConfigError
from horde.policies.epoch_greedy import exploration_schedule
from horde.policies.registry import make


@given(n_rounds=st.integers(1, 300), constant=st.sampled_from([0.25, 0.5, 1.0, 3.0]))
def test_sqrt_exploits_longer_and_longer(n_rounds, constant):
    """Epoch q is one exploration and max(1, floor(sqrt(q)/c)) exploitations."""
    expected = []
    for epoch in range(1, n_rounds + 1):
        expected += [True] + [False] * max(1, int(np.sqrt(epoch) / constant))
    schedule = exploration_schedule("sqrt", 0.1, constant, n_rounds)
    assert schedule.tolist() == expected[:n_rounds]


@pytest.mark.parametrize(
    ("exploration", "n_rounds"), [("interleaved", 200), ("front", 50), ("sqrt", 200)]
)
def test_beyond_the_last_round_the_schedule_goes_on(exploration, n_rounds):
    start = problem(n_rounds=50)
    policy = make("EG-IND", exploration=exploration).start(start)
    unknown = make("EG-IND", exploration=exploration).start(problem(n_rounds=0))
    assert len(unknown.explores(30)) == 30
    rounds = Rounds(problem(n_rounds=200))
    explored = []
    for t in range(200):
        explored.append(bool(policy.explores()))
        play(policy, rounds, first=t, last=t + 1)
    schedule = exploration_schedule(exploration, 0.1, 1.0, n_rounds)
    expected = np.append(schedule, np.zeros(200 - n_rounds, dtype=bool))
    assert explored == expected.tolist()


@pytest.mark.parametrize("exploration", ["interleaved", "front", "sqrt"])
def test_exploration_rounds_pick_uniformly_and_the_same_for_all(exploration):
    """Two policies explore alike: the draws are keyed by purpose, not by policy."""
    start = problem(n_rounds=200)
    rounds = Rounds(start)
    schedule = exploration_schedule(exploration, 0.1, 1.0, 200)
    rng = start.draws("exploration")
    expected = [int(rng.random() * 5) for _ in range(schedule.sum())]
    for name in ("EG-IND", "EG-SIN", "G-EG"):
        policy = make(name, exploration=exploration).start(start)
        assert np.array(play(policy, rounds))[schedule].tolist() == expected


def test_learning_from_exploration_only_ignores_other_rewards():
    start = problem(n_rounds=60)
    rounds, changed = Rounds(start), Rounds(start)
    schedule = exploration_schedule("interleaved", 0.1, 1.0, 60)
    changed.rewards[~schedule] += 5.0

    def picks(learn_from, played):
        return play(make("EG-SIN", learn_from=learn_from).start(start), played)

    assert picks("exploration", rounds) == picks("exploration", changed)
    assert picks("all", rounds) != picks("all", changed)


def test_a_share_of_no_exploration_is_refused():
    with pytest.raises(ConfigError, match="fraction"):
        make("EG-IND", fraction=0.0).start(problem())
