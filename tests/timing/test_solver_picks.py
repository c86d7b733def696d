"""The solvers at their default tolerances pick as the dense oracle, along its trajectory."""

import numpy as np
import pytest
from gmrf_problems import GRAPHS, Game, Oracle, make_problem

from horde.kernels.scores import TIE, linear_scores, pick, pick_linear
from horde.posteriors.gmrf import gmrf

SIGMA = 0.5
ALPHA = 0.3
SCALE = 0.05


def is_best(scores, row):
    """Whether the row ties with the best of the oracle's scores."""
    return scores[row] >= scores.max() - 2 * TIE * np.abs(scores).max()


def all_scores(posterior, user, features, t):
    """Scores of greedy, upper-confidence and Thompson choices, with the same normals for all."""
    w = posterior.mean(user).copy()
    greedy = linear_scores(features, w)
    upper = greedy + ALPHA * np.sqrt(posterior.variances(user, features))
    sampled = posterior.sample(user, np.random.default_rng(t), SCALE)
    return greedy, upper, linear_scores(features, sampled)


def agreement(problem, ratio, solvers, checked=1.0):
    """Shares of the oracle's picks that each solver repeats: by greedy, upper and Thompson."""
    lam = ratio / SIGMA**2
    oracle = Oracle(lam, SIGMA).start(problem)
    others = [gmrf(lam, SIGMA, solver=solver).start(problem) for solver in solvers]
    rng = np.random.default_rng(9)
    same = []
    for t, (user, features, ratings) in enumerate(Game(problem)):
        row = pick_linear(features, oracle.mean(user))
        if rng.random() < checked:
            truth = all_scores(oracle, user, features, t)
            found = [all_scores(other, user, features, t) for other in others]
            same.append(
                [[is_best(a, pick(b)) for a, b in zip(truth, one, strict=True)] for one in found]
            )
            row = pick(truth[t % 3])
        for posterior in (oracle, *others):
            posterior.observe(user, features[row], ratings[row])
    return np.mean(same, axis=0)


@pytest.mark.parametrize("ratio", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("graph", GRAPHS)
def test_picks_on_every_graph_at_every_strength(graph, ratio):
    shares = agreement(make_problem(graph, rounds=1000), ratio, ("local", "pcg"))
    assert shares.min() >= 0.999, shares


@pytest.mark.slow
@pytest.mark.parametrize(("graph", "ratio"), [("hub", 0.01), ("communities", 0.1), ("complete", 1)])
def test_picks_on_larger_problems(graph, ratio):
    problem = make_problem(graph, n=200, d=10, rounds=5000)
    shares = agreement(problem, ratio, ("local", "pcg"), checked=0.4)
    assert shares.min() >= 0.999, shares
