"""Blocks of seeds: the digits of single runs, what an interrupted block leaves, and its times."""

from dataclasses import replace

import numpy as np
import pytest

from horde import files
from horde.experiments.run import Experiment, run, run_block
from horde.policies.random import Random
from horde.results import runs
from horde.simulation import loop

EXPERIMENT = Experiment("EG-IND", {"lam": 1.0, "sigma": 1.0}, rounds=60, offered=4, checkpoints=3)


@pytest.fixture
def block(prepared, tmp_path):
    def block(seeds, experiment=EXPERIMENT, code="c", folder="made"):
        """Run a block; return its file, its record, and what was logged."""
        path = tmp_path / folder / experiment.policy / "tuned" / f"{runs.block_name(seeds)}.npz"
        record, lines = path.with_suffix(".json"), []
        run_block(experiment, seeds, prepared, code, path, record, lines.append)
        assert not path.with_name(f"{path.name}.part").exists()
        return path, files.read_json(record), lines

    return block


def test_a_block_has_the_digits_of_its_seeds_run_alone(block, data):
    path, record, _ = block([3, 4])
    for seed, regret in zip([3, 4], runs.load(path)["regret"], strict=True):
        np.testing.assert_array_equal(regret, run(EXPERIMENT, data, seed)[1].regret)
    assert [run["seed"] for run in record["measured"]] == [3, 4]
    assert record["data"]["source"] == {"kind": "made"}
    assert "made/4/exploration" in record["draws"]


@pytest.fixture
def killed(block, monkeypatch):
    """Return a function that runs a block and is killed after so many rounds."""

    def killed(rounds, seeds, **options):
        monkeypatch.setattr(loop, "SAVE_SECONDS", 0.0)
        with monkeypatch.context() as dying:
            left, play = [rounds], Random.play

            def play_or_die(policy, rounds, picks):
                left[0] -= len(picks)
                if left[0] < 0:
                    raise StopIteration
                play(policy, rounds, picks)

            dying.setattr(Random, "play", play_or_die)
            with pytest.raises(StopIteration):
                block(seeds, **options)

    return killed


RANDOM = replace(EXPERIMENT, policy="Random", params={})


def test_a_killed_block_goes_on_with_the_seeds_it_had_not_finished(block, killed):
    whole, _, _ = block([3, 4], RANDOM, folder="whole")
    killed(60 + 45, [3, 4], experiment=RANDOM)
    resumed, record, lines = block([3, 4], RANDOM)
    assert [line for line in lines if line.startswith("seed")] == [
        "seed 3: already finished",
        "seed 4",
    ]
    for name in ("regret", "random_regret"):
        np.testing.assert_array_equal(runs.load(whole)[name], runs.load(resumed)[name])
    first, second = record["measured"]
    # 1 + 2 + 4 + 8 + 16 rounds were saved.
    assert (first["rounds"], second["rounds"]) == (60, 60 - 31)
    assert second["seconds_per_round"] == second["seconds"] / 29


@pytest.mark.parametrize("changed", [{"code": "d"}, {"experiment": replace(RANDOM, checkpoints=4)}])
def test_what_a_killed_block_of_other_code_or_params_left_is_not_used(block, killed, changed):
    killed(60 + 45, [3, 4], experiment=RANDOM)
    _, record, _ = block([3, 4], **{"experiment": RANDOM, **changed})
    assert [run["rounds"] for run in record["measured"]] == [60, 60]


def test_damaged_leftovers_count_as_missing(block, killed, tmp_path):
    killed(60 + 45, [3, 4], experiment=RANDOM)
    left = [path for path in (tmp_path / "made").rglob("*.npz") if path.parent.suffix == ".part"]
    assert sorted(path.name for path in left) == ["3.npz", "4.state.npz"]
    for path in left:
        path.write_bytes(path.read_bytes()[:200])
    _, record, _ = block([3, 4], RANDOM)
    assert [run["rounds"] for run in record["measured"]] == [60, 60]
