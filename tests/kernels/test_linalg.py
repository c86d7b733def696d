"""The dense d x d kernels against numpy."""

import numpy as np
import pytest

from horde.kernels import linalg, scores


@pytest.fixture(params=[1, 4, 5, 7, 25])
def spd(request):
    rng = np.random.default_rng(request.param)
    half = rng.normal(size=(request.param, request.param))
    return half @ half.T + np.eye(request.param)


def test_factor_solves_and_inverse(spd):
    d = len(spd)
    vector = np.arange(1.0, d + 1)
    lower = linalg.cholesky(spd)
    np.testing.assert_allclose(lower, np.linalg.cholesky(spd), atol=1e-12)
    np.testing.assert_allclose(lower.T @ linalg.solve_lower_transposed(lower, vector), vector)
    inverse = linalg.inverse_spd(spd)
    np.testing.assert_allclose(inverse, np.linalg.inv(spd), atol=1e-12)
    assert (inverse == inverse.T).all()


def test_rank_one_update_and_quadratic_forms(spd):
    d = len(spd)
    rng = np.random.default_rng(0)
    features = rng.normal(size=(7, d))
    inverse = np.linalg.inv(spd)
    np.testing.assert_allclose(
        linalg.quadratic_forms(inverse, features), np.sum(features @ inverse * features, axis=1)
    )
    whole = np.arange(7 * d).reshape(7, d) % 5 - 2
    lower = np.linalg.cholesky(np.linalg.inv(inverse))
    for kind in (np.int64, np.float32):
        np.testing.assert_allclose(
            linalg.inverse_quadratic_forms(lower, whole.astype(kind)),
            np.sum(whole @ inverse * whole, axis=1),
            rtol=1e-9,
        )
    linalg.downdate_inverse(inverse, features[0], 0.25)
    expected = np.linalg.inv(spd + np.outer(features[0], features[0]) / 0.25)
    np.testing.assert_allclose(inverse, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("values", "position"),
    [([1.0, 3.0, 2.0], 1), ([3.0 - 1e-7, 3.0], 0), ([3.0 - 1e-4, 3.0], 1), ([0.0, 0.0], 0)],
)
def test_ties_go_to_the_lowest_position(values, position):
    assert scores.pick(np.array(values)) == position
