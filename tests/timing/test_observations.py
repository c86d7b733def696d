import numpy as np
import pytest

from horde.graph.precision import adjacency, laplacian
from horde.posteriors.dense import Dense
from horde.problem import Problem
from horde.random import draws, generator
from horde.simulation.synthetic import kronecker_environment, unit_contexts
from horde.timing.observations import observe_alike, place_observations


@pytest.mark.parametrize("n_contexts", [1, 2, 7])
def test_a_jump_equals_one_observation_after_the_other(n_contexts):
    n, d = 6, 3
    rng = generator("dense_start", 0, "test")
    precision = laplacian(adjacency([[0, 1], [1, 2], [2, 0], [3, 4]], n))
    problem = Problem(n, d, 100, draws("dense_start", 0), precision)
    contexts = unit_contexts(n_contexts, d, rng)
    ratings = rng.standard_normal((n, n_contexts))
    jumped = Dense(lam=0.1, sigma=0.7).start(problem)
    observe_alike(jumped, precision, contexts, ratings)
    stepped = Dense(lam=0.1, sigma=0.7).start(problem)
    for user in range(n):
        for x, reward in zip(contexts, ratings[user], strict=True):
            stepped.observe(user, x, reward)
    np.testing.assert_allclose(jumped.covariance_, stepped.covariance_, atol=1e-10)
    np.testing.assert_allclose(jumped.w_, stepped.w_, atol=1e-10)


def test_the_dense_inverse_gets_as_many_observations_at_once(environment):
    policy = environment.start("GOBLIN", {"lam": 0.1, "solver": "dense"})
    prior = policy.posterior.covariance_.copy()
    place_observations(policy, environment, 100)
    added = np.linalg.inv(policy.posterior.covariance_) - np.linalg.inv(prior)
    # Every context has norm 1: the trace of blockdiag(A) counts the observations, 2 a user.
    assert np.trace(added) == pytest.approx(128, rel=1e-6)


@pytest.mark.parametrize("policy", ["G-EG", "G-TS", "GOBLIN"])
def test_a_local_solver_that_corrects_once_is_as_exact_and_works_on_alike(policy):
    environment = kronecker_environment(n=256, d=4, density=0.03, rounds=900, offered=6, items=50)
    once, each, exact = (
        environment.start(policy, {"lam": 0.1, **solver})
        for solver in ({"solver": "local"}, {"solver": "local"}, {"solver": "dense"})
    )
    place_observations(once, environment, 600)
    each.choose(int(environment.stream.users[0]), environment.features[:1])
    stream, pushes = environment.stream, []
    for t in range(600):
        x = environment.features[stream.items[t, 0]]
        for other in (each, exact):
            other.learn(int(stream.users[t]), x, float(stream.rewards[t, 0]))
    w = exact.posterior.w_
    for found in (once, each):
        assert np.abs(found.posterior.system_.w - w).max() < 0.01 * np.abs(w).max()
    assert once.posterior.touched < each.posterior.touched / 2
    for found in (once, each):
        before = found.posterior.touched
        for t in range(600, 900):
            x = environment.features[stream.items[t, 0]]
            found.learn(int(stream.users[t]), x, float(stream.rewards[t, 0]))
        pushes.append(found.posterior.touched - before)
    assert pushes[0] == pytest.approx(pushes[1], rel=0.05)
