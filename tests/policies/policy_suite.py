"""What every policy of the registry must do, as functions of its name; and small test problems.

A new policy is put through all of it by `test_policies.py`, which needs no change for that.
"""

import inspect
import io

import numpy as np
import pytest

from horde import problem as problems
from horde.errors import ConfigError, DataError
from horde.graph.precision import adjacency, laplacian
from horde.policies.base import Policy
from horde.policies.registry import POLICIES, make, params_of
from horde.problem import Problem
from horde.random import draws

# A path, a triangle, a pair and a user without friends.
EDGES = np.array([[0, 1], [1, 2], [2, 3], [4, 5], [5, 6], [4, 6], [7, 8]])
N_USERS = 10

_LEARNING = {"start_after": 3, "every": 40, "density": 0.3}
# Settings, besides the defaults, under which rounds are played differently.
VARIANTS = {
    "LINUCB-IND": [{}, {"alpha": 0}, {"ucb_log": True}],
    "GOBLIN": [
        *({"alpha": 0.5}, {"alpha": 0}, {"solver": "pcg"}),
        *({"widths": widths} for widths in ("exact", "one-hop")),
    ],
    "TS-IND": [{"scale": 1.0}, {"scale": 0}],
    "G-TS": [{"scale": 1.0}, {"scale": 0}, {"sampler": "perturbation"}],
    "EG-IND": [{"exploration": "sqrt"}, {"learn_from": "exploration"}],
    "M-UCB": [{"alpha": 0.5}, {"alpha": 0}],
    "M-TS": [{"scale": 1.0}, {"scale": 0}],
    "CLUB": [{"alpha2": 0.01}, {"alpha": 0, "alpha2": 0.3}, {"lag": True, "ucb_log": True}],
    "L-EG": [
        _LEARNING,
        _LEARNING | {"moments": "approximate"},
        _LEARNING | {"start_when": "minimum"},
        {"solver": "pcg"},
    ],
    "U-EG": [_LEARNING, *(_LEARNING | {"estimate": name} for name in ("support", "given"))],
}


OUT_OF_RANGE = {
    "lam": [0.0, -1.0, np.nan, np.inf, "0.1", None],
    "sigma": [0.0, -1.0, np.nan],
    "lam0": [0.0, -1.0, np.nan, 1e-16],
    "alpha": [-0.1, np.nan, "0.1"],
    "alpha2": [-0.1, np.nan],
    "scale": [-0.1, np.inf],
    "ucb_log": ["no"],
    "exploration": ["always"],
    "fraction": [-0.1, 1.1],
    "sqrt_constant": [0.0],
    "learn_from": ["nothing"],
    "solver": ["exact"],
    "iterations": [0, 2.5],
    "tolerance": [0.0],
    "widths": ["none"],
    "sampler": ["svd"],
    "estimate": ["none"],
    "moments": ["third"],
    "logdet_weight": ["2d"],
    "couplings": ["none"],
    "start_after": [-1],
    "start_when": ["never"],
    "every": [0, 1.5],
    "density": [1.5],
    "lam2": [-1.0],
    "max_edges": [0],
    "max_steps": [0, 1.5],
}


def problem(n_users=N_USERS, n_features=4, n_rounds=120, edges=EDGES, seed=0):
    """A problem on the first `n_users` users of a small graph."""
    edges = edges[(edges < n_users).all(axis=1)] if len(edges) else edges
    precision = laplacian(adjacency(edges, n_users))
    return Problem(n_users, n_features, n_rounds, draws("suite", seed), precision)


class Rounds:
    """Rounds of a linear problem: users (T,), features (T, K, d) and rewards (T, K)."""

    def __init__(self, problem, n_offered=5, seed=0, noise=0.3):
        rng = np.random.default_rng(seed)
        n_rounds, d = problem.n_rounds, problem.n_features
        tastes = rng.normal(size=(problem.n_users, d))
        self.users = rng.integers(problem.n_users, size=n_rounds)
        self.features = rng.normal(size=(n_rounds, n_offered, d)) / np.sqrt(d)
        noise = noise * rng.normal(size=(n_rounds, n_offered))
        self.rewards = np.einsum("tkd,td->tk", self.features, tastes[self.users]) + noise


START = problem()
ROUNDS = Rounds(START)


def started(name, **params):
    """A policy at its start on the common problem."""
    return make(name, **params).start(START)


def play(policy, rounds=ROUNDS, first=0, last=None):
    """Let a started policy play rounds first..last; return its picks."""
    picks = []
    for t in range(first, len(rounds.users) if last is None else last):
        user = int(rounds.users[t])
        row = policy.choose(user, rounds.features[t])
        policy.learn(user, rounds.features[t, row], float(rounds.rewards[t, row]))
        picks.append(row)
    return picks


def through_a_file(state):
    """Write a state to an npz file and read it back, without pickle."""
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **state)
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def rounds_at_once_are_as_rounds_one_by_one(name):
    """Compiled loops make the same picks and learn the same digits, however rounds are parted."""
    start = problem(n_rounds=300)
    rounds = Rounds(start)
    n_offered, d = rounds.features.shape[1:]
    items = np.arange(300 * n_offered, dtype=np.int32).reshape(300, n_offered)
    at_once = problems.Rounds(
        rounds.users.astype(np.int32), items, rounds.rewards, rounds.features.reshape(-1, d)
    )
    for params in VARIANTS.get(name, [{}]):
        policy, other = (make(name, **params).start(start) for _ in range(2))
        picks, found = play(policy, rounds), np.empty(300, dtype=np.int32)
        for first, last in [(0, 1), (1, 1), (1, 150), (150, 300)]:
            other.play(at_once.part(first, last), found[first:last])
        assert found.tolist() == picks
        np.testing.assert_equal(other.state(), policy.state())


def unusable_rounds_are_refused(name):
    """Compiled loops check no bounds: they would read, write or go on for ever beyond an end."""
    if not POLICIES[name].tunes:
        pytest.skip("chooses without looking at users and items")
    good = problems.Rounds(
        *(np.zeros((6, *shape), dtype=np.int32) for shape in ((), (3,), (3,))), np.ones((5, 4))
    )
    lists = {
        "users": [np.full(6, N_USERS), np.full(6, -1), np.zeros(6), np.zeros((6, 1), np.int32)],
        "items": [np.full((6, 3), 5), np.full((6, 3), -1), np.zeros((6, 0), np.int32)],
        "rewards": [np.zeros((6, 2)), np.full((6, 3), np.nan)],
        "features": [np.ones((5, 3)), np.ones((5, 5)), np.ones(5)],
    }
    picks = np.empty(6, dtype=np.int32)
    policy = started(name)
    for field, wrong in lists.items():
        for array in wrong:
            with pytest.raises(DataError, match=f"rounds: .*{field}"):
                policy.play(good._replace(**{field: array}), picks)


def scores_and_probabilities_change_nothing(name):
    """Asked in every round, about any user, they leave picks and state to the last digit."""
    for params in VARIANTS.get(name, [{}]):
        policy, asked = (started(name, **params) for _ in range(2))
        picks = []
        for t, user in enumerate(ROUNDS.users):
            for other in (int(user), (int(user) + 3) % N_USERS):
                asked.scores(other, ROUNDS.features[t])
                asked.probabilities(other, ROUNDS.features[t], n_samples=2)
            picks += play(asked, first=t, last=t + 1)
        assert picks == play(policy)
        np.testing.assert_equal(asked.state(), policy.state())


def scores_rank_as_a_choice_that_is_certain(name):
    policy = started(name)
    for t, user in enumerate(ROUNDS.users.tolist()):
        scores = policy.scores(user, ROUNDS.features[t])
        probabilities = policy.probabilities(user, ROUNDS.features[t], n_samples=3).values
        assert scores.dtype == probabilities.dtype == np.float64
        assert scores.shape == probabilities.shape == (5,)
        (row,) = play(policy, first=t, last=t + 1)
        if probabilities.max() == 1.0 and not hasattr(policy, "scale"):
            assert row == probabilities.argmax() == scores.argmax()


def probabilities_are_those_of_choose(name):
    """Frequencies of 2,000 choices, of which none is learned from, in four rounds in a row."""
    for params in VARIANTS.get(name, [{}]):
        policy = started(name, **params)
        play(policy, last=40)
        for t in range(40, 44):
            user, offered = int(ROUNDS.users[t]), ROUNDS.features[t]
            values, errors = policy.probabilities(user, offered, n_samples=1000)
            assert values.sum() == pytest.approx(1.0)
            state = policy.state()
            picks = [policy.choose(user, offered) for _ in range(2000)]
            frequencies = np.bincount(picks, minlength=5) / 2000
            spread = np.sqrt(values * (1 - values) / 2000)
            assert (np.abs(frequencies - values) <= 5 * (errors + spread)).all()
            policy.restore(state)
            play(policy, first=t, last=t + 1)


# Policies whose users are those of the start, for good.
CLOSED = ("CLUB", "L-EG", "U-EG")


def users_join_or_are_refused(name):
    """Those who join are scored as if they had been there, and a saved run goes on from there."""
    larger = problem()
    rounds = Rounds(larger)
    rounds.users[:60] %= 6
    # So many that plain CG ends where it may.
    steps = {"iterations": 40} if "iterations" in params_of(name) else {}
    for params in VARIANTS.get(name, [{}]):
        params = params | steps
        policy = make(name, **params).start(problem(n_users=6))
        knowing = make(name, **params).start(larger)
        for t, row in enumerate(play(policy, rounds, last=60)):
            user = int(rounds.users[t])
            knowing.choose(user, rounds.features[t])
            knowing.learn(user, rounds.features[t, row], float(rounds.rewards[t, row]))
        wrong = [problem(n_users=5), problem(n_features=3)] if POLICIES[name].tunes else []
        before = policy.state()
        for other in [*wrong, *([larger] if name in CLOSED else [])]:
            with pytest.raises(ConfigError):
                policy.join(other)
        np.testing.assert_equal(policy.state(), before)
        if name in CLOSED:
            continue
        policy.join(larger)
        for user in range(N_USERS):
            scores, expected = (each.scores(user, rounds.features[0]) for each in (policy, knowing))
            np.testing.assert_allclose(scores, expected, rtol=0.02, atol=2e-3)
        play(policy, rounds, first=60)
        resumed = make(name, **params).start(larger)
        resumed.restore(through_a_file(policy.state()))
        later = Rounds(larger, seed=1)
        assert play(resumed, later) == play(policy, later)


def start_forgets(name):
    policy = started(name)
    picks, state = play(policy), policy.state()
    assert play(policy.start(START)) == picks
    np.testing.assert_equal(policy.state(), state)


def a_saved_run_goes_on_exactly(name):
    for stop in (0, 1, 37, 113):
        policy, resumed = started(name), started(name)
        play(policy, last=stop)
        state = policy.state()
        stored, kept = through_a_file(state), through_a_file(state)
        rest = play(policy, first=stop)
        resumed.restore(stored)
        assert play(resumed, first=stop) == rest
        np.testing.assert_equal(resumed.state(), policy.state())
        # Back to the earlier state, in a policy that has seen more: neither play changes it.
        policy.restore(state)
        assert play(policy, first=stop) == rest
        np.testing.assert_equal(state, kept)


def choosing_changes_nothing_that_is_learned(name):
    """What is learned depends on the observations, not on what else was on offer."""
    first, second = started(name), started(name)
    for t, user in enumerate(ROUNDS.users.tolist()):
        first.choose(user, ROUNDS.features[t])
        second.choose(user, ROUNDS.features[t - 1])
        for policy in (first, second):
            policy.learn(user, ROUNDS.features[t, 2], float(ROUNDS.rewards[t, 2]))
    np.testing.assert_equal(first.state(), second.state())


def arguments_are_neither_changed_nor_kept(name):
    expected, policy = play(started(name)), started(name)
    for t, user in enumerate(ROUNDS.users.tolist()):
        features = ROUNDS.features[t].copy()
        row = policy.choose(user, features)
        np.testing.assert_array_equal(features, ROUNDS.features[t])
        assert row == expected[t]
        x = features[row]
        policy.learn(user, x, float(ROUNDS.rewards[t, row]))
        np.testing.assert_array_equal(x, ROUNDS.features[t, row])
        features[:] = np.nan


def the_smallest_problems_work(name):
    for n_users, d, n_offered in [(1, 3, 4), (3, 1, 4), (4, 3, 1), (1, 1, 1)]:
        start = problem(n_users=n_users, n_features=d, n_rounds=40)
        picks = play(make(name).start(start), Rounds(start, n_offered))
        assert set(picks) <= set(range(n_offered))
        assert {*map(type, picks)} == {int}


def arguments_are_stored_and_make_a_clone(name):
    policy = make(name)
    arguments = {key: getattr(policy, key) for key in inspect.signature(type(policy)).parameters}
    picks = play(policy.start(START))
    assert play(type(policy)(**arguments).start(START)) == picks


def it_goes_on_past_the_last_round(name):
    start = problem(n_rounds=100)
    policy = make(name).start(start)
    picks = play(policy, Rounds(start)) + play(policy, Rounds(problem(n_rounds=300), seed=1))
    assert set(picks) <= set(range(5))
    resumed = make(name).start(start)
    resumed.restore(through_a_file(policy.state()))
    later = Rounds(problem(n_rounds=60), seed=2)
    assert play(resumed, later) == play(policy, later)


def contexts_too_long_for_the_prior_are_refused(name):
    if not POLICIES[name].tunes:
        pytest.skip("learns nothing")
    for x in (1e8, 1e160, np.nan):
        policy = started(name)
        before = policy.state()
        policy.choose(3, np.eye(4))
        with pytest.raises(DataError, match="outweighs the prior"):
            policy.learn(3, np.full(4, x), 1.0)
        policy.restore(before)
        policy.choose(3, np.eye(4))
        policy.learn(3, np.ones(4), 1.0)
        rounds = problems.Rounds(
            np.array([3, 3], dtype=np.int32),
            np.array([[0], [1]], dtype=np.int32),
            np.ones((2, 1)),
            np.vstack([np.ones(4), np.full(4, x)]),
        )
        with pytest.raises(DataError, match="outweighs the prior"):
            policy.play(rounds, np.empty(2, dtype=np.int32))


def the_error_of_compiled_rounds_is_that_of_single_ones(name):
    """It names the chosen context, not another one of the offer."""
    if not POLICIES[name].tunes:
        pytest.skip("learns nothing")
    rounds = problems.Rounds(
        np.array([3], dtype=np.int32),
        np.array([[0, 1]], dtype=np.int32),
        np.ones((1, 2)),
        np.array([[1e9, 0.0, 0.0, 0.0], [0.0, 5e9, 0.0, 0.0]]),
    )
    picks = np.empty(1, dtype=np.int32)
    with pytest.raises(DataError) as compiled:
        started(name).play(rounds, picks)
    with pytest.raises(DataError) as single:
        Policy.play(started(name), rounds, picks)
    assert str(compiled.value) == str(single.value)


def rewards_may_be_true_or_false(name):
    offer = np.array([[0, 1], [1, 0]], dtype=np.int32)
    users, rewards = np.array([3, 0], dtype=np.int32), np.array([[True, False], [False, True]])
    picks = np.empty((2, 2), dtype=np.int32)
    for row, kind in zip(picks, (bool, float), strict=True):
        rounds = problems.Rounds(users, offer, rewards.astype(kind), np.eye(4))
        started(name).play(rounds, row)
    assert (picks[0] == picks[1]).all()


def unknown_settings_are_refused(name):
    with pytest.raises(ConfigError, match="no_such_setting"):
        make(name, no_such_setting=1.0)
    for variant in params_of(name):
        with pytest.raises(ConfigError, match=f"'{variant}x'.* mean '{variant}'"):
            make(name, **{f"{variant}x": 1.0})


def hyper_parameters_out_of_range_are_refused(name):
    tunes = POLICIES[name].tunes
    assert set(tunes) <= set(params_of(name))
    for variant in params_of(name):
        for value in [
            *OUT_OF_RANGE.get(variant, []),
            *((-1.0, np.nan) if variant in tunes else []),
        ]:
            with pytest.raises(ConfigError, match=variant):
                make(name, **{variant: value}).start(START)


def ties_go_to_the_lowest_row(name):
    """Equal rows tie in every round that does not explore."""
    if not POLICIES[name].tunes:
        pytest.skip("chooses without scores")
    start = problem()
    rounds = Rounds(start)
    rounds.features[:] = rounds.features[:, :1]
    policy = make(name).start(start)
    explores = getattr(policy, "explores_", np.zeros(start.n_rounds, dtype=bool))
    picks = np.array(play(policy, rounds))
    assert (picks[~explores] == 0).all()


SUITE = (
    rounds_at_once_are_as_rounds_one_by_one,
    unusable_rounds_are_refused,
    users_join_or_are_refused,
    scores_and_probabilities_change_nothing,
    scores_rank_as_a_choice_that_is_certain,
    probabilities_are_those_of_choose,
    start_forgets,
    a_saved_run_goes_on_exactly,
    choosing_changes_nothing_that_is_learned,
    arguments_are_neither_changed_nor_kept,
    the_smallest_problems_work,
    it_goes_on_past_the_last_round,
    contexts_too_long_for_the_prior_are_refused,
    the_error_of_compiled_rounds_is_that_of_single_ones,
    rewards_may_be_true_or_false,
    arguments_are_stored_and_make_a_clone,
    unknown_settings_are_refused,
    hyper_parameters_out_of_range_are_refused,
    ties_go_to_the_lowest_row,
)
