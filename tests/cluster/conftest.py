"""A SLURM for the tests of this folder, and what they share; `make test-cluster` runs them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "workflow"))
SLURM = Path(__file__).parent / "slurm"


@pytest.fixture(scope="session")
def slurm():
    """A SLURM of one node, taken down at the end."""
    if os.geteuid() != 0:
        pytest.fail("only root can start a SLURM on this machine: sudo make test-cluster")
    try:
        subprocess.run([SLURM, "up"], check=True, timeout=600)
        yield
    finally:
        subprocess.run([SLURM, "down"], check=True, timeout=300)
