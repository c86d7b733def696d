"""Large positive definite matrices against numpy, at sizes around those of the blocks."""

import numpy as np
import pytest

from horde.kernels import definite

BLOCK = definite.BLOCK


def spd(n, seed=0):
    half = np.random.default_rng(seed).normal(size=(n, n))
    return half @ half.T / n + 0.1 * np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 5, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 5 * BLOCK + 2])
def test_determinant_and_inverse(n):
    matrix = spd(n)
    factors, logdet = definite.factorise(matrix)
    assert logdet == pytest.approx(np.linalg.slogdet(matrix)[1], abs=1e-10)
    inverse = definite.inverse_from(factors, n)
    np.testing.assert_allclose(inverse @ matrix, np.eye(n), atol=1e-11)
    np.testing.assert_array_equal(inverse, inverse.T)
    np.testing.assert_array_equal(matrix, spd(n))


@pytest.mark.parametrize("n", [3, BLOCK + 3, 2 * BLOCK + 1])
@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize("value", [-1.0, 0.0, np.nan])
def test_what_is_not_positive_definite_has_no_determinant(n, place, value):
    matrix = np.eye(n)
    matrix[place, place] = value
    assert np.isnan(definite.factorise(matrix)[1])
    # All pivots but the last are positive.
    matrix = spd(n)
    matrix[-1, -1] -= 1.001 / np.linalg.inv(matrix)[-1, -1]
    assert np.isnan(definite.factorise(matrix)[1])


@pytest.mark.parametrize("n", [BLOCK + 1, 100, 3 * BLOCK])
@pytest.mark.parametrize("least", [1e-2, 1e-5, 1e-8])
def test_a_large_condition_number_costs_no_more_digits_than_it_must(n, least):
    """Of rank 8 but for a small multiple of the identity: the condition number is n / `least`."""
    half = np.random.default_rng(0).normal(size=(n, 8))
    matrix = half @ half.T + least * np.eye(n)
    factors, logdet = definite.factorise(matrix)
    # By the eigenvalues of an 8 x 8 matrix.
    known = np.linalg.slogdet(half.T @ half + least * np.eye(8))[1] + (n - 8) * np.log(least)
    lost = 1e-14 * n / least
    assert logdet == pytest.approx(known, abs=lost)
    inverse = definite.inverse_from(factors, n)
    np.testing.assert_allclose(inverse @ matrix, np.eye(n), atol=10 * lost)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("corner", [0, 8])
@pytest.mark.parametrize(("m", "q", "p"), [(4, 8, 4), (12, 4, 33), (40, 12, 40)])
def test_a_product_is_subtracted_from_a_part(m, q, p, corner, symmetric):
    rng = np.random.default_rng(m)
    A, B = rng.normal(size=(m, q)), rng.normal(size=(3 + q, 5 + p))
    found = rng.normal(size=(corner + m, corner + p))
    expected = found.copy()
    definite.subtract_product(found, corner, symmetric, A, B, 3, 5)
    expected[corner:, corner:] -= A @ B[3:, 5:]
    # A symmetric part counts on and above its diagonal.
    counts = np.ones((corner + m, corner + p), dtype=bool)
    counts[corner:, corner:] = np.triu(np.ones((m, p))) if symmetric else True
    np.testing.assert_allclose(found[counts], expected[counts], atol=1e-12)


@pytest.mark.parametrize("d", [1, 7])
def test_gram(d):
    rows = np.random.default_rng(d).normal(size=(9, d))
    np.testing.assert_allclose(definite.gram(rows), rows @ rows.T, atol=1e-14)
    np.testing.assert_array_equal(definite.gram(rows), definite.gram(rows).T)


def test_the_logarithm_of_a_product_of_any_size():
    assert definite.log_product(np.ones(3)) == 0.0
    values = np.exp(np.random.default_rng(0).normal(size=2000))
    assert definite.log_product(values) == pytest.approx(np.log(values).sum(), abs=1e-12)
    for value in (1e-300, 0.69, 0.7, 1.39, 1.41, 1e300):
        many = np.full(50, value)
        assert definite.log_product(many) == pytest.approx(50 * np.log(value), rel=1e-14)
