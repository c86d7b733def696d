"""CLUB: online clustering of bandits (the baseline of Section 5.1)."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse.csgraph import connected_components

from horde.checks import require_not_negative, require_one_of, require_positive
from horde.graph.erdos_renyi import erdos_renyi
from horde.graph.precision import adjacency
from horde.kernels import club as kernels
from horde.kernels.linalg import quadratic_forms
from horde.kernels.rounds import play_club
from horde.kernels.scores import linear_scores, pick
from horde.policies.base import (
    DIGITS,
    Policy,
    Probabilities,
    certain,
    width_factor,
    width_factors,
)
from horde.posteriors.base import too_long
from horde.posteriors.ridge import Ridge, RidgeBlocks
from horde.problem import Problem, Rounds
from horde.random import Draws


def club_bound(count: int) -> float:
    """Return CB(T) = sqrt((1 + log(1 + T)) / (1 + T)), to nine decimals, for T observations."""
    return round(math.sqrt((1 + math.log(1 + count)) / (1 + count)), DIGITS)


@dataclass(eq=False)
class Club(Policy):
    """Cluster users by deleting edges between those who differ; one LINUCB per cluster.

    The graph starts as G(n, p) with p = 3 log n / n. An edge (i, j) is deleted for ever when
    ||w_i - w_j|| > alpha2 (CB(T_i) + CB(T_j)), where w_i is user i's own ridge estimate from T_i
    observations and CB(T) = sqrt((1 + log(1 + T)) / (1 + T)). A cluster is a connected component;
    it pools its members' observations over one prior lambda I. New users cannot join: their edges
    would join clusters that were split for good.

    Parameters
    ----------
    lam : float
        Prior precision lambda, positive.
    sigma : float
        Noise of a rating, sigma, positive; in rating units.
    alpha : float
        Discount of the confidence width, at least 0.
    alpha2 : float
        Factor alpha_2 on the bounds that an edge must exceed, at least 0.
    ucb_log : bool
        Whether alpha grows as sqrt(log(t + 1)), t the round counted from 1.
    lag : bool
        Whether a round tests edges with w_i and T_i from before its observation, as others read
        the original article's pseudocode, not from after it.
    """

    LEARNED = (
        *("round_", "users_", "clusters_", "counts_", "bounds_"),
        *("labels_", "degrees_", "neighbours_"),
    )

    lam: float = 0.01
    sigma: float = 1.0
    alpha: float = 0.01
    alpha2: float = 0.1
    ucb_log: bool = False
    lag: bool = False

    def start(self, problem: Problem) -> Self:
        """Draw the graph, and set every user and cluster to the prior."""
        require_positive(lam=self.lam, sigma=self.sigma)
        require_not_negative(alpha=self.alpha, alpha2=self.alpha2)
        require_one_of((True, False), ucb_log=self.ucb_log, lag=self.lag)
        n = problem.n_users
        self.users_ = Ridge(self.lam, self.sigma).start(problem)
        self.clusters_ = RidgeBlocks(problem.n_features, self.lam, self.sigma)
        self.counts_ = np.zeros(n, dtype=np.int64)
        self.bounds_ = np.full(n, club_bound(0))
        self.round_ = 0
        self._start_graph(n, problem.draws)
        # Working space of the kernel.
        self.marks_ = np.zeros(n, dtype=np.int8)
        self.queues_ = np.empty((2, n), dtype=np.int32)
        return self

    def choose(self, user: int, features: np.ndarray) -> int:
        """Return the row of the largest upper confidence bound under the cluster's estimate."""
        return pick(self.scores(user, features))

    def scores(self, user: int, features: np.ndarray) -> np.ndarray:
        """Return the upper confidence bound of each row of `features` (K, d), shape (K,)."""
        cluster = self.labels_[user]
        scores = linear_scores(features, self.clusters_.mean[cluster])
        if self.alpha == 0:
            return scores
        variances = quadratic_forms(self.clusters_.inverse[cluster], features)
        factor = width_factor(self.alpha, self.ucb_log, self.round_ + 1)
        return scores + factor * np.sqrt(variances)

    def probabilities(
        self, user: int, features: np.ndarray, n_samples: int = 1000
    ) -> Probabilities:
        """Return 1 for the row of the largest upper confidence bound, and 0 for the others."""
        return certain(self.scores(user, features))

    def learn(self, user: int, x: np.ndarray, reward: float) -> None:
        """Learn for the user and its cluster, and delete the user's edges that are too long."""
        self.round_ += 1
        if self.lag:
            self._delete_edges(user)
        self.users_.observe(user, x, reward)
        self.clusters_.observe(self.labels_[user], x, reward)
        self.counts_[user] += 1
        self.bounds_[user] = club_bound(int(self.counts_[user]))
        if not self.lag:
            self._delete_edges(user)

    def play(self, rounds: Rounds, picks: np.ndarray) -> None:
        """Play several rounds in compiled code; splits of clusters interrupt it."""
        rounds.require_usable(len(self.counts_), self.clusters_.mean.shape[1])
        if self.lag:
            return Policy.play(self, rounds, picks)
        users = self.users_.arrays(rounds.users)
        factors = width_factors(self.alpha, self.ucb_log, self.round_, len(picks))
        most = (self.counts_ + np.bincount(rounds.users, minlength=len(self.counts_))).max()
        table = np.array([club_bound(count) for count in range(most + 1)])
        shared = (self.counts_, self.bounds_, table), float(self.alpha2), self._graph()
        first = 0
        while first < len(picks):
            left = rounds.part(first, len(picks)), picks[first:], factors[first:]
            clusters = self.clusters_.arrays(self.labels_)
            played, part = play_club(*left, users, clusters, *shared)
            self.users_.played(users)
            self.round_ += played
            first += played
            if len(part) > 0:
                self._split(part)
                self._delete_edges(rounds.users[first - 1])
            elif first < len(picks):
                raise too_long(rounds.features[rounds.items[first, picks[first]]])

    def _start_graph(self, n_users: int, draws: Draws) -> None:
        probability = round(3 * math.log(n_users) / n_users, DIGITS)
        edges = erdos_renyi(n_users, probability, draws("club_graph"))
        graph = adjacency(edges, n_users)
        self.indptr_ = graph.indptr.astype(np.int64)
        self.degrees_ = np.diff(self.indptr_)
        self.neighbours_ = graph.indices.astype(np.int32)
        n_clusters, labels = connected_components(graph, directed=False)
        self.labels_ = labels + self.clusters_.used
        for _ in range(n_clusters):
            self.clusters_.open()

    def _delete_edges(self, user: int) -> None:
        means = self.users_.slots_, self.users_.blocks_.mean
        given = user, float(self.alpha2), *means, self.bounds_, *self._graph()
        while len(part := kernels.delete_until_split(*given)):
            self._split(part)

    def _graph(self) -> tuple[np.ndarray, ...]:
        """Return the graph, and working space, as the kernels take them."""
        return self.indptr_, self.degrees_, self.neighbours_, self.marks_, self.queues_

    def _split(self, part: np.ndarray) -> None:
        """Make a cluster of the users in `part`, and sum both halves of the old one afresh."""
        old, new = self.labels_[part[0]], self.clusters_.open()
        self.labels_[part] = new
        # Sums, not differences: what a cluster has not seen must stay exactly zero.
        for cluster in (old, new):
            self._pool(cluster)

    def _pool(self, cluster: int) -> None:
        # In the order of memory: reading the blocks takes most of the time of CLUB.
        slots = np.sort(self.users_.slots_[self.labels_ == cluster])
        gram, rhs = self.clusters_.gram[cluster], self.clusters_.rhs[cluster]
        gram[:] = 0.0
        rhs[:] = 0.0
        users = self.users_.blocks_
        kernels.add_blocks(slots[slots > 0], users.gram, users.rhs, gram, rhs)
        self.clusters_.recompute(cluster)
