import numpy as np
import pytest

from horde import files
from horde.errors import HordeError
from horde.graph.precision import Precision, laplacian
from horde.policies import registry
from horde.policies.base import Policy
from horde.problem import Problem
from horde.random import draws
from horde.timing.capacity import capacity
from horde.timing.measured import COLUMNS, SLOPE_COLUMNS, points_table, slopes_table
from horde.policies.memory import Size, predicted_bytes
from horde.timing.scalability import (
    make_graph,
    measure_apart,
    measure_figure,
    write_problem,
)
from horde.timing.stopwatch import Limits, place_observations, time_rounds
from horde.timing.sweeps import Place

SETTINGS = {
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
VALUES = {
    "lam": 0.1,
    "sigma": 1.0,
    "alpha": 0.1,
    "alpha2": 0.5,
    "scale": 0.1,
    "iterations": 5,
    "sampler": "perturbation",
}
PLACE = Place(40, 0.03, 3)


def problem_file(folder):
    path = folder / "problem.npz"
    graph = make_graph(PLACE, SETTINGS)
    write_problem(path, graph, PLACE, SETTINGS, 4)
    return path, graph


class Recorder(Policy):
    """Always takes the last row; keeps what it is told."""

    def __init__(self):
        self.chosen, self.learned = [], []

    def start(self, problem):
        return self

    def choose(self, user, features):
        self.chosen.append((user, features.copy()))
        return len(features) - 1

    def learn(self, user, x, reward):
        self.learned.append((user, x.copy(), reward))

    def state(self):
        return {}

    def restore(self, state):
        pass


def test_a_problem_holds_the_graph_and_a_stream_for_all_rounds(tmp_path):
    path, graph = problem_file(tmp_path)
    arrays = files.load_arrays(path)
    precision = Precision(*(arrays[name] for name in Precision.__dataclass_fields__))
    np.testing.assert_array_equal(
        precision.to_scipy().toarray(), laplacian(graph).to_scipy().toarray()
    )
    assert arrays["features"].shape == (30, 3)
    assert arrays["items"].shape == arrays["rewards"].shape == (26, 4)
    assert arrays["users"].shape == (26,)


def test_the_graph_is_the_same_for_every_number_of_features():
    wider = Place(PLACE.n_users, PLACE.density, 7)
    assert (make_graph(PLACE, SETTINGS) != make_graph(wider, SETTINGS)).nnz == 0


def test_observations_are_placed_and_the_next_rounds_are_timed(tmp_path):
    path, graph = problem_file(tmp_path)
    arrays, policy = files.load_arrays(path), Recorder()
    place_observations(policy, laplacian(graph), arrays, 20)
    ((user, offered),) = policy.chosen
    assert user == arrays["users"][0]
    np.testing.assert_array_equal(offered, arrays["features"][arrays["items"][0, :1]])
    assert [user for user, _, _ in policy.learned] == arrays["users"][:20].tolist()
    wall, cpu = time_rounds(policy, arrays, Limits(20, 2, 6, 10.0))
    assert wall.shape == cpu.shape == (6,)
    assert (wall > 0).all()
    user, x, reward = policy.learned[20]
    assert user == arrays["users"][20] == policy.chosen[1][0]
    np.testing.assert_array_equal(x, arrays["features"][arrays["items"][20, -1]])
    assert reward == arrays["rewards"][20, -1]


def test_after_its_time_a_point_gets_the_fewest_rounds(tmp_path):
    path, _ = problem_file(tmp_path)
    wall, _ = time_rounds(Recorder(), files.load_arrays(path), Limits(20, 2, 6, 0.0))
    assert len(wall) == 2


def test_the_dense_inverse_gets_as_many_observations_at_once(tmp_path):
    path, graph = problem_file(tmp_path)
    precision = laplacian(graph)
    problem = Problem(PLACE.n_users, PLACE.n_features, 100, draws("d", 0), precision)
    policy = registry.make("GOBLIN", lam=0.1, solver="dense").start(problem)
    prior = np.trace(policy.posterior.covariance_)
    place_observations(policy, precision, files.load_arrays(path), 60)
    added = np.linalg.inv(policy.posterior.covariance_) - 0.1 * np.kron(
        precision.to_scipy().toarray(), np.eye(3)
    )
    # Every context has norm 1: the trace of blockdiag(A) counts the observations.
    assert np.trace(added) == pytest.approx(80, rel=1e-6)
    assert np.trace(policy.posterior.covariance_) < prior


def test_a_figure_is_measured_with_what_fits_and_what_does_not(monkeypatch):
    needed = predicted_bytes("G-EG", {"solver": "local"}, Size(64, 3, 100, 26))
    monkeypatch.setattr("horde.timing.scalability.machine_bytes", lambda: 3 * needed)
    sweeps = [
        {
            "users": [32, 64],
            "features": [3],
            "density": [0.03],
            "degree": None,
            "series": {"G-EG": ["local"]},
        },
        {
            "users": [3000],
            "features": [3],
            "density": [0.001],
            "degree": None,
            "series": {"GOBLIN": ["dense"]},
        },
    ]
    told = []
    measured = measure_figure("1a", sweeps, SETTINGS, VALUES, 4, told.append)
    rows = {(row["policy"], row["n"]): row for row in measured["points"]}
    assert len(told) == len(rows) == 3
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
    assert list(table.columns) == COLUMNS
    assert table["seconds_per_round"].isna().tolist() == [False, False, True]
    slope = slopes_table("1a", sweeps, measured["points"])
    assert list(slope.columns) == SLOPE_COLUMNS
    assert slope[["policy", "x", "points"]].values.tolist() == [["G-EG", "n", 2]]


def test_a_failed_measurement_says_what_and_why(tmp_path):
    path, _ = problem_file(tmp_path)
    with pytest.raises(HordeError, match=r"(?s)GOBLIN with .*no setting 'lamb'"):
        measure_apart(path, "GOBLIN", {"lamb": 1}, SETTINGS)


def rows_of(policy, solver, sizes, seconds):
    return [
        {
            "policy": policy,
            "solver": solver,
            "n": n,
            "d": 3,
            "density": 0.1,
            "edges": n,
            "fits": True,
            "seconds_per_round": s,
        }
        for n, s in zip(sizes, seconds, strict=True)
    ]


def test_slopes_are_those_of_each_sweep_alone():
    small = {
        "users": [1, 10, 100],
        "features": [3],
        "density": [0.1],
        "degree": None,
        "series": {"G-EG": ["cg", "local"]},
    }
    large = small | {"users": [1000, 10_000]}
    rows = rows_of("G-EG", "cg", [1, 10, 100, 1000, 10_000], [1, 10, 100, 5, 500])
    rows += rows_of("G-EG", "local", [1, 10, 100], [2, 2, 2])
    rows[2]["fits"] = False
    fitted = slopes_table("1a", [small, large], rows)
    assert fitted[["solver", "x", "x_low", "x_high"]].values.tolist() == [
        ["cg", "n", 1, 10],
        ["local", "n", 1, 100],
        ["cg", "n", 1000, 10_000],
    ]
    assert fitted["slope"].tolist() == pytest.approx([1, 0, 2])


def test_a_sweep_that_varies_two_sizes_has_no_slope():
    crossed = {
        "users": [1, 10],
        "features": [3, 4],
        "density": [0.1],
        "degree": None,
        "series": {"G-EG": ["cg"]},
    }
    assert slopes_table("1a", [crossed], rows_of("G-EG", "cg", [1, 10], [1, 2])).empty


def test_capacity_orders_the_ways_to_solve():
    series = {"GOBLIN": ["dense", "local"], "LINUCB-SIN": ["none"]}
    sweep = {"users": [4], "features": [2], "density": [0.1], "degree": None, "series": series}
    rows = capacity([sweep, sweep], VALUES, 50_000, 16, 25, 16)
    users = {(row["policy"], row["solver"]): row["users"] for row in rows}
    assert len(rows) == 3
    assert 1500 < users["GOBLIN", "dense"] < 1800
    assert users["GOBLIN", "local"] > 1_000_000
    assert users["LINUCB-SIN", "none"] > users["GOBLIN", "local"]
