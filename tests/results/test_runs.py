"""The file of a block of runs: what it gives back, and what it refuses."""

import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horde import files
from horde.errors import DataError
from horde.results import runs
from horde.simulation.loop import Curve

ROUNDS = np.array([10, 20, 50])


def curve(ratio):
    return Curve(ROUNDS, ratio * ROUNDS, 0.9 * ROUNDS)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "lastfm" / "CLUB" / "tuned" / "3-4.npz"
    runs.save(path, {3: curve(0.5), 4: curve(0.7)}, {3: {"V": np.eye(2)}, 4: {"V": np.ones(1)}})
    return path


@given(st.integers(0, 10**6), st.integers(1, 20))
def test_the_name_of_a_block_gives_back_its_seeds(first, number):
    seeds = list(range(first, first + number))
    assert runs.block_seeds(runs.block_name(seeds)) == seeds


def test_runs_survive_their_file(path):
    arrays = runs.load(path)
    assert arrays["seeds"].tolist() == [3, 4]
    np.testing.assert_array_equal(arrays["regret"], [0.5 * ROUNDS, 0.7 * ROUNDS])
    np.testing.assert_array_equal(arrays["random_regret"], [0.9 * ROUNDS] * 2)
    learned = runs.read_learned(path)
    np.testing.assert_array_equal(learned[3]["V"], np.eye(2))
    np.testing.assert_array_equal(learned[4]["V"], [1])


@pytest.mark.parametrize("place", ["3-5", "3", "4-5", "../paper/3-4", "../../G-EG/tuned/3-4"])
def test_a_file_in_the_place_of_another_is_refused(path, place):
    other = path.parent / f"{place}.npz"
    other.resolve().parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, other)
    with pytest.raises(DataError, match="does not hold the runs of its name"):
        runs.load(other.resolve())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"regret": np.array([[1.0, np.nan, 2.0]] * 2)}, "regret is not finite"),
        ({"regret": np.array([[1.0, 0.5, 2.0]] * 2)}, "regret falls"),
        ({"random_regret": np.ones((2, 2))}, "random_regret does not fit"),
        ({"rounds": ROUNDS[::-1].copy()}, "rounds do not ascend"),
        ({"rounds": ROUNDS * 1.0}, "rounds are not whole numbers"),
        ({"seeds": np.array([3, 5])}, "its seeds are"),
    ],
)
def test_what_is_no_curve_is_refused(path, changed, message):
    files.save_arrays(path, **(files.load_arrays(path) | changed))
    with pytest.raises(DataError, match=rf"3-4\.npz does not hold .*\({message}"):
        runs.load(path)


def test_other_arrays_and_missing_or_damaged_files_are_refused(path):
    content = path.read_bytes()
    for harm in (path.unlink, lambda: path.write_bytes(content[:100])):
        harm()
        with pytest.raises(DataError, match=r"3-4\.npz is missing or damaged"):
            runs.load(path)
    files.save_arrays(path, something=np.zeros(3))
    with pytest.raises(DataError, match="it lacks"):
        runs.load(path)
