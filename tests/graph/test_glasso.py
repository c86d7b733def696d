"""The graphical lasso against scikit-learn, its optimality conditions, and its edge cases."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.covariance import graphical_lasso

from horde.errors import ConfigError
from horde.graph import glasso
from horde.graph.precision import Precision, identity
from horde.kernels import glasso as kernels
from horde.timing.glasso import problem


def covariance(n, rank, seed):
    """Rank-`rank` plus identity, as in the application."""
    rng = np.random.default_rng(seed)
    means = (
        rng.normal(size=(rank, n)) + 2.0 * rng.normal(size=(rank, 4))[:, rng.integers(4, size=n)]
    )
    means -= means.mean(axis=1, keepdims=True)
    return means.T @ means / rank + np.eye(n)


# Near enough to the solution to be compared with another way there.
CLOSE = {"tolerance": 1e-8, "max_steps": 100}


def dense(precision):
    return precision.to_scipy().toarray()


def assert_same(found, expected):
    np.testing.assert_allclose(dense(found.precision), expected, atol=1e-4)


def distances(S, V, penalty, couplings):
    """Return the distance of 0 from the subgradient of each entry."""
    gradient = S - np.linalg.inv(V)
    found = np.where(V < 0, np.abs(gradient - penalty), np.maximum(gradient - penalty, 0))
    if couplings == "any":
        found = np.where(V > 0, np.abs(gradient + penalty), found)
        found = np.where(V == 0, np.maximum(found, -gradient - penalty), found)
    np.fill_diagonal(found, np.abs(np.diag(gradient)))
    return found


def objective(S, V, penalty):
    off = np.abs(V).sum() - np.trace(V)
    return np.sum(S * V) - np.linalg.slogdet(V)[1] + penalty * off


SIZES = (5, 20, 40, 60)


@pytest.mark.parametrize(
    "seed",
    # A large one of each size is enough for every day.
    [pytest.param(k, marks=[pytest.mark.slow] * (k > 3 and k % 4 > 1)) for k in range(20)],
)
def test_agrees_with_scikit_learn(seed):
    n = SIZES[seed % 4]
    S = covariance(n, rank=max(3, n // 2), seed=seed)
    penalty = (0.05, 0.15, 0.4)[seed % 3]
    _, expected = graphical_lasso(S, penalty, tol=1e-7, enet_tol=1e-8, max_iter=500)
    found = glasso.solve(S, penalty, **CLOSE)
    assert found.converged
    assert_same(found, expected)


@pytest.mark.parametrize("couplings", glasso.COUPLINGS)
def test_optimality_conditions(couplings):
    S, penalty = covariance(40, 6, 1), 0.3
    found = glasso.solve(S, penalty, couplings, **CLOSE)
    assert distances(S, dense(found.precision), penalty, couplings).max() < 5e-3
    assert found.residual < 1e-5
    assert (found.precision.weights < 0).any()
    assert (found.precision.weights > 0).any() == (couplings == "any")


@pytest.mark.slow
@pytest.mark.parametrize("couplings", glasso.COUPLINGS)
def test_optimality_at_the_size_of_the_real_graphs(couplings):
    """The residual, from V alone, and the distance from the minimum are as the docs state."""
    n = 1900
    means, _ = problem(n, 25, 0.3)
    S = means @ means.T + np.eye(n)
    penalty = glasso.screening_penalty(S, 0.05, couplings)
    found = glasso.solve(S, penalty, couplings)
    assert found.converged
    V = dense(found.precision)
    units = np.sqrt(np.outer(np.diag(S), np.diag(S)))
    off, ceiling = ~np.eye(n, dtype=bool), penalty if couplings == "any" else np.inf
    assert (distances(S, V, penalty, couplings) / units).max() < 0.06
    # A dual point, U = S - G with |G_ij| <= lambda_2 off the diagonal, nearest to a W further on.
    closer = glasso.solve(S, penalty, couplings, found.precision, tolerance=1e-6, max_steps=99)
    gradient = S - np.linalg.inv(dense(closer.precision))
    assert (np.abs(np.diag(gradient)) / np.diag(S)).max() < 0.02
    dual = S - np.where(off, np.clip(gradient, -ceiling, penalty), 0.0)
    sign, logdet = np.linalg.slogdet(dual)
    gap = (objective(S, V, penalty) - logdet - n) / n
    assert sign == 1
    assert -1e-6 < gap < 1.2e-3


def test_gap_bounds_the_distance_from_the_minimum():
    S, penalty = covariance(30, 5, 2), 0.4
    best = objective(
        S, dense(glasso.solve(S, penalty, tolerance=1e-10, max_steps=200).precision), penalty
    )
    for tolerance in (1e-1, 1e-2, 1e-3):
        found = glasso.solve(S, penalty, tolerance=tolerance, max_steps=100)
        excess = objective(S, dense(found.precision), penalty) - best
        assert -1e-5 <= excess <= 30 * found.gap + 1e-5
        assert found.gap <= tolerance


def test_a_warm_start_gives_the_same_solution_in_fewer_steps():
    S, penalty = covariance(40, 6, 3), 0.25
    start = glasso.solve(S, penalty, **CLOSE).precision
    near = S + 0.01 * covariance(40, 6, 4)
    warm = glasso.solve(near, penalty, start=start, **CLOSE)
    cold = glasso.solve(near, penalty, **CLOSE)
    assert_same(warm, dense(cold.precision))
    assert warm.steps < cold.steps


def test_an_attractive_solve_may_start_from_a_repulsive_precision():
    S, penalty = covariance(60, 20, 2), 0.05
    start = glasso.solve(S, penalty, **CLOSE).precision
    assert (start.weights > 0).any()
    warm = glasso.solve(S, penalty, "attractive", start=start, **CLOSE)
    assert_same(warm, dense(glasso.solve(S, penalty, "attractive", **CLOSE).precision))


@pytest.mark.parametrize(
    ("seed", "n", "rank", "share"), [(0, 200, 6, 0.05), (1, 120, 6, 0.2), (3, 200, 25, 0.05)]
)
def test_a_coupling_that_rounding_makes_repulsive_stops_no_attractive_solve(seed, n, rank, share):
    S = covariance(n, rank, seed)
    penalty = glasso.screening_penalty(S, share, "attractive")
    found = glasso.solve(S, penalty, "attractive", tolerance=1e-4, max_steps=30)
    assert found.converged
    assert (found.precision.weights < 0).all()


def test_the_way_to_a_first_estimate_changes_neither_it_nor_the_steps_allowed(monkeypatch):
    S = covariance(60, 8, 2)
    led = glasso.solve(S, 0.3, **CLOSE)
    empty = glasso.solve(S, 0.3, start=identity(60), **CLOSE)
    monkeypatch.setattr(glasso, "APPROACH", ())
    straight = glasso.solve(S, 0.3, **CLOSE)
    for found in (led, empty):
        assert_same(found, dense(straight.precision))
    assert led.steps == empty.steps != straight.steps
    monkeypatch.undo()
    assert glasso.solve(S, 0.3, max_steps=3).steps == 3


@pytest.mark.parametrize("couplings", glasso.COUPLINGS)
def test_a_start_at_the_solution_stays_there(couplings):
    # One digit below what all users have in common: they hang together, but no edge pays.
    S = np.full((50, 50), 0.0125)
    np.fill_diagonal(S, 1.0)
    found = glasso.solve(S, np.nextafter(0.0125, 0.0), couplings, identity(50))
    assert found.converged
    assert found.precision.n_edges == 0
    np.testing.assert_allclose(found.precision.diagonal, 1.0)


def test_separate_groups_are_solved_as_one_whole_would_be():
    S = np.zeros((31, 31))
    S[:12, :12], S[12:30, 12:30], S[30, 30] = covariance(12, 4, 5), covariance(18, 6, 6), 2.0
    order = np.random.default_rng(0).permutation(31)
    S = np.ascontiguousarray(S[np.ix_(order, order)])
    _, expected = graphical_lasso(S, 0.2, tol=1e-7, enet_tol=1e-8, max_iter=500)
    found = glasso.solve(S, 0.2, **CLOSE)
    assert_same(found, expected)
    assert dense(found.precision)[order == 30, order == 30] == 0.5


@pytest.mark.parametrize("S", [[[2.0, 0.4], [0.4, 1.0]], [[4.0]]], ids=["two users", "one user"])
@pytest.mark.parametrize("penalty", [0.5, 2.0])
def test_a_penalty_above_every_covariance_leaves_no_edge(S, penalty):
    found = glasso.solve(np.array(S), penalty)
    np.testing.assert_array_equal(dense(found.precision), np.diag(1 / np.diag(S)))
    assert (found.converged, found.gap, found.density) == (True, 0.0, 0.0)


def test_out_of_steps_the_last_feasible_precision_is_returned_and_flagged():
    found = glasso.solve(covariance(60, 8, 2), 0.1, max_steps=1)
    assert not found.converged
    assert found.steps == 1
    assert np.linalg.eigvalsh(dense(found.precision))[0] > 0


@pytest.mark.parametrize("couplings", glasso.COUPLINGS)
def test_penalty_is_found_for_a_density(couplings):
    S = covariance(90, 10, 7)
    found = glasso.solve_to_density(S, 0.05, couplings)
    assert found.density == pytest.approx(0.05, rel=0.05)
    again = glasso.solve(S, found.penalty, couplings)
    assert again.density == pytest.approx(0.05, rel=0.1)


def test_a_small_problem_may_become_denser_than_screening_leaves_it():
    """All pairs pass screening at the smallest |S_ij|; more edges need a smaller penalty."""
    S = covariance(8, 10, 7)
    smallest = np.abs(S[np.triu_indices(8, 1)]).min()
    assert glasso.screening_penalty(S, 1.0) == smallest
    assert glasso.screening_penalty(S, 1.1) == 0.0
    found = glasso.solve_to_density(S, 1.0)
    assert found.penalty < smallest
    assert found.density == pytest.approx(1.0, rel=0.05)


def test_a_density_that_is_jumped_over_is_approached_from_below():
    means = np.array([[1.0, 1.0, 1.0, -1.0, -1.0, -1.0]])
    found = glasso.solve_to_density(means.T @ means + np.eye(6), 0.05)
    assert found.density <= 0.05


def test_users_who_are_all_alike_do_not_enter_the_search_together():
    """Half of the users have no reward yet: the same mean, hence pairs that enter at once."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(60, 5)) + 2.0
    means[30:] = 0.0
    means -= means.mean(axis=0)
    S = means @ means.T / 5 + np.eye(60)
    target = 0.1
    found = glasso.solve_to_density(S, target, "attractive")
    free = (np.triu(S, 1) > found.penalty).sum()
    assert free <= glasso.CROWDED * target * 60 * 59 / 2
    assert 0 < found.density <= 1.03 * target


def test_no_penalty_where_users_have_nothing_in_common():
    assert glasso.solve_to_density(np.diag([1.0, 2.0, 3.0]), 0.05) is None
    assert glasso.solve_to_density(np.array([[2.0]]), 0.05) is None


def test_entries_are_rounded_alike_whatever_their_last_digits():
    V = dense(glasso.solve(covariance(30, 4, 8), 0.1).precision)
    noise = 1 + 1e-13 * np.random.default_rng(0).normal(size=V.shape)
    np.testing.assert_array_equal(glasso._rounded(sparse.csr_matrix(V * noise)).toarray(), V)


def test_inverse_refuses_what_is_not_positive_definite():
    np.testing.assert_array_equal(glasso.inverse(identity(3)), np.eye(3))
    indefinite = Precision.from_scipy(sparse.csr_matrix([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(ValueError, match="positive definite"):
        glasso.inverse(indefinite)
    with pytest.raises(ValueError, match="positive definite"):
        glasso.solve(np.array([[1.0, 0.9], [0.9, 1.0]]), 0.1, start=indefinite)


GOOD = covariance(6, 3, 0)


def spoilt(row, column, value):
    S = GOOD.copy()
    S[row, column] = value
    return S


NO_COVARIANCES = {
    "zero variance": spoilt(2, 2, 0.0),
    "negative variance": spoilt(2, 2, -1.0),
    "NaN": spoilt(1, 3, np.nan),
    "infinity": spoilt(1, 3, np.inf),
    "not symmetric": spoilt(1, 3, GOOD[1, 3] + 0.01),
    "no users": np.zeros((0, 0)),
    "not square": GOOD[:, :5],
    "a vector": GOOD[0],
    "complex": GOOD + 0j,
    "texts": GOOD.astype(str),
    "nothing": None,
}


@pytest.mark.parametrize("what", NO_COVARIANCES)
@pytest.mark.parametrize("solve", [glasso.solve, glasso.solve_to_density])
def test_what_is_no_covariance_is_refused(solve, what):
    with pytest.raises(ValueError, match=r"^S "):
        solve(NO_COVARIANCES[what], 0.1)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"penalty": value} for value in (0.0, -0.1, np.nan, np.inf, None)),
        {"couplings": "repulsive"},
        {"tolerance": 0.0},
        *({"max_steps": value} for value in (0, 1.5)),
    ],
    ids=str,
)
def test_arguments_out_of_range_are_refused(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        glasso.solve(GOOD, **({"penalty": 0.1} | wrong))


@pytest.mark.parametrize("convert", [np.ndarray.tolist, np.float32, lambda S: S.astype(int)])
def test_other_types_of_real_numbers_give_the_solution_of_float64(convert):
    S = convert(np.rint(8 * GOOD))
    expected = glasso.solve(np.array(S, dtype=np.float64), 0.5)
    np.testing.assert_array_equal(dense(glasso.solve(S, 0.5).precision), dense(expected.precision))


@pytest.mark.parametrize(
    ("start", "fault"), [(np.eye(6), "is ndarray"), (identity(5), "has 5 users, and S 6")]
)
def test_a_start_that_is_no_precision_or_of_another_size_is_refused(start, fault):
    with pytest.raises(ValueError, match=f"start {fault}"):
        glasso.solve(GOOD, 0.1, start=start)


@pytest.mark.parametrize("couplings", glasso.COUPLINGS)
@pytest.mark.parametrize("seed", range(2))
def test_a_looser_tolerance_takes_the_same_way_and_ends_no_later(seed, couplings):
    S = covariance(40, 5, seed)
    penalty = glasso.screening_penalty(S, 0.2, couplings)
    steps = [
        glasso.solve(S, penalty, couplings, tolerance=tolerance, max_steps=200).steps
        for tolerance in (1e-1, 1e-2, 1e-3, 1e-4, 1e-6)
    ]
    assert steps == sorted(steps)
    for few in (2, 6, 11):
        ends = [
            glasso.solve(S, penalty, couplings, tolerance=tolerance, max_steps=few).converged
            for tolerance in (1e-1, 1e-2, 1e-3, 1e-4)
        ]
        assert ends == sorted(ends, reverse=True)


def test_sweeps_end_at_the_newton_direction_of_a_dense_solve():
    n, rng = 12, np.random.default_rng(0)
    S = covariance(n, 4, 0)
    W = np.ascontiguousarray(S + 0.1 * np.cov(rng.normal(size=(n, 40))))
    X = np.linalg.inv(W)
    linked = np.triu(rng.random((n, n)) < 0.4) | np.eye(n, dtype=bool)
    indptr = np.concatenate([[0], linked.sum(axis=1).cumsum()])
    rows, columns = np.nonzero(linked)
    entries = (indptr, columns.astype(np.int32), S[rows, columns], X[rows, columns])
    step, U, bent = np.zeros(len(rows)), np.zeros((n, n)), np.zeros(n)
    for _ in range(2000):
        kernels.sweep(W, U, bent, *entries, step, 1e-300, 1e-300, 0.0)
    # Stationary: W D W = W - S on the entries listed.
    basis = np.zeros((len(rows), n, n))
    basis[np.arange(len(rows)), rows, columns] = basis[np.arange(len(rows)), columns, rows] = 1
    curvature = np.einsum("pij,qij->pq", basis, W @ basis @ W)
    expected = np.linalg.solve(curvature, np.einsum("pij,ij->p", basis, W - S))
    np.testing.assert_allclose(step, expected, atol=1e-8)
    D = np.einsum("p,pij->ij", step, basis)
    np.testing.assert_allclose(U, D @ W, atol=1e-10)
    np.testing.assert_allclose(bent, np.diag(W @ D @ W), atol=1e-8)


def test_a_sweep_leaves_out_moves_that_yield_too_little():
    """All but those that make an entry zero, which would else stay an edge."""
    n, penalty = 12, 0.3
    S = covariance(n, 4, 0)
    X = np.linalg.inv(S + 0.1 * np.eye(n))
    W = np.linalg.inv(X)
    rows, columns = np.triu_indices(n)
    indptr = np.concatenate([[0], np.arange(n, 0, -1).cumsum()])
    x = X[rows, columns]
    entries = (indptr, columns.astype(np.int32), S[rows, columns], x)
    ends = []
    for least in (0.0, np.inf):
        step = np.zeros(len(rows))
        kernels.sweep(W, np.zeros((n, n)), np.zeros(n), *entries, step, penalty, penalty, least)
        ends.append((x + step)[rows != columns])
    x = x[rows != columns]
    every, few = ends
    assert ((every != x) & (every != 0.0)).any()
    assert (few == 0.0).any()
    assert ((few == x) | (few == 0.0)).all()


@pytest.mark.parametrize("couplings", glasso.COUPLINGS)
def test_what_all_users_share_does_not_slow_the_steps(couplings):
    """The inverse has one eigenvalue far above the others, as with users of a common taste."""
    S = covariance(80, 6, 0)
    penalty = glasso.screening_penalty(S, 0.2)
    assert glasso.solve(S + 100.0, penalty, couplings, max_steps=20).converged


@pytest.mark.parametrize("couplings", glasso.COUPLINGS)
def test_the_gap_stays_a_bound_where_users_share_nearly_all(couplings):
    """The condition number of S is 4e8: rounding must not pass for a gap."""
    rows = np.random.default_rng(5).normal(size=(400, 100))
    S = rows.T @ rows / 400 + 1e6
    found = glasso.solve(S, 0.2, couplings, tolerance=1e-6, max_steps=60)
    assert found.converged
    assert 0.0 < found.gap <= 1e-6


@pytest.mark.parametrize("couplings", glasso.COUPLINGS)
def test_the_dual_point_is_feasible_and_its_gap_is_of_second_order(couplings):
    """Near the solution: at a tenth of the distance the gap is about a hundredth."""
    S, penalty = covariance(30, 6, 1), 0.3
    ceiling = penalty if couplings == "any" else np.inf
    solution = dense(glasso.solve(S, penalty, couplings, tolerance=1e-10, max_steps=100).precision)
    noise = np.random.default_rng(0).normal(size=S.shape)
    noise = (noise + noise.T) * (solution != 0.0)
    gaps = []
    for distance in (1e-2, 1e-3):
        X = solution * (1.0 + distance * noise)
        point = kernels.dual_point(S, np.linalg.inv(X), X, penalty, ceiling)
        np.testing.assert_array_equal(np.diag(point), np.diag(S))
        assert (point - S).min() >= -penalty - 1e-12
        assert (point - S).max() <= ceiling + 1e-12
        gaps.append(objective(S, X, penalty) - np.linalg.slogdet(point)[1] - len(S))
    # Rounding of the solution leaves a distance of its own.
    assert 0.0 < gaps[1] < gaps[0] / 40


@pytest.mark.parametrize("couplings", glasso.COUPLINGS)
def test_the_gap_never_rises_with_more_steps(couplings):
    S = covariance(50, 8, 3)
    penalty = glasso.screening_penalty(S, 0.3, couplings)
    gaps = [
        glasso.solve(S, penalty, couplings, tolerance=1e-12, max_steps=steps).gap
        for steps in range(len(glasso.APPROACH) + 1, 20)
    ]
    assert gaps == sorted(gaps, reverse=True)


def test_the_gap_is_asked_of_the_mean_over_all_users():
    """A small group may be further from its solution where the others are at theirs."""
    group = covariance(12, 8, 1)
    S = np.zeros((60, 60))
    S[:12, :12], S[12:, 12:] = group, np.eye(48)
    found, alone = glasso.solve(S, 0.1), glasso.solve(group, 0.1)
    assert found.converged
    assert found.gap <= 1e-3
    assert found.steps < alone.steps
    np.testing.assert_allclose(
        found.gap, glasso.solve(group, 0.1, max_steps=found.steps).gap * 12 / 60
    )


def test_a_problem_near_which_loose_directions_stall_converges_at_every_tolerance():
    S = covariance(40, 20, 1)
    for tolerance in (1e-1, 1e-2, 1e-3, 1e-5, 1e-8):
        assert glasso.solve(S, 0.02, tolerance=tolerance, max_steps=40).converged
