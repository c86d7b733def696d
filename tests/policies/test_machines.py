"""The same picks whatever the BLAS kernel, the number of threads, or the processor's features."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath

from horde.policies.registry import POLICIES

FOLDER = Path(__file__).parent

PROGRAM = """
from policy_suite import Rounds, play, problem
from horde.policies.registry import POLICIES, make
start = problem(n_features=12, n_rounds=300)
rounds = Rounds(start, n_offered=20)
for name in POLICIES:
    print(name, play(make(name).start(start), rounds))
"""


@cache
def picks(**environment):
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | environment,
        cwd=FOLDER,
        check=True,
        capture_output=True,
        text=True,
    )
    return process.stdout.splitlines()


@pytest.mark.parametrize(
    "environment",
    [
        {"OPENBLAS_NUM_THREADS": "4", "OMP_NUM_THREADS": "4", "NUMBA_NUM_THREADS": "4"},
        {
            "OPENBLAS_CORETYPE": "Prescott",
            "NPY_DISABLE_CPU_FEATURES": " ".join(_multiarray_umath.__cpu_dispatch__),
        },
        pytest.param(
            {"OPENBLAS_CORETYPE": "Sandybridge", "NUMBA_CPU_NAME": "generic"},
            marks=pytest.mark.slow,
        ),
    ],
    ids=["threads", "features", "generic code"],
)
def test_same_picks_on_other_machines(environment):
    assert picks(**environment) == picks()
    assert len(picks()) == len(POLICIES)
