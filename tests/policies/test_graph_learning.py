"""Learning the graph: what is learned on planted data, and that nothing can break it."""

import numpy as np
import pytest

from horde import random as draws
from horde.errors import ConfigError
from horde.graph.precision import adjacency, laplacian
from horde.policies.epoch_greedy import EpochGreedy
from horde.policies.graph_learning import GraphLearning
from horde.policies.registry import make
from horde.posteriors.gmrf import gmrf
from horde.posteriors.ridge import Ridge
from horde.problem import Problem
from horde.results.statistics import t_interval
from horde.simulation.loop import play, simulate
from horde.simulation.stream import Stream

N_USERS, N_CLUSTERS, D, N_ITEMS, K = 120, 8, 10, 500, 10


def unit_rows(matrix):
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def planted(seed, n_rounds=6000, own=0.1, n_users=N_USERS):
    """Users of N_CLUSTERS tastes, each off its cluster's by about `own`; ratings are noisy."""
    rng = np.random.default_rng(seed)
    clusters = np.arange(n_users) % N_CLUSTERS
    tastes = unit_rows(rng.normal(size=(N_CLUSTERS, D)))
    noise = rng.normal(size=(n_users, D)) / np.sqrt(D)
    preferences = unit_rows(tastes[clusters] + own * noise)
    features = unit_rows(rng.normal(size=(N_ITEMS, D)))
    users = rng.integers(n_users, size=n_rounds).astype(np.int32)
    items = rng.random((n_rounds, N_ITEMS)).argsort(axis=1)[:, :K].astype(np.int32)
    expected = np.einsum("tkd,td->tk", features[items], preferences[users])
    rewards = expected + 0.3 * rng.normal(size=expected.shape)
    return clusters, features, Stream(users, items, rewards, expected)


def problem(stream, precision=None, n_users=N_USERS):
    return Problem(n_users, D, stream.n_rounds, draws.draws("planted", 0), precision)


def ratio(policy, features, stream):
    checkpoints = np.array([stream.n_rounds])
    return simulate(policy.start(problem(stream)), stream, features, checkpoints).ratio[0]


def learner(**params):
    return GraphLearning(gmrf(1.0), **({"every": 500, "max_edges": 800} | params))


def played(n_rounds, seed=0, precision=None, **params):
    """A learner after the planted rounds."""
    _, features, stream = planted(seed, n_rounds)
    policy = learner(**params).start(problem(stream, precision))
    play(policy, stream, features)
    return policy


def test_planted_clusters_are_found_and_lower_the_regret():
    gains = []
    for seed in range(3):
        clusters, features, stream = planted(seed)
        policy = learner(couplings="attractive")
        with_graph = ratio(policy, features, stream)
        gains.append(with_graph / ratio(EpochGreedy(Ridge(1.0)), features, stream))
        V = policy.precision_
        rows = np.repeat(np.arange(N_USERS), np.diff(V.indptr))
        within = (clusters[rows] == clusters[V.indices]).mean()
        chance = (N_USERS / N_CLUSTERS - 1) / (N_USERS - 1)
        assert within > 5 * chance
        assert all(step.converged and step.used for step in policy.steps_)
    assert np.mean(gains) < 0.99
    assert max(gains) < 1.0


def test_with_unrelated_tastes_it_does_no_worse():
    """The verdict's rule: the 90 % interval of the paired difference is below 0.02 of the ratio."""
    differences = []
    for seed in range(5):
        _, features, stream = planted(seed, own=50.0)
        plain = ratio(EpochGreedy(Ridge(1.0)), features, stream)
        differences.append(ratio(learner(), features, stream) - plain)
    assert t_interval(np.array(differences), 0.9)[2] < 0.02


def test_before_the_first_estimate_it_is_its_twin():
    _, features, stream = planted(0, n_rounds=600)
    picks = play(learner(start_after=10).start(problem(stream)), stream, features)
    twin = play(EpochGreedy(Ridge(1.0)).start(problem(stream)), stream, features)
    np.testing.assert_array_equal(picks, twin)


@pytest.mark.parametrize(
    ("params", "rounds"),
    [
        ({"start_after": 2, "every": 100}, [240, 340, 440]),
        ({"start_after": 2.5, "every": 200}, [300, 500]),
        ({"start_after": 100}, []),
        # 4.15 times 120 users is 498, but rounded up as floating-point numbers.
        ({"start_after": 4.15, "every": 100}, [498]),
    ],
)
def test_when_the_graph_is_estimated(params, rounds):
    policy = played(500, **params)
    assert [step.round for step in policy.steps_] == rounds
    assert len(policy.seconds_) == len(rounds)


def test_every_user_may_be_asked_to_be_served_first():
    _, _, stream = planted(0, n_rounds=1500)
    policy = played(1500, start_after=1, start_when="minimum")
    counts = np.array([np.bincount(stream.users[:t], minlength=N_USERS).min() for t in range(1501)])
    assert policy.steps_[0].round == np.argmax(counts >= 1)


def test_first_density_then_a_fixed_penalty_and_the_cap():
    policy = played(4000, density=0.03, max_edges=250)
    first, *later = policy.steps_
    assert first.edges == pytest.approx(0.03 * N_USERS * (N_USERS - 1) / 2, rel=0.05)
    assert all(step.edges <= 250 for step in policy.steps_)
    assert later[-1].lam2 >= first.lam2
    fixed = played(4000, lam2=0.2, max_edges=10_000)
    assert {step.lam2 for step in fixed.steps_} == {0.2}


@pytest.mark.parametrize("weight", ["1", "d+1", "dn+1"])
@pytest.mark.parametrize("couplings", ["any", "attractive"])
def test_every_reading_of_the_objective_runs(weight, couplings):
    policy = played(2500, seed=1, logdet_weight=weight, couplings=couplings)
    assert len(policy.steps_) == 3
    if couplings == "attractive":
        assert all(step.repulsive == 0 for step in policy.steps_)


def test_the_given_graph_is_where_it_starts():
    _, features, stream = planted(0, n_rounds=2000)
    edges = np.array([(i, i + N_CLUSTERS) for i in range(N_USERS - N_CLUSTERS)])
    known = laplacian(adjacency(edges, N_USERS))
    policy = learner(from_graph=True).start(problem(stream, known))
    assert policy.precision_ is known
    play(policy, stream, features)
    assert policy.precision_ is not known
    with pytest.raises(ConfigError, match="graph"):
        learner(from_graph=True).start(problem(stream))


def test_out_of_steps_the_last_feasible_graph_is_used_and_recorded():
    policy = played(1400, max_steps=1, gap_tolerance=1e-9)
    assert [step.converged for step in policy.steps_] == [False]
    assert policy.steps_[0].used


@pytest.mark.parametrize("weight", ["1", "d"])
@pytest.mark.parametrize("n_users", [1, 2])
def test_nothing_to_learn_leaves_the_prior(n_users, weight):
    _, features, stream = planted(0, n_rounds=200, n_users=n_users)
    silent = Stream(stream.users, stream.items, np.zeros_like(stream.rewards), stream.expected)
    policy = learner(every=50, logdet_weight=weight).start(problem(silent, n_users=n_users))
    play(policy, silent, features)
    assert policy.steps_ == []
    assert policy.precision_.n_edges == 0


def test_a_posterior_with_a_fixed_prior_is_refused():
    _, _, stream = planted(0, n_rounds=10)
    with pytest.raises(ConfigError, match="solver"):
        make("L-EG", solver="dense").start(problem(stream))


# What takes the prior's place, for a cause of what a learned graph gains.


def learned_prior(n_rounds=1300, precision=None, **params):
    """Return a policy after its first estimate, and the prior that its posterior has then."""
    policy = played(n_rounds, precision=precision, every=5000, **params)
    prior = policy.posterior.system_.prior
    matrix = np.diag(prior[0])
    rows = np.repeat(np.arange(N_USERS), np.diff(prior[1]))
    matrix[rows, prior[2]] = prior[3]
    return policy, matrix


def test_the_prior_is_the_estimate_or_what_was_asked_for_in_its_place():
    policy, full = learned_prior()
    assert policy.steps_[0].used
    V = policy.precision_.to_scipy().toarray()
    np.testing.assert_array_equal(full, V)
    _, diagonal = learned_prior(estimate="diagonal")
    np.testing.assert_array_equal(diagonal, np.diag(np.diag(V)))
    _, unit = learned_prior(estimate="unit-diagonal")
    np.testing.assert_allclose(unit, V * N_USERS / np.trace(V))
    _, support = learned_prior(estimate="support")
    edges = np.argwhere(np.triu(V, 1) != 0)
    wanted = laplacian(adjacency(edges, N_USERS)).to_scipy().toarray()
    np.testing.assert_array_equal(support, wanted)
    assert len(edges) > 0


def test_the_given_graph_comes_with_the_first_estimate():
    edges = np.array([[i, i + 1] for i in range(N_USERS - 1)])
    given = laplacian(adjacency(edges, N_USERS))
    _, before = learned_prior(n_rounds=1100, precision=given, estimate="given")
    np.testing.assert_array_equal(before, np.eye(N_USERS))
    policy, after = learned_prior(n_rounds=6500, precision=given, estimate="given")
    np.testing.assert_array_equal(after, given.to_scipy().toarray())
    assert len(policy.steps_) == 1
    with pytest.raises(ConfigError, match="has none"):
        learned_prior(estimate="given")


def test_with_second_moments_and_no_data_the_prior_is_a_fixed_point():
    """Without data S is d V^-1, centred: maximum likelihood gives back V, up to the mean."""
    n, d = 12, 3
    V = laplacian(adjacency(np.array([[i, (i + 1) % n] for i in range(n)]), n))
    policy = GraphLearning(gmrf(0.7), from_graph=True, moments="exact", logdet_weight="d")
    policy.start(Problem(n, d, 10, draws.draws("planted", 0), V))
    H = np.eye(n) - 1 / n
    wanted = H @ np.linalg.inv(V.to_scipy().toarray()) @ H
    np.testing.assert_allclose(policy._covariance(), wanted, atol=1e-6)
    policy.moments = "approximate"
    np.testing.assert_allclose(policy._covariance(), wanted, atol=1e-9)


def test_second_moments_find_the_precision_of_tastes_where_means_alone_let_the_prior_fade():
    """Tastes of norm 1 have a variance of 1/d in each direction: their precision is about d."""
    kept = {}
    for moments, weight in (("none", "1"), ("approximate", "d+1")):
        policy = played(6000, moments=moments, logdet_weight=weight, density=0.03)
        kept[moments] = policy.precision_.diagonal.mean()
    assert kept["none"] < 0.5
    assert 0.5 * D < kept["approximate"] < 2.0 * D


def test_moments_need_a_converged_solver():
    policy = GraphLearning(gmrf(1.0, solver="cg"), moments="exact")
    with pytest.raises(ConfigError, match="solver to 'local'"):
        policy.start(problem(planted(0)[2]))
