"""The common suite over all policies, and twins and definitions of the choice rules."""

from dataclasses import replace

import numpy as np
import policy_suite
import pytest
from gmrf_problems import Oracle
from policy_suite import ROUNDS, START, Rounds, play, problem, started
from scipy.stats import norm

from horde.errors import ConfigError
from horde.graph.precision import identity
from horde.policies.registry import POLICIES, make
from horde.problem import Problem
from horde.random import draws


@pytest.mark.parametrize("check", policy_suite.SUITE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", POLICIES)
def test_common_suite(name, check):
    check(name)


VARIANTS = {
    # Estimates from round 45 on, with one after the last round at which a run is saved.
    "L-EG, often": (
        "L-EG",
        {"start_after": 2, "start_when": "minimum", "every": 12, "density": 0.3},
    ),
    "G-EG by plain CG": ("G-EG", {"solver": "cg"}),
    "G-EG by PCG": ("G-EG", {"solver": "pcg"}),
    "GOBLIN by its dense inverse": ("GOBLIN", {"solver": "dense"}),
    "G-TS by PCG": ("G-TS", {"solver": "pcg"}),
    "G-TS by plain CG, perturbed": ("G-TS", {"solver": "cg", "sampler": "perturbation"}),
    "G-TS by PCG, perturbed": ("G-TS", {"solver": "pcg", "sampler": "perturbation"}),
    "G-TS by pushes, perturbed": ("G-TS", {"solver": "local", "sampler": "perturbation"}),
}


@pytest.mark.parametrize(
    "check",
    [
        policy_suite.scores_and_probabilities_change_nothing,
        policy_suite.start_forgets,
        policy_suite.a_saved_run_goes_on_exactly,
        policy_suite.arguments_are_neither_changed_nor_kept,
        policy_suite.the_smallest_problems_work,
    ],
    ids=lambda check: check.__name__,
)
@pytest.mark.parametrize("variant", VARIANTS)
def test_common_suite_by_every_solver(monkeypatch, variant, check):
    name, params = VARIANTS[variant]
    fixed = POLICIES[name].fixed | params
    monkeypatch.setitem(POLICIES, variant, replace(POLICIES[name], fixed=fixed))
    check(variant)


@pytest.mark.parametrize("name", [name for name in POLICIES if POLICIES[name].needs_graph])
def test_a_graph_based_policy_refuses_a_problem_without_a_graph(name):
    with pytest.raises(ConfigError, match="graph"):
        make(name).start(Problem(3, 2, 10, draws("test", 0)))


@pytest.mark.parametrize(
    ("size", "wrong"),
    [("n_users", 0), ("n_features", 0), ("n_features", 2.0)]
    + [("n_rounds", wrong) for wrong in (-1, 2.5, 1e5)],
)
def test_impossible_sizes_are_refused(size, wrong):
    with pytest.raises(ConfigError, match=size):
        replace(START, **{size: wrong})


TWINS = [
    ("G-EG", "EG-IND", {"lam": 0.1}),
    ("G-EG", "EG-IND", {"lam": 3.0, "sigma": 0.5, "learn_from": "exploration"}),
    ("G-TS", "TS-IND", {"lam": 0.1, "scale": 0.1}),
    ("G-TS", "TS-IND", {"lam": 2.0, "sigma": 0.5}),
    ("GOBLIN", "LINUCB-IND", {"lam": 0.1, "alpha": 0.3}),
    ("GOBLIN", "LINUCB-IND", {"lam": 2.0, "sigma": 0.5, "ucb_log": True}),
]


@pytest.mark.parametrize(
    ("solver", "n_users", "n_rounds"),
    [
        *(("local", 20, 2000), ("pcg", 20, 2000), ("dense", 20, 2000)),
        pytest.param("local", 200, 50_000, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(("graph_based", "independent", "params"), TWINS)
def test_without_edges_graph_based_twins_pick_alike(
    graph_based, independent, params, solver, n_users, n_rounds
):
    start = Problem(n_users, 5, n_rounds, draws("twins", 1), identity(n_users))
    rounds = Rounds(start, n_offered=8)
    alone = play(make(independent, **params).start(start), rounds)
    assert play(make(graph_based, solver=solver, **params).start(start), rounds) == alone


def test_without_edges_goblin_plus_plus_picks_as_linucb():
    """Its plain CG is exact once it takes as many steps as there are eigenvalues."""
    start = Problem(6, 3, 150, draws("twins", 2), identity(6))
    rounds = Rounds(start)
    params = {"lam": 1.0, "alpha": 0.3}
    alone = play(make("LINUCB-IND", **params).start(start), rounds)
    assert play(make("GOBLIN++", iterations=100, **params).start(start), rounds) == alone


def best(scores):
    """The lowest row within 1e-6 of the largest absolute score of the best."""
    return int(np.flatnonzero(scores >= scores.max() - 1e-6 * np.abs(scores).max())[0])


def dense_ucb(model, user, features, t, rng, alpha, ucb_log=False):
    growth = np.sqrt(np.log(t + 1)) if ucb_log else 1.0
    widths = np.sqrt(model.variances(user, features))
    return best(features @ model.mean(user) + alpha * growth * widths)


def dense_epoch_greedy(model, user, features, t, rng):
    if t % 10 == 1:
        return int(rng.random() * len(features))
    return best(features @ model.mean(user))


def dense_thompson(model, user, features, t, rng, scale):
    return best(features @ model.sample(user, rng, scale))


DEFINITIONS = [
    ("LINUCB", dense_ucb, "exploration", {"alpha": 0.2}),
    ("LINUCB", dense_ucb, "exploration", {"alpha": 0.2, "ucb_log": True}),
    ("EG", dense_epoch_greedy, "exploration", {}),
    ("TS", dense_thompson, "posterior", {"scale": 0.2}),
]


@pytest.mark.parametrize("kind", ["IND", "SIN"])
@pytest.mark.parametrize(("rule", "choose", "purpose", "params"), DEFINITIONS)
def test_policies_pick_as_their_dense_definition_does(rule, choose, purpose, params, kind):
    start = problem(n_users=4, n_features=3, n_rounds=300, edges=np.empty((0, 2), dtype=int))
    rounds = Rounds(start)
    lam, sigma = 0.4, 0.7
    model = Oracle(lam, sigma).start(start)
    rng = start.draws(purpose)
    expected = []
    for t, user in enumerate(rounds.users):
        own = user if kind == "IND" else 0
        row = choose(model, own, rounds.features[t], t + 1, rng, **params)
        model.observe(own, rounds.features[t, row], rounds.rewards[t, row])
        expected.append(row)
    policy = make(f"{rule}-{kind}", lam=lam, sigma=sigma, **params).start(start)
    assert play(policy, rounds) == expected


@pytest.mark.parametrize("exploration", ["interleaved", "front", "sqrt"])
def test_epoch_greedy_is_uniform_in_the_rounds_of_its_schedule_only(exploration):
    policy = started("EG-IND", exploration=exploration, fraction=0.25)
    explored = []
    for t, user in enumerate(ROUNDS.users.tolist()):
        values, errors = policy.probabilities(user, ROUNDS.features[t])
        explored.append((values == 0.2).all())
        assert explored[t] or sorted(values) == [0, 0, 0, 0, 1]
        assert (errors == 0).all()
        play(policy, first=t, last=t + 1)
    expected = {
        "interleaved": list(range(0, 120, 4)),
        "front": list(range(30)),
        "sqrt": [0, 2, 4, 6, 9, 12, 15, 18, 21],
    }[exploration]
    assert np.flatnonzero(explored).tolist()[: len(expected)] == expected
    assert exploration == "sqrt" or sum(explored) == len(expected)


def test_thompsons_probabilities_and_errors_are_those_of_the_normal_law():
    """Of two items the first is the best with probability Phi(mean / deviation of the gap)."""
    start = problem(n_users=2, n_features=3, n_rounds=30)
    rounds = Rounds(start, n_offered=2)
    policy = make("TS-SIN", lam=0.5, scale=2.0).start(start)
    play(policy, rounds, last=20)
    state = policy.state()
    gram, rhs = state["posterior.blocks.gram"][1], state["posterior.blocks.rhs"][1]
    covariance = np.linalg.inv(gram + 0.5 * np.eye(3))
    misses = []
    for t in range(20, 30):
        gap = rounds.features[t, 0] - rounds.features[t, 1]
        wanted = norm.cdf(gap @ covariance @ rhs / np.sqrt(2.0 * gap @ covariance @ gap))
        values, errors = policy.probabilities(0, rounds.features[t], n_samples=4000)
        if 0.02 < wanted < 0.98:
            assert errors[0] == pytest.approx(np.sqrt(wanted * (1 - wanted) / 4000), rel=0.2)
        misses.append((values[0] - wanted) / errors[0])
        policy.choose(0, rounds.features[t])
    assert np.abs(misses).max() < 4
    assert 0.3 < np.std(misses) < 2


def test_thompsons_errors_are_positive_where_no_sample_chose_an_item():
    policy = started("TS-IND", lam=1.0, scale=1e-9)
    values, errors = policy.probabilities(0, np.array([[1.0, 0, 0, 0], [1.0, 0, 0, 0]]))
    assert values.tolist() == [1.0, 0.0]
    assert (errors > 0).all()
    for wrong in (0, 1.5):
        with pytest.raises(ConfigError, match="n_samples"):
            policy.probabilities(0, np.eye(4), n_samples=wrong)
