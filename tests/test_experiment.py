"""One experiment: what an interrupted one leaves, and how the time of the next is accounted for."""

import json

import numpy as np
import pytest

from horde import files
from horde.data import dataset as datasets
from horde.experiments import experiment
from horde.experiments.experiment import Experiment, run_to_files
from horde.policies.random import Random
from horde.simulation import loop as simulation

ROUNDS = 60


@pytest.fixture
def dataset(tmp_path):
    rng = np.random.default_rng(0)
    data = datasets.Dataset(
        name="made",
        features=rng.standard_normal((12, 2)),
        liked_indptr=np.arange(0, 9, 2),
        liked_items=np.array([0, 3, 1, 5, 2, 7, 4, 9], dtype=np.int32),
        edges=np.array([[0, 1], [2, 3]], dtype=np.int32),
        provenance={"kind": "made"},
    )
    data.save(tmp_path / "dataset.npz")
    return tmp_path / "dataset.npz"


def run(dataset, folder):
    run_to_files(
        Experiment("Random", {}, seed=0, rounds=ROUNDS, offered=4, checkpoints=3),
        dataset,
        "code",
        folder / "0.npz",
        folder / "0.json",
        folder / "0.timing.json",
        log=lambda message: None,
    )
    return json.loads((folder / "0.timing.json").read_text("utf-8"))


def test_seconds_a_round_are_those_of_the_rounds_that_were_played(dataset, tmp_path, monkeypatch):
    whole = run(dataset, tmp_path / "whole")
    assert whole["rounds"] == ROUNDS
    assert whole["seconds_per_round"] == whole["seconds"] / ROUNDS

    folder = tmp_path / "resumed"
    monkeypatch.setattr(simulation, "SAVE_SECONDS", 0.0)
    with monkeypatch.context() as dying:
        rounds = iter(range(45))
        dying.setattr(Random, "learn", lambda *_: next(rounds))
        with pytest.raises(StopIteration):
            run(dataset, folder)
    resumed = run(dataset, folder)
    assert resumed["rounds"] == ROUNDS - 45
    assert resumed["seconds_per_round"] == resumed["seconds"] / (ROUNDS - 45)
    assert sorted(path.name for path in folder.iterdir()) == ["0.json", "0.npz", "0.timing.json"]
    curves = [
        files.load_arrays(tmp_path / name / "0.npz")["regret"] for name in ("whole", "resumed")
    ]
    np.testing.assert_array_equal(*curves)


def test_a_run_that_only_had_to_be_written_has_no_seconds_a_round(dataset, tmp_path, monkeypatch):
    monkeypatch.setattr(simulation, "SAVE_SECONDS", 0.0)
    with monkeypatch.context() as dying:
        dying.setattr(experiment, "_record", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run(dataset, tmp_path)
    resumed = run(dataset, tmp_path)
    assert (resumed["rounds"], resumed["seconds_per_round"]) == (0, None)
