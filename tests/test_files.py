"""Arrays are stored without pickle, and files are written whole or not at all."""

import numpy as np
import pytest

from horde import files
from horde.errors import DataError, OutputError


def test_objects_are_not_pickled_and_nothing_is_left(tmp_path):
    with pytest.raises(TypeError, match="Python objects"):
        files.save_arrays(tmp_path / "a.npz", objects=np.array([{}], dtype=object))
    assert list(tmp_path.iterdir()) == []


def test_pickled_objects_are_not_read(tmp_path):
    np.savez(tmp_path / "a.npz", objects=np.array([{}], dtype=object))
    with pytest.raises(DataError, match=r"a\.npz"):
        files.load_arrays(tmp_path / "a.npz")


@pytest.mark.parametrize("path", [".", "", "/"])
def test_a_path_without_a_file_s_name_is_refused(path):
    with pytest.raises(OutputError, match="names no file"):
        files.write_bytes(path, b"")
