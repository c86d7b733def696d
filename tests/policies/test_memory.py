import json
import subprocess
import sys
from dataclasses import replace

import pytest
from own_process import printed
from policy_suite import problem

from horde.errors import ConfigError
from horde.policies import registry
from horde.policies.memory import Size, predicted_bytes, require_fits, start

PAPER = {"solver": "cg", "sampler": "perturbation"}
DENSE = {"solver": "dense"}
PLACE = Size(n_users=400, n_features=60, n_edges=4000, n_rounds=300)
SMALL = Size(n_users=200, n_features=30, n_edges=400, n_rounds=12)

# Plays through every branch of a policy in a process of its own; prints the peak of its memory.
PLAY = """
import json, sys
import numpy as np
from horde import Problem, adjacency, draws, laplacian, make
from horde.machine import peak_bytes
from horde.policies.memory import start
policy, params, n, d, edges, rounds = json.loads(sys.argv[1])
rng = np.random.default_rng(0)
precision = laplacian(adjacency(rng.integers(n, size=(edges, 2)), n))
problem = Problem(n, d, rounds, draws("m", 0), precision)
learner = {START}
for t in range(rounds):
    user = int(rng.integers(n))
    offered = rng.standard_normal((5, d))
    learner.learn(user, offered[learner.choose(user, offered)], float(rng.standard_normal()))
print(peak_bytes())
"""
LIBRARY_START = "make(policy, **params).start(problem)"


@pytest.mark.parametrize(
    ("policy", "params", "size"),
    [
        ("LINUCB-IND", {}, PLACE),
        ("CLUB", {}, PLACE),
        ("G-EG", {"solver": "local"}, PLACE),
        ("G-TS", PAPER, replace(PLACE, n_rounds=50)),
        ("GOBLIN++", {}, SMALL),
        ("GOBLIN", DENSE, SMALL),
    ],
)
def test_a_policy_takes_no_more_than_predicted_and_not_much_less(policy, params, size):
    request = [policy, params, size.n_users, size.n_features, size.n_edges, size.n_rounds]
    peak = int(printed(PLAY.replace("{START}", LIBRARY_START), json.dumps(request)))
    predicted = predicted_bytes(policy, params, size)
    assert 0.4 * predicted < peak < predicted


def test_the_dense_inverse_takes_dn_squared_numbers():
    size = Size(n_users=2048, n_features=25, n_edges=10_000, n_rounds=1)
    assert predicted_bytes("GOBLIN", DENSE, size) == pytest.approx(8 * (2048 * 25) ** 2, rel=0.02)


def test_a_million_users_fit_where_solving_is_sparse():
    size = Size(n_users=1 << 20, n_features=25, n_edges=1 << 23, n_rounds=10_000)
    for policy in ("G-EG", "G-TS", "GOBLIN"):
        assert predicted_bytes(policy, {"solver": "local"}, size) < 6e9


def test_what_does_not_fit_is_refused_with_its_need_and_the_solver_that_fits(monkeypatch):
    monkeypatch.setattr("horde.machine.available_bytes", lambda: 6 * 10**9)
    lastfm = Size(n_users=1892, n_features=25, n_edges=12_717, n_rounds=50_000)
    message = r"18\.0 GB of memory.* 6\.0 GB: choose solver: local, which needs 0\.3 GB"
    with pytest.raises(ConfigError, match=message):
        require_fits("GOBLIN", DENSE, lastfm)
    for policy in registry.POLICIES:
        require_fits(policy, {}, lastfm)
    with pytest.raises(ConfigError, match=r"6\.0 GB: choose fewer users or features"):
        require_fits("L-EG", {"solver": "pcg"}, replace(lastfm, n_users=65_536))


@pytest.mark.parametrize("policy", registry.POLICIES)
def test_a_start_asks_for_memory_before_it_takes_any(monkeypatch, policy):
    small = problem(n_users=5, n_features=2)
    start(policy, {}, small)
    monkeypatch.setattr("horde.machine.available_bytes", lambda: 100)
    with pytest.raises(ConfigError, match=r"n = 5, d = 2.*this process can take"):
        start(policy, {}, small)


@pytest.mark.parametrize("library", [False, True])
def test_under_a_limit_of_the_shell_the_dense_inverse_is_refused(library):
    """Also where a policy is made and started without asking `start`."""
    code = PLAY.replace("{START}", LIBRARY_START if library else "start(policy, params, problem)")
    request = json.dumps(["GOBLIN", DENSE, 1892, 25, 12_717, 1])
    done = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -v 6000000; exec "$0" "$@"', sys.executable, "-c", code, request],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    last = done.stderr.splitlines()[-1]
    assert "ConfigError" in last
    assert "18.0 GB" in last
    assert "solver: local" in last
