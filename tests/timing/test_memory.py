import json
import subprocess
import sys

import pytest

from horde.errors import ConfigError
from horde.machine import _group_limits, machine_bytes, peak_bytes
from horde.policies.memory import (
    Size,
    largest_users,
    predicted_bytes,
)

PAPER = {"solver": "cg", "sampler": "perturbation"}
DENSE = {"solver": "dense"}
PLACE = Size(n_users=400, n_features=60, n_edges=4000, n_rounds=300)
SMALL = Size(n_users=200, n_features=30, n_edges=400, n_rounds=12)

# Plays through every branch of a policy in a process of its own; prints the peak of its memory.
PLAY = """
import json, sys
import numpy as np
from horde.random import draws
from horde.graph.precision import adjacency, laplacian
from horde.machine import peak_bytes
from horde.policies import registry
from horde.problem import Problem
policy, settings, n, d, edges, rounds = json.loads(sys.argv[1])
rng = np.random.default_rng(0)
precision = laplacian(adjacency(rng.integers(n, size=(edges, 2)), n))
learner = registry.make(policy, **settings).start(Problem(n, d, rounds, draws("m", 0), precision))
for t in range(rounds):
    user = int(rng.integers(n))
    offered = rng.standard_normal((5, d))
    learner.learn(user, offered[learner.choose(user, offered)], float(rng.standard_normal()))
print(peak_bytes())
"""


@pytest.mark.parametrize(
    ("policy", "params", "size"),
    [
        ("LINUCB-IND", {}, PLACE),
        ("CLUB", {}, PLACE),
        ("G-EG", {"solver": "local"}, PLACE),
        ("G-TS", PAPER, PLACE),
        ("GOBLIN++", {}, SMALL),
        ("GOBLIN", DENSE, SMALL),
    ],
)
def test_a_policy_takes_no_more_than_predicted_and_not_much_less(policy, params, size):
    request = [policy, params, size.n_users, size.n_features, size.n_edges, size.n_rounds]
    done = subprocess.run(
        [sys.executable, "-c", PLAY, json.dumps(request)],
        capture_output=True,
        text=True,
        check=True,
    )
    predicted = predicted_bytes(policy, params, size)
    assert 0.4 * predicted < int(done.stdout) < predicted


def test_the_dense_inverse_takes_dn_squared_numbers():
    size = Size(n_users=2048, n_features=25, n_edges=10_000, n_rounds=1)
    assert predicted_bytes("GOBLIN", DENSE, size) == pytest.approx(8 * (2048 * 25) ** 2, rel=0.02)


def test_a_million_users_fit_where_solving_is_sparse():
    size = Size(n_users=1 << 20, n_features=25, n_edges=1 << 23, n_rounds=10_000)
    for policy in ("G-EG", "G-TS", "GOBLIN"):
        assert predicted_bytes(policy, {"solver": "local"}, size) < 6e9


def test_the_largest_number_of_users_just_fits():
    size = Size(n_users=0, n_features=25, n_edges=0, n_rounds=50_000)
    for policy, params in (("GOBLIN", DENSE), ("G-TS", PAPER), ("LINUCB-IND", {})):
        n = largest_users(policy, params, size, degree=16, budget=16e9)
        fits = Size(n, 25, 8 * n, 50_000)
        over = Size(n + 1, 25, 8 * (n + 1), 50_000)
        assert predicted_bytes(policy, params, fits) <= 16e9
        assert predicted_bytes(policy, params, over) > 16e9
    assert largest_users("GOBLIN", DENSE, size, degree=16, budget=1e6) == 0


def test_an_unknown_policy_is_refused():
    with pytest.raises(ConfigError, match="no policy"):
        predicted_bytes("LINUCB", {}, PLACE)


def test_the_machine_has_memory_and_this_process_holds_some_of_it():
    assert 10_000_000 < peak_bytes() < machine_bytes()


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("0::/job/step", "job/memory.max"),
        ("4:cpu,memory:/job/step", "memory/job/memory.limit_in_bytes"),
    ],
)
def test_a_limit_of_an_outer_control_group_counts(tmp_path, line, file):
    (tmp_path / "self").mkdir()
    (tmp_path / "self/cgroup").write_text(f"3:cpuset:/\n{line}\n")
    groups = tmp_path / "groups"
    (groups / file).parent.mkdir(parents=True)
    (groups / file).write_text("12345\n")
    inner = groups / file.replace("job/", "job/step/")
    inner.parent.mkdir()
    inner.write_text("max\n")
    assert _group_limits(tmp_path, groups) == [12345]


def test_without_control_groups_there_is_no_limit(tmp_path):
    assert _group_limits(tmp_path, tmp_path) == []
