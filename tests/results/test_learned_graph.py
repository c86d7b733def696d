"""The table of what was learned, and that it comes with the run's files."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from horde.data import dataset as datasets
from horde.errors import DataError
from horde.experiments.run import Experiment, run_block
from horde.graph.precision import Precision
from horde.policies.graph_learning import Step
from horde.results import learned_graph as learned
from horde.results import runs
from horde.simulation.loop import Curve

N = 5
CURVE = Curve(np.array([1]), np.zeros(1), np.ones(1))
# An estimate that went well.
STEP = Step(
    round=10,
    used=True,
    converged=True,
    steps=3,
    gap=1e-4,
    residual=1e-3,
    lam2=0.1,
    edges=2,
    repulsive=0,
)


def dataset(path, edges):
    likes = np.arange(N + 1), np.arange(N, dtype=np.int32)
    pairs = np.array(edges, dtype=np.int32)
    datasets.Dataset("made", np.eye(N, 3) + 0.1, *likes, pairs).save(path)
    return path


def run(folder, seed, edges, steps, policy="L-EG"):
    """Write a finished run whose V has these (i, j, V_ij)."""
    i, j, weights = zip(*edges, strict=True) if edges else ((), (), ())
    upper = sparse.csr_matrix((weights, (i, j)), shape=(N, N))
    V = Precision.from_scipy(upper + upper.T + 2.0 * sparse.eye(N))
    arrays = {name: getattr(V, name) for name in ("diagonal", "indptr", "indices", "weights")}
    arrays["steps"] = np.array([list(vars(step).values()) for step in steps], dtype=float)
    path = folder / "made" / policy / "tuned" / f"{seed}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    runs.save(path, {seed: CURVE}, {seed: arrays})
    return path


@pytest.fixture
def table(tmp_path):
    given = dataset(tmp_path / "dataset.npz", [(0, 1), (1, 2), (2, 3)])
    finished = [
        run(
            tmp_path,
            0,
            [(0, 1, -0.5), (0, 2, 0.1)],
            [STEP, replace(STEP, lam2=0.2, converged=False)],
        ),
        run(tmp_path, 1, [(0, 1, -0.3), (1, 2, -0.3)], [replace(STEP, used=False)]),
    ]
    return learned.learned_table(finished, given)


def test_edges_are_counted_against_the_given_graph(table):
    first, second = table.to_dict("records")
    assert (first["kept"], first["dropped"], first["added"]) == (1, 2, 1)
    assert (second["kept"], second["dropped"], second["added"]) == (2, 1, 0)
    assert (first["attractive"], first["repulsive"], first["isolated"]) == (1, 1, 2)
    assert first["density"] == pytest.approx(0.2)
    assert first["median_diagonal"] == 2.0


def test_seeds_are_compared_with_each_other_and_with_chance(table):
    # One edge shared of three; drawn at random, 2 * 2 / 10 would be shared.
    assert table["agreement"].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert table["chance_agreement"].tolist() == pytest.approx([0.4 / 3.6] * 2)


def test_estimates_that_failed_are_counted(table):
    assert table["estimates"].tolist() == [2, 1]
    assert table["unconverged"].tolist() == [1, 0]
    assert table["rejected"].tolist() == [0, 1]
    assert table["lam2"].tolist() == [0.2, 0.1]


def test_a_gap_is_told_to_the_digits_that_every_machine_agrees_on(tmp_path):
    given = dataset(tmp_path / "dataset.npz", [(0, 1)])
    gaps = [4.99098e-4, 4.99123e-4]
    files_of_runs = [run(tmp_path, k, [], [replace(STEP, gap=gap)]) for k, gap in enumerate(gaps)]
    assert learned.learned_table(files_of_runs, given)["gap"].tolist() == [5e-4, 5e-4]


def test_no_estimate_and_no_edge_are_no_fault(tmp_path):
    given = dataset(tmp_path / "dataset.npz", [(0, 1)])
    finished = [run(tmp_path, seed, [], []) for seed in (0, 1)]
    rows = learned.learned_table(finished, given)
    assert rows["isolated"].tolist() == [N, N]
    assert rows["agreement"].tolist() == [1.0, 1.0]
    assert rows["lam2"].isna().all()


def test_a_run_that_learned_no_graph_is_named(tmp_path):
    given = dataset(tmp_path / "dataset.npz", [(0, 1)])
    path = tmp_path / "made" / "G-EG" / "tuned" / "0.npz"
    path.parent.mkdir(parents=True)
    runs.save(path, {0: CURVE}, {0: {}})
    with pytest.raises(DataError, match="G-EG"):
        learned.learned_table([path], given)


def test_a_run_keeps_its_graph_and_logs_each_estimate(tmp_path):
    given = dataset(tmp_path / "dataset.npz", [(0, 1), (1, 2)])
    params = {"lam": 1.0, "solver": "local", "start_after": 2, "every": 20, "max_steps": 1}
    params |= {"gap_tolerance": 1e-12}
    folder = tmp_path / "made" / "L-EG" / "tuned"
    folder.mkdir(parents=True)
    told = []
    experiment = Experiment("L-EG", params, 60, 2, 3)
    run_block(experiment, [0], given, "code", folder / "0.npz", folder / "0.json", told.append)
    row = learned.learned_table([folder / "0.npz"], given).iloc[0]
    lines = [line for line in told if "graph estimated" in line]
    assert len(lines) == row["estimates"] == 3
    assert sum("did not converge" in line for line in lines) == row["unconverged"] > 0
    assert pd.isna(row["agreement"])
