"""A checked policy: the same picks, and a sentence where compiled code would not notice."""

import numpy as np
import pytest
from policy_suite import Rounds, assert_same_state, play, problem

from horde.policies.checked import Checked
from horde.policies.registry import POLICIES, make

GIVEN = problem()
ROUNDS = Rounds(GIVEN)
OFFERED, X = ROUNDS.features[0], ROUNDS.features[0, 0]


@pytest.fixture(params=POLICIES)
def name(request):
    return request.param


def started(name):
    return Checked(make(name)).start(GIVEN)


def test_it_picks_as_the_policy_within(name):
    assert play(started(name), ROUNDS) == play(make(name).start(GIVEN), ROUNDS)


def test_a_saved_run_goes_on(name):
    policy, other = started(name), started(name)
    play(policy, ROUNDS, last=60)
    other.restore(policy.state())
    assert play(other, ROUNDS, first=60) == play(policy, ROUNDS, first=60)


@pytest.mark.parametrize(
    ("user", "offered", "told"),
    [
        (0, np.zeros((5, 5)), r"features: shape \(5, 5\), but must be \(K, 4\)"),
        (0, np.zeros((5, 3)), r"features: shape \(5, 3\)"),
        (0, np.zeros(4), r"features: shape \(4,\)"),
        (0, np.zeros((0, 4)), r"features: shape \(0, 4\)"),
        (0, np.full((5, 4), np.nan), "features: holds NaN"),
        (-1, OFFERED, "user: -1, but must be a whole number from 0 to 9"),
        (10, OFFERED, "user: 10"),
        (0.5, OFFERED, "user: 0.5"),
        (np.inf, OFFERED, "user: inf"),
        (None, OFFERED, "user: None"),
        (0, [[1.0], [1.0, 2.0]], "features: must be numbers"),
        (0, "four", "features: must be numbers"),
    ],
)
def test_a_wrong_choice_is_refused(name, user, offered, told):
    with pytest.raises(ValueError, match=told):
        started(name).choose(user, offered)


@pytest.mark.parametrize(
    ("user", "x", "reward", "told"),
    [
        (0, np.zeros(5), 1.0, r"x: shape \(5,\), but must be \(4,\)"),
        (0, X[None], 1.0, r"x: shape \(1, 4\)"),
        (0, X, np.inf, "reward: holds NaN or infinity"),
        (0, X, [1.0, 2.0], r"reward: shape \(2,\)"),
        (0, X, None, "reward: holds NaN"),
        (99, X, 1.0, "user: 99"),
    ],
)
def test_a_wrong_observation_is_refused_and_changes_nothing(name, user, x, reward, told):
    policy = started(name)
    before = policy.state()
    with pytest.raises(ValueError, match=told):
        policy.learn(user, x, reward)
    assert_same_state(before, policy.state())


def test_lists_and_other_orders_of_memory_will_do(name):
    first, second = started(name), started(name)
    assert first.choose(0, OFFERED.tolist()) == second.choose(0, np.asfortranarray(OFFERED))


def test_no_round_is_played_after_the_last(name):
    policy = started(name)
    play(policy, ROUNDS)
    for call in (lambda: policy.choose(0, OFFERED), lambda: policy.learn(0, X, 1.0)):
        with pytest.raises(ValueError, match="all 120 rounds"):
            call()


def test_the_state_of_another_policy_or_size_is_refused(name):
    policy = started(name)
    others = [started(other) for other in POLICIES if other != name]
    sizes = ({"n_features": 6}, {"n_users": 7}, {"n_rounds": 60})
    others += [Checked(make(name)).start(problem(**size)) for size in sizes]
    for state in (*(other.state() for other in others), make(name).start(GIVEN).state()):
        with pytest.raises(ValueError, match=r"the state of .* but this is"):
            policy.restore(state)
    assert policy.round_ == 0


def test_the_state_of_other_settings_is_refused():
    with pytest.raises(ValueError, match=r"lam=2\.0.* but this is .*lam=1\.0"):
        Checked(make("CLUB", lam=1.0)).start(GIVEN).restore(
            Checked(make("CLUB", lam=2.0)).start(GIVEN).state()
        )
