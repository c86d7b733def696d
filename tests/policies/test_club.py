"""CLUB against a plain statement of its definition, and its random graph."""

from decimal import Decimal
from math import log, log10, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horde.graph.erdos_renyi import erdos_renyi
from horde.policies.club import club_bound
from horde.policies.registry import make
from horde.problem import Problem
from horde.random import draws

MISTAKES = ["aliased identity", "deleted edges return", "direct neighbours pooled", "log10"]


class PlainClub:
    """CLUB as it is defined, in plain Python; or with one of the mistakes of published copies."""

    def __init__(self, problem, lam, sigma, alpha, alpha2, lag=False, mistake=None):
        n, d = problem.n_users, problem.n_features
        pairs = erdos_renyi(n, 3 * log(n) / n, problem.draws("club_graph"))
        self.start = {frozenset(map(int, pair)) for pair in pairs}
        self.edges = set(self.start)
        self.A = [np.zeros((d, d)) for _ in range(n)]
        self.b = [np.zeros(d) for _ in range(n)]
        self.T = [0] * n
        self.lam, self.sigma, self.alpha, self.alpha2 = lam, sigma, alpha, alpha2
        self.mistake, self.lag = mistake, lag
        self.identity = lam * np.eye(d)

    def neighbours(self, i):
        return {j for edge in self.edges if i in edge for j in edge - {i}}

    def cluster(self, i):
        if self.mistake == "direct neighbours pooled":
            return {i} | self.neighbours(i)
        found, new = {i}, {i}
        while new:
            new = {k for j in new for k in self.neighbours(j)} - found
            found |= new
        return found

    def precision(self, users):
        aliased = self.mistake == "aliased identity"
        total = self.identity if aliased else self.identity.copy()
        for i in sorted(users):
            total += self.A[i] / self.sigma**2
        return total

    def estimate(self, users):
        return np.linalg.solve(self.precision(users), sum(self.b[i] for i in sorted(users)))

    def bound(self, T):
        logarithm = log10 if self.mistake == "log10" else log
        return sqrt((1 + logarithm(1 + T)) / (1 + T))

    def choose(self, i, features):
        users = self.cluster(i)
        w, P = self.estimate(users), self.precision(users)
        scores = np.array([x @ w + self.alpha * sqrt(x @ np.linalg.solve(P, x)) for x in features])
        return int(np.flatnonzero(scores >= scores.max() - 1e-6 * np.abs(scores).max())[0])

    def learn(self, i, x, r):
        if self.lag:
            self.delete_edges(i)
        self.A[i] += np.outer(x, x)
        self.b[i] += r * x / self.sigma**2
        self.T[i] += 1
        if not self.lag:
            self.delete_edges(i)

    def delete_edges(self, i):
        if self.mistake == "deleted edges return":
            self.edges |= {edge for edge in self.start if i in edge}
        w = self.estimate({i})
        for j in self.neighbours(i):
            gap = np.linalg.norm(w - self.estimate({j}))
            if gap > self.alpha2 * (self.bound(self.T[i]) + self.bound(self.T[j])):
                self.edges.remove(frozenset({i, j}))

    def partition(self):
        left, parts = set(range(len(self.T))), set()
        while left:
            parts.add(frozenset(self.cluster(min(left))))
            left -= self.cluster(min(left))
        return parts


def partition(club):
    labels = club.labels_
    return {frozenset(np.flatnonzero(labels == c).tolist()) for c in np.unique(labels)}


def community_rounds(problem, n_offered=5, seed=0):
    """Users (T,), features (T, K, d) and 0/1 rewards (T, K); users of a community agree."""
    rng = np.random.default_rng(seed)
    n, d, n_rounds = problem.n_users, problem.n_features, problem.n_rounds
    tastes = rng.normal(size=(3, d))
    users = rng.integers(n, size=n_rounds)
    features = rng.normal(size=(n_rounds, n_offered, d)) / sqrt(d)
    rewards = np.einsum("tkd,td->tk", features, tastes[users % 3]) > 0.5
    return users, features, rewards.astype(float)


HYPER = {"lam": 0.3, "sigma": 0.8, "alpha": 0.1}


@pytest.mark.parametrize("lag", [False, True])
@pytest.mark.parametrize("alpha2", [0.0, 0.4, 0.7, 10.0])
def test_clusters_and_picks_are_those_of_the_definition(alpha2, lag):
    problem = Problem(24, 3, 400, draws("club", 0))
    plain = PlainClub(problem, **HYPER, alpha2=alpha2, lag=lag)
    club = make("CLUB", **HYPER, alpha2=alpha2, lag=lag).start(problem)
    assert partition(club) == plain.partition()
    for i, features, rewards in zip(*community_rounds(problem), strict=True):
        row = club.choose(i, features)
        assert row == plain.choose(i, features)
        club.learn(i, features[row], rewards[row])
        plain.learn(i, features[row], rewards[row])
        assert partition(club) == plain.partition()
    assert len(partition(club)) == 1 if alpha2 == 10 else len(partition(club)) > 2


@pytest.mark.parametrize("mistake", MISTAKES)
def test_published_mistakes_would_be_noticed(mistake):
    """The statement with a mistake picks otherwise on these rounds, so that CLUB has none."""
    problem = Problem(24, 3, 400, draws("club", 0))
    rounds = community_rounds(problem)

    def picks(club):
        chosen = []
        for i, features, rewards in zip(*rounds, strict=True):
            chosen.append(club.choose(i, features))
            club.learn(i, features[chosen[-1]], rewards[chosen[-1]])
        return chosen

    right = picks(make("CLUB", **HYPER, alpha2=0.7).start(problem))
    assert picks(PlainClub(problem, **HYPER, alpha2=0.7)) == right
    assert picks(PlainClub(problem, **HYPER, alpha2=0.7, mistake=mistake)) != right


def test_a_cluster_left_without_data_is_at_its_prior_again():
    """Exactly: a remainder of a subtraction would decide picks where all scores tie."""
    problem = Problem(2, 3, 10, draws("club", 0))
    club = make("CLUB", alpha2=0.1, alpha=0.0).start(problem)
    rng = np.random.default_rng(0)
    while len(partition(club)) == 1:
        club.learn(0, rng.normal(size=3), 0.1)
    assert club.choose(1, rng.normal(size=(5, 3))) == 0
    assert (club.clusters_.mean[club.labels_[1]] == 0).all()


@pytest.mark.parametrize("count", [0, 1, 2, 26, 50_000])
def test_bound_to_nine_decimals(count):
    exact = ((1 + Decimal(1 + count).ln()) / (1 + count)).sqrt()
    assert club_bound(count) == float(round(exact, 9))


@settings(deadline=None)
@given(
    n=st.integers(0, 40), p=st.sampled_from([0.0, 0.01, 0.3, 0.9, 1.0, 1.5]), seed=st.integers(0, 9)
)
def test_random_graph_has_each_pair_at_most_once(n, p, seed):
    edges = erdos_renyi(n, p, np.random.default_rng(seed))
    assert (edges[:, 0] > edges[:, 1]).all()
    assert (edges >= 0).all()
    assert (edges < n).all()
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert p < 1 or len(edges) == n * (n - 1) // 2
    assert p > 0 or len(edges) == 0


def test_random_graph_holds_every_pair_with_the_same_probability():
    n, p, n_graphs = 12, 0.2, 4000
    rng = np.random.default_rng(3)
    counts = np.zeros((n, n))
    totals = []
    for _ in range(n_graphs):
        edges = erdos_renyi(n, p, rng)
        counts[edges[:, 0], edges[:, 1]] += 1
        totals.append(len(edges))
    shares = counts[np.tril_indices(n, -1)] / n_graphs
    assert (np.abs(shares - p) < 5 * sqrt(p * (1 - p) / n_graphs)).all()
    # Independent pairs: the number of edges has a binomial variance.
    assert np.var(totals) == pytest.approx(66 * p * (1 - p), rel=0.1)
