import dataclasses

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from horde.data import dataset as datasets
from horde.data.dataset import Dataset
from horde.errors import DataError


def small():
    """Three users (the second likes nothing, the third everything), three items, one edge."""
    return Dataset(
        name="small",
        features=np.array([[0.5, 0.0], [0.0, 1.0], [0.25, -0.5]]),
        liked_indptr=np.array([0, 1, 1, 4]),
        liked_items=np.array([2, 0, 1, 2], dtype=np.int32),
        edges=np.array([[0, 2]], dtype=np.int32),
        provenance={"source": "a test"},
    )


def test_precision_of_the_friendships():
    precision = small().precision().to_scipy().toarray()
    np.testing.assert_allclose(precision, [[2, 0, -1], [0, 1, 0], [-1, 0, 2]])


def test_a_problem_has_the_weights_of_the_friendships():
    edges = np.array([[0, 1], [0, 2]], dtype=np.int32)
    weighted = dataclasses.replace(small(), edges=edges, edge_weights=np.array([3.0, 1.0]))
    L = weighted.problem(0, 10).precision.to_scipy().toarray()
    np.testing.assert_allclose(L[0], [2, -3 / np.sqrt(4 * 3), -1 / np.sqrt(4 * 1)])
    for graph in ("permuted", "rewired", "unnormalised"):
        L = weighted.problem(0, 10, graph).precision.to_scipy().toarray()
        assert np.ptp(L[L < 0]) > 0


def test_saved_and_loaded_is_the_same(tmp_path):
    path = tmp_path / "data set.npz"
    small().save(path)
    np.testing.assert_equal(vars(datasets.load(path)), vars(small()))
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"features": np.array([[np.nan, 0.0]] * 3)}, "finite"),
        ({"features": np.zeros((3, 0))}, "float64 table"),
        ({"features": np.zeros((2, 2))}, "liked item does not exist"),
        ({"liked_indptr": np.array([0])}, "no user"),
        ({"liked_indptr": np.array([0, 2, 1, 4])}, "does not fit"),
        ({"liked_indptr": np.array([0, 1, 1, 3])}, "does not fit"),
        ({"liked_items": np.array([2, 1, 1, 2], dtype=np.int32)}, "do not ascend"),
        ({"edges": np.array([[0, 3]], dtype=np.int32)}, "user who does not exist"),
        ({"edges": np.array([[-1, 2]], dtype=np.int32)}, "user who does not exist"),
        ({"edges": np.array([[1, 1]], dtype=np.int32)}, "i < j"),
        ({"edges": np.array([[0, 2], [0, 2]], dtype=np.int32)}, "do not ascend"),
    ],
)
def test_contradictions_are_refused(wrong, message):
    with pytest.raises(DataError, match=message):
        dataclasses.replace(small(), **wrong)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 10_000), flip=st.integers(0, 10_000))
def test_a_damaged_file_is_refused_or_read_as_it_was(tmp_path, cut, flip):
    path = tmp_path / "data.npz"
    path.unlink(missing_ok=True)
    with pytest.raises(DataError, match=r"data\.npz"):
        datasets.load(path)
    small().save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: cut % len(whole)])
    with pytest.raises(DataError, match=r"data\.npz"):
        datasets.load(path)
    flipped = bytearray(whole)
    flipped[flip % len(whole)] ^= 0x41
    path.write_bytes(flipped)
    try:
        again = datasets.load(path)
    except DataError:
        return
    np.testing.assert_equal(vars(again), vars(small()))
