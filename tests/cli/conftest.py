"""What the tests of the command line share."""

import pytest
from horde_command import horde


@pytest.fixture(scope="session")
def prepared(tmp_path_factory):
    """The file of the prepared Last.fm-like dataset of the tiny scale."""
    folder = tmp_path_factory.mktemp("prepared")
    assert horde("prepare", "--dataset", "lastfm", to=folder) == 0
    return folder / "data" / "lastfm" / "dataset.npz"
