"""A small problem on a Kronecker graph."""

import pytest

from horde.simulation.synthetic import kronecker_environment


@pytest.fixture(scope="session")
def environment():
    return kronecker_environment(n=64, d=4, density=0.05, rounds=120, offered=6, items=50)
