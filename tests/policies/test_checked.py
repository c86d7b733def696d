"""A checked policy: the same picks, and a sentence where compiled code would not notice."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from policy_suite import ROUNDS, START, play, problem

from horde.policies.checked import Checked
from horde.policies.registry import POLICIES, make

OFFERED, X = ROUNDS.features[0], ROUNDS.features[0, 0]


def started(name="EG-IND"):
    return Checked(make(name)).start(START)


@pytest.mark.parametrize("name", POLICIES)
def test_it_picks_as_the_policy_within(name):
    assert play(started(name)) == play(make(name).start(START))


@pytest.mark.parametrize("name", POLICIES)
def test_a_saved_run_goes_on(name):
    policy, other = started(name), started(name)
    play(policy, last=60)
    other.restore(policy.state())
    assert play(other, first=60) == play(policy, first=60)


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
        (2**80, OFFERED, "user: 1208925819614629174706176"),
        (0, np.full((5, 4), 2e100), "features: holds NaN"),
        (0, [[1.0], [1.0, 2.0]], "features: must be numbers"),
        (0, "four", "features: must be numbers"),
    ],
)
def test_a_wrong_choice_is_refused(user, offered, told):
    with pytest.raises(ValueError, match=told):
        started().choose(user, offered)


@pytest.mark.parametrize(
    ("user", "x", "reward", "told"),
    [
        (0, np.zeros(5), 1.0, r"x: shape \(5,\), but must be \(4,\)"),
        (0, X[None], 1.0, r"x: shape \(1, 4\)"),
        (0, X, np.inf, "reward: holds NaN or infinity"),
        (0, np.array([0.0, 0.0, np.nan, 0.0]), 1.0, "x: holds NaN"),
        (0, X, 10**400, "reward: must be numbers"),
        (0, X, [1.0, 2.0], r"reward: shape \(2,\)"),
        (0, X, None, "reward: holds NaN"),
        (99, X, 1.0, "user: 99"),
    ],
)
def test_a_wrong_observation_is_refused_and_changes_nothing(user, x, reward, told):
    policy = started()
    before = policy.state()
    with pytest.raises(ValueError, match=told):
        policy.learn(user, x, reward)
    np.testing.assert_equal(before, policy.state())


def as_read_only(values):
    values = values.copy()
    values.flags.writeable = False
    return values


@pytest.mark.parametrize(
    ("whole", "array", "number"),
    [
        (int, np.ndarray.tolist, int),
        (np.int32, np.asfortranarray, np.float32),
        (np.int64, as_read_only, np.array),
        (int, lambda values: np.repeat(values, 2, axis=-1)[..., ::2], bool),
        (int, lambda values: values.astype(">f8"), np.bool_),
    ],
)
def test_other_kinds_of_numbers_and_orders_of_memory_will_do(whole, array, number):
    given, converted = started("LINUCB-IND"), started("LINUCB-IND")
    for t in range(40):
        user, offered, reward = int(ROUNDS.users[t]), ROUNDS.features[t], float(t % 2)
        row = given.choose(user, offered)
        given.learn(user, offered[row], reward)
        assert converted.choose(whole(user), array(offered)) == row
        converted.learn(whole(user), array(offered[row]), number(reward))
    np.testing.assert_equal(given.state(), converted.state())


def test_no_round_is_played_after_the_last():
    policy = started()
    play(policy)
    for call in (lambda: policy.choose(0, OFFERED), lambda: policy.learn(0, X, 1.0)):
        with pytest.raises(ValueError, match="all 120 rounds"):
            call()


def test_the_state_of_another_policy_size_or_graph_is_refused():
    name = "G-EG"
    policy, graph = started(name), START.precision
    others = [started(other) for other in POLICIES if other != name]
    problems = [problem(**size) for size in ({"n_features": 6}, {"n_users": 7}, {"n_rounds": 60})]
    problems.append(replace(START, precision=replace(graph, weights=0.5 * graph.weights)))
    others += [Checked(make(name)).start(other) for other in problems]
    for state in (*(other.state() for other in others), make(name).start(START).state()):
        with pytest.raises(ValueError, match=r"the state of .* but this is"):
            policy.restore(state)
    assert policy.round_ == 0


@pytest.mark.parametrize("name", POLICIES)
def test_a_state_shares_no_memory_with_the_problem(name):
    before = asdict(START.precision)
    for array in started(name).state().values():
        array.fill(0) if array.ndim else None
    np.testing.assert_equal(asdict(START.precision), before)


def test_the_state_of_other_settings_is_refused():
    with pytest.raises(ValueError, match=r"lam=2\.0.* but this is .*lam=1\.0"):
        Checked(make("CLUB", lam=1.0)).start(START).restore(
            Checked(make("CLUB", lam=2.0)).start(START).state()
        )


def test_users_who_joined_are_served_and_their_state_is_that_of_the_larger_problem():
    policy, smaller = started("G-EG"), Checked(make("G-EG")).start(problem(n_users=6))
    with pytest.raises(ValueError, match="from 0 to 5"):
        smaller.choose(9, OFFERED)
    smaller.learn(2, X, 1.0)
    smaller.join(START)
    smaller.learn(9, X, 1.0)
    assert smaller.round_ == 2
    policy.restore(smaller.state())
    assert policy.choose(9, OFFERED) == smaller.choose(9, OFFERED)
