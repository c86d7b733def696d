"""The commands give the workflow's digits, and say where the results are."""

import json
from importlib.metadata import version

import numpy as np
import pytest
from horde_command import PAPER, TINY, horde

from horde import cli, files
from horde.results import runs


def run(prepared, to, policy, *more):
    """Run a policy on the prepared dataset; return the folder of its variants."""
    what = ["--dataset", "lastfm", "--policy", policy, "--prepared", prepared]
    assert horde("run", *what, *more, to=to) == 0
    return to / "runs" / "lastfm" / policy


def test_a_run_leaves_its_files_and_names_its_numbers(prepared, tmp_path, capsys):
    folder = run(prepared, tmp_path, "EG-IND", "--seed", "3") / "tuned"
    found = runs.load(folder / "3.npz")
    record = json.loads((folder / "3.json").read_text("utf-8"))
    assert found["rounds"].tolist() == list(range(20, 201, 20))
    tuning = json.loads((tmp_path / "tuning" / "lastfm" / "EG-IND.json").read_text("utf-8"))
    lam = tuning["params"]["lam"]
    assert record["experiment"]["params"]["lam"] == lam
    assert sorted(path.name for path in folder.iterdir()) == ["3.json", "3.npz"]
    what, regret, where = capsys.readouterr().out.splitlines()
    assert what.startswith(f"EG-IND (tuned, lam={lam:g}) on lastfm: 200 rounds, ")
    assert what.endswith(" s")
    ratio = found["regret"][0, -1] / found["random_regret"][0, -1]
    assert regret.endswith(f"ratio {ratio:.6g}")
    assert str(folder / "3.npz") in where


def test_several_seeds_give_an_interval(prepared, tmp_path, capsys):
    seeds = ("--seed", "5", "--seeds", "2")
    folder = run(prepared, tmp_path, "EG-IND", "--variant", "paper", *seeds)
    found = runs.load(folder / "paper" / "5-6.npz")
    mean = np.mean(found["regret"][:, -1] / found["random_regret"][:, -1])
    assert f"ratio {mean:.6g} (95 % CI " in capsys.readouterr().out


def test_where_nobody_can_be_wrong_there_is_no_ratio(tmp_path, monkeypatch, capsys):
    """Everybody likes everything: Random's regret is 0 too."""
    monkeypatch.chdir(tmp_path)
    tables = {
        "likes": ["user,item", *(f"u{user},i{item}" for user in range(5) for item in range(4))],
        "friends": ["user,friend", "u0,u1"],
        "tags": ["item,tag", "i0,t0", "i1,t1", "i2,t2", "i3,t0"],
    }
    for name, lines in tables.items():
        files.write_text(tmp_path / "own" / f"{name}.csv", "\n".join(lines) + "\n")
    overlay = tmp_path / "own.yaml"
    overlay.write_text(
        "datasets: {mine: {kind: tables, folder: own, label: x}}\n"
        "features: {dimension: 2}\noffered: 2",
        "utf-8",
    )
    command = ["run", "--dataset", "mine", "--policy", "Random"]
    assert horde(*command, to=tmp_path / "out", overlays=[overlay]) == 0
    assert "Final regret 0, Random's 0; no ratio: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("policy", "own"), [("TS-IND", {"scale": 0.01}), ("LINUCB-IND", {"alpha": 0.01})]
)
def test_the_values_of_the_paper_are_not_tuned_and_give_the_same_curve_anywhere(
    prepared, tmp_path, policy, own
):
    places = tmp_path / "one", tmp_path / "two"
    one, two = (run(prepared, to, policy, "--variant", "paper") / "paper" for to in places)
    assert not (tmp_path / "one" / "tuning").exists()
    params = json.loads((one / "0.json").read_text("utf-8"))["experiment"]["params"]
    assert params == {**own, "lam": 0.01, "sigma": 1.0}
    assert (one / "0.npz").read_bytes() == (two / "0.npz").read_bytes()


def test_preparing_again_gives_the_same_bytes(prepared, tmp_path):
    assert horde("prepare", "--dataset", "lastfm", to=tmp_path) == 0
    again = tmp_path / "data" / "lastfm" / "dataset.npz"
    assert again.read_bytes() == prepared.read_bytes()


def test_files_are_laid_over_the_configuration_of_the_folder(tmp_path, monkeypatch, capsys):
    """As Snakemake does: the last one wins, and config.yaml need not be named."""
    monkeypatch.chdir(PAPER.parent)
    (tmp_path / "none.yaml").write_text("datasets: {lastfm: null}", "utf-8")
    command = ["prepare", "--dataset", "lastfm", "--to", str(tmp_path), "--configfile", str(TINY)]
    assert cli.main(command) == 0
    assert cli.main([*command, "--configfile", str(tmp_path / "none.yaml")]) == 2
    assert "'lastfm'" in capsys.readouterr().err


def test_the_version_is_that_of_the_package(capsys):
    assert cli.main(["--version"]) == 0
    installed = cli.machine.package_version("horde")
    assert capsys.readouterr().out == f"horde, version {installed}\n"
    assert cli.machine.package_version("numpy") == version("numpy")


@pytest.mark.parametrize(
    ("command", "shown"),
    [("", "Usage: horde"), ("run", "[default: tuned]"), ("bench", "[default: 5000")],
)
def test_help_shows_defaults(command, shown, capsys):
    assert cli.main([*command.split(), "--help"]) == 0
    assert shown in capsys.readouterr().out
