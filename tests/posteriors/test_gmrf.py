"""Means, blocks, limits and state of the Gaussian Markov random field's posterior."""

from dataclasses import replace

import numpy as np
import pytest
from gmrf_problems import GRAPHS, Game, Oracle, learn, learned_problem, make_problem, play
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from horde.graph.precision import adjacency as make_adjacency
from horde.graph.precision import identity, laplacian
from horde.posteriors.gmrf import gmrf
from horde.problem import Problem
from horde.random import draws


def means(posterior, problem):
    return np.array([posterior.mean(user).copy() for user in range(problem.n_users)])


def relative(found, exact):
    return np.linalg.norm(found - exact) / np.linalg.norm(exact)


@pytest.mark.parametrize("problem", [make_problem("communities"), learned_problem()])
def test_every_solver_reaches_the_exact_mean(problem):
    exact = play(Oracle(0.05, 0.7), problem)[0].means()
    many = play(gmrf(0.05, 0.7, solver="cg", iterations=200), problem)[0]
    assert relative(means(many, problem), exact) < 1e-8
    tight = play(gmrf(0.05, 0.7, solver="pcg", tolerance=1e-10), problem)[0]
    assert relative(means(tight, problem), exact) < 1e-7
    near = play(gmrf(0.05, 0.7, solver="local", tolerance=1e-8), problem)[0]
    assert relative(means(near, problem), exact) < 1e-6


def test_plain_cg_makes_the_steps_asked_for():
    problem = make_problem("communities")
    oracle, _ = play(Oracle(0.01, 1.0), problem, rounds=1)
    P = np.linalg.inv(oracle.covariance_)
    posterior, _ = play(gmrf(0.01, 1.0, solver="cg", iterations=3), problem, rounds=1)
    w, r = np.zeros(len(P)), oracle.rhs_.copy()
    p = r.copy()
    for _ in range(3):
        alpha = r @ r / (p @ P @ p)
        w, after = w + alpha * p, r - alpha * (P @ p)
        p, r = after + after @ after / (r @ r) * p, after
    np.testing.assert_allclose(means(posterior, problem).ravel(), w, atol=1e-10)


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("ratio", [1e-3, 0.1, 10.0])
def test_local_error_is_within_the_stated_bound(graph, ratio):
    problem = make_problem(graph)
    degrees = np.diff(problem.precision.indptr)
    _, labels = connected_components(problem.precision.to_scipy(), directed=False)
    smallest = np.array([degrees[labels == label].min() for label in labels])
    factors = np.where(degrees > 0, 2 * np.sqrt(degrees / np.maximum(smallest, 1)), 1)
    tolerance = 1e-2
    local = gmrf(ratio, 1.0, solver="local", tolerance=tolerance).start(problem)
    oracle = Oracle(ratio, 1.0).start(problem)
    largest = 0.0
    for t, (user, features, ratings) in enumerate(Game(problem)):
        for posterior in (local, oracle):
            posterior.observe(user, features[0], ratings[0])
        w = local.system_.w
        moved = w[w.any(axis=1)]
        if len(moved):
            largest = max(largest, np.sqrt((moved**2).sum(axis=1).mean()))
        if t % 100 == 0:
            errors = np.linalg.norm(w - oracle.means(), axis=1)
            assert (errors <= factors * tolerance * largest * (1 + 1e-9)).all()


@given(
    st.integers(2, 12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30),
    st.floats(-3, 3),
)
@settings(max_examples=25)
def test_blocks_lie_inside_the_schur_sandwich(n, edges, log_lam):
    edges = np.array([(i % n, j % n) for i, j in edges]).reshape(-1, 2)
    precision = laplacian(make_adjacency(edges, n))
    check_sandwich(Problem(n, 3, 40, draws("test", 0), precision), 10.0**log_lam)


def test_blocks_of_a_learned_prior_lie_inside_the_sandwich():
    check_sandwich(learned_problem(), 0.1)


def check_sandwich(problem, lam):
    posterior, _ = play(gmrf(lam, 1.0), problem)
    system = posterior.system_
    inverse = np.linalg.inv(lam * problem.precision.to_scipy().toarray())
    eye = np.eye(problem.n_features)
    for user in range(problem.n_users):
        factor = posterior.one_hop_.factor(user)
        middle = factor @ factor.T
        row = system.slot[user]
        data = system.slots.blocks[row] if row >= 0 else 0 * eye
        slack = 1e-5 * np.trace(middle)
        low = middle - data - eye / inverse[user, user]
        high = data + lam * problem.precision.diagonal[user] * eye - middle
        assert np.linalg.eigvalsh(low).min() > -slack
        assert np.linalg.eigvalsh(high).min() > -slack
        assert np.linalg.eigvalsh(middle).min() > 0


@pytest.mark.parametrize(
    ("graph", "bar"), [("hub", 0.02), ("communities", 0.01), ("complete", 0.01)]
)
@pytest.mark.parametrize("rounds", [0, 60, 2000])
def test_blocks_are_near_the_dense_inverse(graph, bar, rounds):
    problem = make_problem(graph)
    oracle, _ = play(Oracle(0.1, 1.0), problem, rounds)
    posterior, _ = play(gmrf(0.1, 1.0), problem, rounds)
    factors = [posterior.one_hop_.factor(user) for user in range(problem.n_users)]
    errors = [
        relative(np.linalg.inv(factor @ factor.T), oracle.marginal(user))
        for user, factor in enumerate(factors)
    ]
    # Without data the form is exact, but for the tolerance of (L^-1)_jj.
    assert max(errors) < (1e-3 if rounds == 0 else bar)


def test_widths_by_cg_solves_approach_the_exact_ones():
    problem = make_problem("communities")
    oracle, _ = play(Oracle(0.1, 1.0), problem)
    many = play(gmrf(0.1, 1.0, solver="cg", widths="cg", iterations=200), problem)[0]
    X = np.random.default_rng(0).normal(size=(6, 5))
    np.testing.assert_allclose(many.variances(7, X), oracle.variances(7, X), rtol=1e-8)


def test_a_large_lambda_averages_over_the_graph():
    problem = make_problem("communities")
    oracle, _ = play(Oracle(1.0, 1.0), problem)
    b = oracle.rhs_.reshape(problem.n_users, -1)
    limit = np.linalg.solve(problem.precision.to_scipy().toarray(), b)
    posterior, _ = play(gmrf(1e6, 1.0, solver="pcg", tolerance=1e-9), problem)
    assert relative(1e6 * means(posterior, problem), limit) < 1e-4


@pytest.mark.parametrize("solver", ["cg", "pcg", "local"])
def test_another_prior_gives_the_posterior_under_that_prior(solver):
    problem = make_problem("communities", n=40, d=4, rounds=500)
    other = learned_problem()
    posterior = gmrf(0.05, solver=solver, iterations=100, tolerance=1e-7).start(problem)
    X = np.eye(4)
    for user, features, ratings in list(Game(problem))[:200]:
        posterior.variances(user, X)
        posterior.observe(user, features[0], ratings[0])
    posterior.reset_prior(other.precision)
    exact = Oracle(0.05).start(other)
    for t, (user, features, ratings) in enumerate(Game(problem)):
        exact.observe(user, features[0], ratings[0])
        if t >= 200:
            posterior.observe(user, features[0], ratings[0])
    assert relative(means(posterior, problem), exact.means()) < 1e-4
    if solver != "cg":
        assert relative(posterior.variances(7, X), exact.variances(7, X)) < 1e-6


def test_only_observed_users_take_a_block():
    n = 100_000
    ring = np.column_stack([np.arange(n), (np.arange(n) + 1) % n])
    problem = Problem(n, 5, 10, draws("test", 0), laplacian(make_adjacency(ring, n)))
    posterior = gmrf(solver="local").start(problem)
    posterior.variances(3, np.eye(5))
    posterior.observe(3, np.ones(5), 1.0)
    assert len(posterior.system_.slots.blocks) <= 16
    assert np.count_nonzero(posterior.system_.w.any(axis=1)) < 100


@pytest.mark.parametrize("reward", [1e-158, 1e-160, 1e-161, 1e-162])
def test_plain_cg_stops_where_its_residual_is_too_small_to_be_squared(reward):
    problem = make_problem("communities")
    posterior = gmrf(1.0, 1.0, solver="cg", iterations=5).start(problem)
    for user in range(20):
        posterior.observe(user % 3, np.full(problem.n_features, 0.1), reward)
        assert np.isfinite(means(posterior, problem)).all()


@pytest.mark.parametrize("coupled", [True, False])
def test_cross_variances_are_the_traces_of_the_dense_inverse(coupled):
    problem = make_problem("communities", n=30, d=3, rounds=200)
    if not coupled:
        problem = replace(problem, precision=identity(30))
    posterior, seen = play(gmrf(0.3), problem)
    exact = Oracle(0.3).start(problem)
    learn(seen, exact)
    wanted = exact.covariance_.reshape(30, 3, 30, 3).trace(axis1=1, axis2=3)
    np.testing.assert_allclose(posterior.cross_variances(), wanted, atol=1e-6)
    # The approximation knows no directions: close where neighbours count for little.
    collapsed = 3 * np.linalg.inv(posterior.collapsed_precision().to_scipy().toarray())
    tolerance = 0.05 if coupled else 1e-9
    assert np.abs(collapsed - wanted).max() < tolerance * np.abs(wanted).max()


def test_without_data_the_collapsed_precision_is_exact():
    problem = make_problem("hub", n=20, d=3)
    posterior = gmrf(0.3).start(problem)
    prior = 0.3 * problem.precision.to_scipy().toarray()
    np.testing.assert_allclose(posterior.collapsed_precision().to_scipy().toarray(), prior)
    np.testing.assert_allclose(posterior.cross_variances(), 3 * np.linalg.inv(prior), atol=1e-6)
