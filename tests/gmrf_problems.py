"""The model stated densely, and small problems on graphs of every shape, for several tests."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from horde.graph.precision import Precision, adjacency, laplacian
from horde.problem import Problem
from horde.random import draws


class Oracle:
    """The posterior N(w, P^-1) of Section 3.2 with P^-1 as one dense matrix, for small problems.

    P = Phi^T Phi / sigma^2 + lambda L kron I_d and w = P^-1 Phi^T r / sigma^2, where the row of Phi
    that belongs to the rating of x by user i is e_i kron x.
    """

    def __init__(self, lam=0.01, sigma=1.0):
        self.lam, self.sigma = lam, sigma

    def start(self, problem):
        self.d = problem.n_features
        L = problem.precision.to_scipy().toarray()
        self.covariance_ = np.linalg.inv(self.lam * np.kron(L, np.eye(self.d)))
        self.rhs_ = np.zeros(len(self.covariance_))
        return self

    def observe(self, user, x, reward):
        """Add phi phi^T / sigma^2 to P, by Sherman-Morrison, and r phi / sigma^2 to the right."""
        phi = np.zeros(len(self.rhs_))
        phi[self._block(user)] = x
        u = self.covariance_ @ phi
        self.covariance_ -= np.outer(u, u / (self.sigma**2 + phi @ u))
        self.rhs_ += reward * phi / self.sigma**2

    def mean(self, user):
        return self.covariance_[self._block(user)] @ self.rhs_

    def means(self):
        return (self.covariance_ @ self.rhs_).reshape(-1, self.d)

    def marginal(self, user):
        """D_i = (P^-1)_ii."""
        return self.covariance_[self._block(user), self._block(user)]

    def variances(self, user, features):
        return np.einsum("kj,jl,kl->k", features, self.marginal(user), features)

    def sample(self, user, normal, scale):
        """w_i + sqrt(scale) C^-T z, C C^T = D_i^-1."""
        factor = np.linalg.cholesky(np.linalg.inv(self.marginal(user)))
        z = normal.standard_normal(self.d)
        return self.mean(user) + np.sqrt(scale) * np.linalg.solve(factor.T, z)

    def _block(self, user):
        return slice(user * self.d, (user + 1) * self.d)


def hub(n):
    """One user known by all, half of whom know each other in pairs."""
    return [(0, j) for j in range(1, n)] + [(j, j + 1) for j in range(1, n // 2, 2)]


def complete(n):
    return list(combinations(range(n), 2))


def components(n):
    """A ring, a path, a triangle and isolated users."""
    third = n // 3
    ring = [(j, (j + 1) % third) for j in range(third)]
    path = [(j, j + 1) for j in range(third, 2 * third - 1)]
    return [*ring, *path, *combinations(range(2 * third, 2 * third + 3), 2)]


def communities(n):
    """Two groups of random friendships, with two hubs between them."""
    rng = np.random.default_rng(n)
    pairs = [(i, j) for i, j in combinations(range(n), 2) if (i < n // 2) == (j < n // 2)]
    chosen = [pair for pair in pairs if rng.random() < 8 / n]
    return chosen + [(0, j) for j in range(n // 4, n)] + [(n - 1, j) for j in range(1, n // 2)]


GRAPHS = {"hub": hub, "complete": complete, "components": components, "communities": communities}


def make_problem(graph, n=60, d=5, rounds=2000):
    precision = laplacian(adjacency(np.array(GRAPHS[graph](n)), n))
    return Problem(n, d, rounds, draws("test", 0), precision)


def learned_problem(n=40, d=4):
    """A precision with couplings of both signs and a varying diagonal, as a learned graph has."""
    rng = np.random.default_rng(5)
    half = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.08)
    V = half @ half.T + np.diag(rng.uniform(0.3, 2.0, n))
    return Problem(n, d, 500, draws("test", 1), Precision.from_scipy(sparse.csr_matrix(V)))


class Game:
    """Users, offers of K contexts and ratings 0/1 by planted preferences, round by round."""

    def __init__(self, problem, n_offered=10, seed=0):
        rng = np.random.default_rng(seed)
        n, d, rounds = problem.n_users, problem.n_features, problem.n_rounds
        self.users = rng.integers(0, n, rounds).tolist()
        items = rng.normal(size=(300, d)) / np.sqrt(d) * rng.uniform(0.2, 1.0, (300, 1))
        self.items = items[rng.integers(0, 300, (rounds, n_offered))]
        tastes = rng.normal(size=d) + 0.5 * rng.normal(size=(n, d))
        chances = 1 / (1 + np.exp(-2 * np.einsum("tkd,td->tk", self.items, tastes[self.users])))
        self.ratings = (rng.random(chances.shape) < 0.5 * chances).astype(float)

    def __iter__(self):
        return zip(self.users, self.items, self.ratings, strict=True)


def learn(seen, *posteriors):
    """Let posteriors learn from the same (user, x, r)."""
    for observation in seen:
        for posterior in posteriors:
            posterior.observe(*observation)


# Of four users: who rates, a seed of the context, and the rating.
RATINGS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 1000), st.sampled_from([0.0, 1.0, -2.5])),
    max_size=40,
)


def assert_learns_alike(ratings, found, exact, rtol, shared=False):
    """From the same ratings: means, variances and samples; if shared, those of one user."""
    for user, seed, reward in ratings:
        x = np.random.default_rng(seed).normal(size=3)
        found.observe(user, x, reward)
        exact.observe(0 if shared else user, x, reward)
    features = np.random.default_rng(1).normal(size=(6, 3))
    for user in range(4):
        pairs = (found, user), (exact, 0 if shared else user)
        np.testing.assert_allclose(*(of.mean(i) for of, i in pairs), rtol=rtol, atol=rtol / 10)
        np.testing.assert_allclose(*(of.variances(i, features) for of, i in pairs), rtol=rtol)
        drawn = [of.sample(i, np.random.default_rng(user), 0.25) for of, i in pairs]
        np.testing.assert_allclose(*drawn, rtol=rtol, atol=rtol / 10)


def play(posterior, problem, rounds=None, n_offered=10, seed=0):
    """Let a posterior learn from random picks; return the posterior and (user, x, r) seen."""
    posterior.start(problem)
    rng = np.random.default_rng(seed + 1)
    seen = []
    for t, (user, features, ratings) in enumerate(Game(problem, n_offered, seed)):
        if t == rounds:
            break
        k = rng.integers(n_offered)
        posterior.observe(user, features[k], ratings[k])
        seen.append((user, features[k], ratings[k]))
    return posterior, seen
