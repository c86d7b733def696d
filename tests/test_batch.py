"""Several seeds in one job: those that are there are not run again."""

from dataclasses import replace
from pathlib import Path

import pytest

from horde import cli
from horde.experiments import batch
from horde.experiments.experiment import Experiment

EXPERIMENT = Experiment("EG-IND", {"lam": 1.0, "sigma": 1.0}, 0, 50, 5, 5)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    root = Path(__file__).parents[1]
    scales = (root / "config.yaml", root / "workflow" / "config" / "tiny.yaml")
    config = [word for path in scales for word in ("--configfile", str(path))]
    assert cli.main(["prepare", *config, "--to", str(folder), "--dataset", "lastfm"]) == 0
    return folder / "data" / "lastfm" / "dataset.npz"


@pytest.fixture
def run(dataset, tmp_path):
    def run(seeds, experiment=EXPERIMENT, code="c"):
        """Return which seeds were run."""
        told = []
        where = tmp_path / "runs", tmp_path / "timing"
        curves = batch.run_seeds(experiment, seeds, dataset, code, *where, told.append)
        assert [int(path.stem) for path in curves] == seeds
        assert all(path.exists() for path in curves)
        seeds_told = [line.split() for line in told if line.startswith("seed")]
        return [int(words[1].strip(":")) for words in seeds_told if len(words) == 2]

    return run


def test_a_seed_costs_its_own_run_only(run, tmp_path):
    assert run([100, 101]) == [100, 101]
    before = (tmp_path / "runs" / "100.npz").stat().st_mtime_ns
    assert run([100, 101, 102]) == [102]
    assert (tmp_path / "runs" / "100.npz").stat().st_mtime_ns == before
    assert sorted(path.name for path in (tmp_path / "timing").iterdir()) == [
        "100.json",
        "101.json",
        "102.json",
    ]


def test_other_settings_and_other_code_run_again(run):
    run([100])
    assert run([100], code="d") == [100]
    assert run([100], replace(EXPERIMENT, params={"lam": 2.0, "sigma": 1.0}), "d") == [100]
    assert run([100], replace(EXPERIMENT, params={"lam": 2.0, "sigma": 1.0}), "d") == []


def test_damaged_files_are_made_again(run, tmp_path):
    run([100, 101])
    (tmp_path / "runs" / "100.npz").write_bytes(b"")
    (tmp_path / "runs" / "101.json").write_text("{", "utf-8")
    assert run([100, 101]) == [100, 101]
