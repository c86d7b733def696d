"""Threads can be set at any time, before and after numba is loaded."""

from pathlib import Path

import pytest
import threadpoolctl
from own_process import printed

from horde import machine

PINNED_AFTER_A_COMPILATION = """
import os
import numba
from horde import machine

@numba.njit
def one():
    return 1

@numba.njit
def two():
    return 2

numba.set_num_threads(2)  # Starts numba's threads, whose number is settled from then on.
assert one() == 1
machine.pin(1)
assert two() == 2
print(numba.get_num_threads(), os.environ.get("NUMBA_NUM_THREADS"), os.environ["OMP_NUM_THREADS"])
"""
PINNED_BEFORE = """
from horde import machine
machine.pin(1)
import numba
print(numba.get_num_threads(), numba.config.NUMBA_NUM_THREADS)
"""


# As a measuring job is: it reserves all cores, and has the rounds timed in a process of its own.
JOB = """
import subprocess, sys
from types import SimpleNamespace
import numpy
from horde import machine
sys.path.insert(0, sys.argv[1])
from job import job

given = SimpleNamespace(threads=8, params={}, wildcards={}, input=[], log=["logs/a.log"])
asked = "import numpy; from horde.machine import pools; print([p['num_threads'] for p in pools()])"
with job(given):
    print([pool["num_threads"] for pool in machine.pools()], flush=True)
    subprocess.run([sys.executable, "-c", asked], check=True)
"""


def test_a_job_and_its_children_compute_with_one_thread_whatever_it_reserves(tmp_path, monkeypatch):
    for name in machine.VARIABLES:
        monkeypatch.setenv(name, "2")
    scripts = Path(__file__).parents[1] / "workflow" / "scripts"
    assert printed(JOB, scripts, folder=tmp_path) == "[1]\n[1]\n"


@pytest.mark.parametrize(
    ("code", "expected"), [(PINNED_AFTER_A_COMPILATION, "1 2 1"), (PINNED_BEFORE, "1 1")]
)
def test_numba_compiles_whenever_the_threads_are_pinned(code, expected, monkeypatch):
    if code is PINNED_BEFORE:
        monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("NUMBA_NUM_THREADS", "2")
    assert printed(code) == f"{expected}\n"


def test_the_pools_of_a_record_come_in_one_order(monkeypatch):
    found = [
        {"internal_api": "openblas", "version": version, "num_threads": 1, "filepath": path}
        for version, path in (("0.3.31", "/a"), ("0.3.30", "/b"), ("0.3.30", "/c"))
    ]
    monkeypatch.setattr(threadpoolctl, "threadpool_info", lambda: found)
    pools = machine.pools()
    found.reverse()
    assert machine.pools() == pools
    assert [pool["version"] for pool in pools] == ["0.3.30", "0.3.30", "0.3.31"]
    assert "filepath" not in pools[0]


def test_kernels_are_compiled_whatever_a_debugger_has_set():
    code = (
        "from horde import machine; machine.pin(1); import numba; print(numba.config.DISABLE_JIT)"
    )
    assert printed(code, NUMBA_DISABLE_JIT="1") == "0\n"
