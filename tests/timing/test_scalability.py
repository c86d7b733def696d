"""The points of Figure 1: which problems, what fits, and the tables of them."""

import numpy as np
import pytest
from test_sweeps import VALUES, sweep

from horde.graph.precision import laplacian
from horde.policies.memory import Size, predicted_bytes
from horde.simulation.environment import Environment
from horde.timing.scalability import make_environment, make_graph, measure_figure
from horde.timing.sweeps import Place
from horde.timing.tables import capacity_table, largest_users, points_table, slopes_table

PARAMS = {
    "initiator": [[0.9, 0.6], [0.6, 0.5]],
    "seed": 0,
    "smoothing": 2,
    "noise": 0.1,
    "items": 30,
    "observations": 20,
    "rounds": {"fewest": 2, "most": 6},
    "seconds": 10.0,
    "memory_share": 0.5,
}
PLACE = Place(40, 0.03, 3)


def test_an_environment_holds_the_graph_and_a_stream_for_all_rounds(tmp_path):
    graph = make_graph(PLACE, PARAMS)
    made = make_environment(graph, PLACE, PARAMS, 4)
    made.save(tmp_path / "e.npz")
    found = Environment.load(tmp_path / "e.npz")
    np.testing.assert_array_equal(
        found.precision.to_scipy().toarray(), laplacian(graph).to_scipy().toarray()
    )
    assert found.name == made.name
    assert found.features.shape == (30, 3)
    assert found.stream.items.shape == found.stream.rewards.shape == (26, 4)
    np.testing.assert_array_equal(found.stream.users, made.stream.users)


def test_the_graph_is_the_same_for_every_number_of_features():
    wider = Place(PLACE.n_users, PLACE.density, 7)
    assert (make_graph(PLACE, PARAMS) != make_graph(wider, PARAMS)).nnz == 0


def test_a_figure_is_measured_with_what_fits_and_what_does_not(monkeypatch):
    needed = predicted_bytes("G-EG", {"solver": "local"}, Size(64, 3, 100, 26))
    monkeypatch.setattr("horde.timing.scalability.machine_bytes", lambda: 3 * needed)
    sweeps = [
        sweep(users=[32, 64], features=[3], density=[0.03], series={"G-EG": ["local"]}),
        sweep(users=[3000], features=[3], density=[0.001], series={"GOBLIN": ["dense"]}),
    ]
    messages = []
    measured = measure_figure("1a", sweeps, PARAMS, VALUES, 4, messages.append)
    rows = {(row["policy"], row["n"]): row for row in measured["points"]}
    assert len(messages) == len(rows) == 3
    fast, refused = rows["G-EG", 64], rows["GOBLIN", 3000]
    assert fast["fits"]
    assert fast["rounds"] == 6
    assert 0 < fast["q25"] <= fast["seconds_per_round"] <= fast["q75"]
    assert fast["cpu_seconds_per_round"] > 0
    assert 20 < fast["peak_mb"] < 1000 * fast["needs_gb"]
    assert not refused["fits"]
    assert refused["needs_gb"] == pytest.approx(8 * 9000**2 / 1e9, rel=0.9)
    assert "seconds_per_round" not in refused
    assert [row["users"] for row in measured["graphs"]] == [32, 64, 3000]
    assert fast["edges"] == measured["graphs"][1]["edges"]
    assert sum(row["count"] for row in measured["degrees"]) == 32 + 64 + 3000
    table = points_table(measured["points"])
    assert table["seconds_per_round"].isna().tolist() == [False, False, True]
    slope = slopes_table("1a", sweeps, measured["points"])
    assert slope[["policy", "x", "points"]].values.tolist() == [["G-EG", "n", 2]]


def rows_of(policy, solver, sizes, seconds):
    shared = {"policy": policy, "solver": solver, "d": 3, "density": 0.1, "fits": True}
    return [
        shared | {"n": n, "edges": n, "seconds_per_round": s}
        for n, s in zip(sizes, seconds, strict=True)
    ]


def test_slopes_are_those_of_each_sweep_alone():
    small = sweep(users=[1, 10, 100], features=[3], series={"G-EG": ["cg", "local", "dense"]})
    large = small | {"users": [1000, 10_000]}
    rows = rows_of("G-EG", "cg", [1, 10, 100, 1000, 10_000], [1, 10, 100, 5, 500])
    rows += rows_of("G-EG", "local", [1, 10, 100], [2, 2, 2])
    rows += rows_of("G-EG", "dense", [1], [2])  # One point has no slope.
    rows[2]["fits"] = False
    fitted = slopes_table("1a", [small, large], rows)
    assert fitted[["solver", "x", "x_low", "x_high"]].values.tolist() == [
        ["cg", "n", 1, 10],
        ["local", "n", 1, 100],
        ["cg", "n", 1000, 10_000],
    ]
    assert fitted["slope"].tolist() == pytest.approx([1, 0, 2])


def test_a_sweep_that_varies_two_sizes_has_no_slope():
    crossed = sweep(users=[1, 10], features=[3, 4])
    assert slopes_table("1a", [crossed], rows_of("G-EG", "cg", [1, 10], [1, 2])).empty


def test_the_largest_number_of_users_just_fits():
    size = Size(n_users=0, n_features=25, n_edges=0, n_rounds=50_000)
    dense, paper = {"solver": "dense"}, {"solver": "cg", "sampler": "perturbation"}
    for policy, params in (("GOBLIN", dense), ("G-TS", paper), ("LINUCB-IND", {})):
        n = largest_users(policy, params, size, degree=16, budget=16e9)
        fits, over = (Size(users, 25, 8 * users, 50_000) for users in (n, n + 1))
        assert predicted_bytes(policy, params, fits) <= 16e9
        assert predicted_bytes(policy, params, over) > 16e9
    assert largest_users("GOBLIN", dense, size, degree=16, budget=1e6) == 0


def test_capacity_orders_the_ways_to_solve():
    each = sweep(series={"GOBLIN": ["dense", "local"], "LINUCB-SIN": ["none"]})
    table = capacity_table([each, each], VALUES, 50_000, 16, 25, 16)
    assert list(table.columns) == ["policy", "solver", "gigabytes", "d", "degree", "users"]
    users = {(row.policy, row.solver): row.users for row in table.itertuples()}
    assert len(table) == 3
    assert 1500 < users["GOBLIN", "dense"] < 1800
    assert users["GOBLIN", "local"] > 1_000_000
    assert users["LINUCB-SIN", "none"] > users["GOBLIN", "local"]
