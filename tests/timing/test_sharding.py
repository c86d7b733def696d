"""What crosses shards is counted right, and late messages lose nothing but time."""

import sys

import numpy as np
import pytest

from horde.errors import ConfigError
from horde.graph.precision import adjacency, laplacian
from horde.simulation.synthetic import kronecker_environment
from horde.timing import sharding

PARAMS = {"lam": 0.1}
NETWORK = sharding.Network(latency=1e-3, bandwidth=1e6)


@pytest.fixture(scope="module")
def environment():
    return kronecker_environment(n=64, d=3, density=0.06, rounds=300, offered=5, items=40)


def count(environment, cuts):
    table = sharding.traffic(environment, PARAMS, cuts, 200, NETWORK, print)
    return table.set_index(["cut", "shards"])


def test_one_shard_sends_nothing_and_single_users_send_every_update(environment):
    alone = np.arange(64)
    cuts = {("one", 1): np.zeros(64, int), ("alone", 64): alone, ("two", 2): alone % 2}
    table = count(environment, cuts)
    # Of several neighbours in the other shard, one message tells them all.
    assert table.loc["two", 2]["messages"] <= table.loc["two", 2]["pushes"]
    one, each = table.loc["one", 1], table.loc["alone", 64]
    assert (one[["edges_cut", "crossing", "messages", "hops", "network_us"]] == 0).all()
    assert each["edges_cut"] == each["crossing"] == 1
    assert each["messages"] == each["updates"]
    assert each["hops"] >= 1
    bytes_sent = each["messages"] * (8 * 3 + 16)
    network = 1e6 * (each["hops"] * NETWORK.latency + bytes_sent / NETWORK.bandwidth)
    assert each["network_us"] == pytest.approx(network)


def test_hops_are_shards_passed_on_the_way():
    # A path 0 - 1 - 2 - 3 - 4 in shards a a b b a: from 0 two borders are crossed.
    graph = laplacian(adjacency([[0, 1], [1, 2], [2, 3], [3, 4]], 5))
    edges = graph.to_scipy()
    shard, everyone = np.array([0, 0, 1, 1, 0]), np.arange(5)
    assert sharding.chain(edges, shard, everyone, 0) == 2
    assert sharding.chain(edges, shard, np.array([0, 1]), 0) == 0
    assert sharding.chain(edges, shard, np.array([2, 3]), 0) == 0


@pytest.mark.parametrize("how", sharding.CUTS)
@pytest.mark.parametrize("shards", [2, 7])
def test_shards_are_about_equally_large(environment, how, shards):
    if how == "metis":
        pytest.importorskip("pymetis")
    sizes = np.bincount(sharding.cut(environment.precision, how, shards), minlength=shards)
    assert sizes.sum() == 64
    assert sizes.min() > 0
    assert sizes.max() <= 1.3 * 64 / shards + 1


def test_metis_keeps_communities_together():
    pytest.importorskip("pymetis")
    cliques = [(8 * k + i, 8 * k + j) for k in range(4) for i in range(8) for j in range(i)]
    ring = [(8 * k, (8 * k + 8) % 32) for k in range(4)]
    graph = laplacian(adjacency(cliques + ring, 32))
    shard = sharding.cut(graph, "metis", 4)
    assert all(len(set(shard[8 * k : 8 * k + 8])) == 1 for k in range(4))


def test_without_borders_late_messages_change_nothing(environment):
    cuts = {("one", 1): np.zeros(64, int)}
    table = sharding.delays(environment, PARAMS, cuts, [5], print)
    assert table.loc[0, "picks_equal"] == 1
    assert table.loc[0, "error"] < 1e-9


def test_when_all_messages_have_arrived_the_means_are_those_of_the_whole_graph(environment):
    policy = sharding.Delayed(PARAMS, np.arange(64) % 5, 3).start_in(environment)
    exact = environment.start("G-EG", PARAMS | {"solver": "dense"})
    stream = environment.stream
    for t in range(stream.n_rounds):
        user, offered = int(stream.users[t]), environment.features[stream.items[t]]
        policy.choose(user, offered)
        for each in (policy, exact):
            each.learn(user, offered[0], float(stream.rewards[t, 0]))
    late = np.abs(policy.posterior.system_.w - exact.posterior.w_).max()
    w = policy.posterior.system_.w
    for _ in range(200):
        while policy.under_way:
            policy.deliver(*policy.under_way.pop(0))
        changed = np.flatnonzero((w != policy.before).any(axis=1))
        if len(changed) == 0:
            break
        policy.under_way.append((changed, w[changed] - policy.before[changed]))
        policy.before[changed] = w[changed]
    settled = np.abs(w - exact.posterior.w_).max()
    assert settled < 0.01 * np.abs(w).max()
    assert settled <= late


def test_later_messages_leave_larger_errors(environment):
    cuts = {("random", 8): np.arange(64) % 8}
    table = sharding.delays(environment, PARAMS, cuts, [1, 200], print)
    assert table["error"][0] < table["error"][1]
    assert table["picks_equal"][0] > 0.9


def test_a_missing_partitioner_is_named(environment, monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(ConfigError, match="pip install pymetis"):
        sharding.cut(environment.precision, "metis", 2)
