"""The same picks and learned graph whatever BLAS kernel, threads, or processor's features."""

from functools import cache

import pytest
from numpy._core import _multiarray_umath
from own_process import printed

from horde.policies.registry import POLICIES

PROGRAM = """
import numpy as np
from horde.graph.glasso import solve_to_density
from horde.kernels.definite import gram
from horde.timing.glasso import problem as draw
means = np.round(draw(n=150, rank=8, signal=3.0)[0], 6)
S = gram(means) + np.eye(150)
learned = solve_to_density(S, 0.05, tolerance=1e-6, max_steps=50)
print(learned.precision.digest, learned.penalty, learned.gap, learned.residual, learned.steps)

from policy_suite import Rounds, play, problem
from horde.policies.registry import POLICIES, make
start = problem(n_features=12, n_rounds=300)
rounds = Rounds(start, n_offered=20)
for name in POLICIES:
    print(name, play(make(name).start(start), rounds))
"""


@cache
def output(**environment):
    return printed(PROGRAM, **environment).splitlines()


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
def test_same_digits_on_other_machines(environment):
    assert output(**environment) == output()
    # A line each, and one of the learned graph.
    assert len(output()) == 1 + len(POLICIES)
