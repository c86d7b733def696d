"""What the tests of the workflow share."""

import pytest
from workflow_tree import fresh


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A clean checkout, without any result."""
    return fresh(tmp_path_factory.mktemp("workflow") / "tree")
