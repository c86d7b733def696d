"""The command line: the workflow's digits, and mistakes told without a traceback."""

import json
from pathlib import Path

import numpy as np
import pytest

from horde import cli, files
from horde.experiments import choices

ROOT = Path(__file__).parent.parent
CONFIG = [str(ROOT / "config.yaml"), str(ROOT / "workflow" / "config" / "tiny.yaml")]


def horde(*arguments, to, config=CONFIG):
    command, *rest = arguments
    return cli.main([command, "--config", *map(str, config), "--to", str(to), *rest])


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    assert horde("prepare", "--dataset", "lastfm", to=folder) == 0
    return folder / "data" / "lastfm" / "dataset.npz"


def test_a_run_leaves_curve_record_and_timing(prepared, tmp_path, capsys):
    arguments = ["run", "--dataset", "lastfm", "--policy", "EG-IND", "--seed", "3"]
    assert horde(*arguments, "--prepared", str(prepared), to=tmp_path) == 0
    runs = tmp_path / "runs" / "lastfm" / "EG-IND" / "tuned"
    curve = files.load_arrays(runs / "3.npz")
    record = json.loads((runs / "3.json").read_text("utf-8"))
    assert curve["rounds"].tolist() == list(range(20, 201, 20))
    assert record["final"]["regret"] == curve["regret"][-1]
    tuning = json.loads((tmp_path / "tuning" / "lastfm" / "EG-IND.json").read_text("utf-8"))
    assert record["experiment"]["params"]["lam"] == tuning["params"]["lam"]
    assert sorted(path.name for path in runs.iterdir()) == ["3.json", "3.npz", "3.timing.json"]
    ratio = curve["regret"][-1] / curve["random_regret"][-1]
    told = "regret over the random policy's after 200 rounds"
    assert capsys.readouterr().out.strip() == f"{told}: {ratio:.6g}"


def test_a_file_of_another_dataset_is_refused(prepared, tmp_path, capsys):
    arguments = ["run", "--dataset", "delicious", "--policy", "Random", "--seed", "0"]
    assert horde(*arguments, "--prepared", str(prepared), to=tmp_path) == 2
    assert "holds the dataset 'lastfm'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_settings_of_the_paper_are_not_tuned(prepared, tmp_path):
    arguments = ["run", "--dataset", "lastfm", "--policy", "LINUCB-IND", "--variant", "paper"]
    assert horde(*arguments, "--prepared", str(prepared), to=tmp_path) == 0
    assert not (tmp_path / "tuning").exists()
    path = tmp_path / "runs" / "lastfm" / "LINUCB-IND" / "paper" / "0.json"
    params = json.loads(path.read_text("utf-8"))["experiment"]["params"]
    assert params == {"alpha": 0.01, "lam": 0.01, "sigma": 1.0}


def test_preparing_again_gives_the_same_bytes(prepared, tmp_path):
    assert horde("prepare", "--dataset", "lastfm", to=tmp_path) == 0
    again = tmp_path / "data" / "lastfm" / "dataset.npz"
    assert again.read_bytes() == prepared.read_bytes()


def test_a_benchmark_prints_its_table(tmp_path, capsys):
    arguments = ["bench", "--synthetic", "n=64,d=3,density=0.02", "--policies", "EG-IND"]
    assert horde(*arguments, "--rounds", "50", "--csv", str(tmp_path / "b.csv"), to=tmp_path) == 0
    printed = capsys.readouterr().out
    assert printed == (tmp_path / "b.csv").read_text("utf-8")
    header, row = printed.splitlines()
    assert header.startswith("policy,solver,n,d,edges,rounds,us_per_round")
    assert row.startswith("EG-IND,none,64,3,")


def test_a_benchmark_takes_what_tuning_chose_and_then_what_is_set(prepared, tmp_path, capsys):
    (tmp_path / "over.yaml").write_text(f"output: {tmp_path}", "utf-8")
    config = [*CONFIG, tmp_path / "over.yaml"]
    tuning = tmp_path / "results" / "tiny" / "tuning" / "lastfm"
    for name, tunes in {"GOBLIN": ("lam", "alpha"), "EG-IND": ("lam",)}.items():
        points = choices.grid_points({"lam": [0.1, 1.0], "alpha": [0.0, 0.1]}, tunes)
        scores = [(point, -point["lam"]) for point in points]
        choices.write(tuning / f"{name}.json", choices.choose(scores))
    policies = "GOBLIN++,EG-IND,LINUCB-IND"
    arguments = ["bench", "--dataset", "lastfm", "--policies", policies, "--rounds", "4"]
    arguments += ["--compare", "0", "--set", "alpha=0.2"]
    assert horde(*arguments, to=tmp_path, config=config) == 0
    told = capsys.readouterr().err
    assert "GOBLIN++: lam=1, alpha=0.2 (tuned" in told
    assert "EG-IND: lam=1 (tuned" in told
    assert "LINUCB-IND: lam=0.01, alpha=0.2\n" in told


def test_a_benchmark_of_the_graphical_lasso(tmp_path, capsys):
    assert horde("bench", "--glasso", "n=80,rank=4,density=0.05", to=tmp_path) == 0
    header, row = capsys.readouterr().out.splitlines()
    assert header.startswith("n,rank,density,signal,search_seconds,first_seconds,warm_seconds")
    assert row.startswith("80,4,0.05,0.3,")
    found = dict(zip(header.split(","), row.split(","), strict=True))
    assert float(found["equal_gap"]) <= float(found["sklearn_gap"]) < 1e-3
    ratio = float(found["sklearn_seconds"]) / float(found["equal_seconds"])
    assert float(found["times_faster"]) == pytest.approx(ratio)


def test_scikit_learn_is_not_waited_for_where_it_takes_minutes(monkeypatch):
    from horde.timing import graphical_lasso

    monkeypatch.setattr(graphical_lasso, "COMPARED", 49)
    assert "times_faster" not in graphical_lasso.measure(50, 4, 0.05, 0.3)


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["run", "--dataset", "lastfm", "--policy", "GOBLN"], 2, ["'GOBLN'", "'GOBLIN'"]),
        (["run", "--dataset", "lastfn", "--policy", "G-EG"], 2, ["'lastfn'", "'lastfm'"]),
        (["prepare", "--dataset", "nothing"], 2, ["'nothing'", "datasets"]),
        (
            ["run", "--dataset", "lastfm", "--policy", "Random", "--prepared", "none.npz"],
            3,
            ["none.npz", "missing"],
        ),
        (
            ["bench", "--prepared", "none.npz", "--policies", "Random", "--rounds", "0"],
            2,
            ["--rounds 0", "at least 1"],
        ),
        (["bench", "--synthetic", "n=64,d=3,density=0.1"], 2, ["--policies"]),
        (
            ["bench", "--synthetic", "n=64,d=3,density=0.1", "--policies", "G-EGG"],
            2,
            ["'G-EGG'", "'G-EG'"],
        ),
        (
            ["bench", "--prepared", "a.npz", "--policies", "G-EG", "--set", "lan=1"],
            2,
            ["--set lan", "'lam'"],
        ),
        (
            ["bench", "--prepared", "a.npz", "--policies", "G-EG", "--solvers", "denes"],
            2,
            ["--solvers denes", "cg, pcg, local, dense", "'dense'"],
        ),
        (
            ["bench", "--prepared", "a.npz", "--policies", "G-EG", "--skip", "5000"],
            2,
            ["--skip 5000", "--rounds"],
        ),
        (
            ["bench", "--prepared", "a.npz", "--policies", "G-EG", "--compare", "5001"],
            2,
            ["--compare 5001", "--rounds"],
        ),
    ],
    ids=lambda value: " ".join(value[:4]) if isinstance(value, list) else None,
)
def test_mistakes_are_told_in_one_line(arguments, code, told, tmp_path, capsys):
    assert horde(*arguments, to=tmp_path) == code
    errors = capsys.readouterr().err
    assert all(fact in errors for fact in told), errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("overlay", "code", "told"),
    [
        ("features: {dimensions: 3}", 2, ["features.dimensions", "'dimension'"]),
        ("offered: 500", 2, ["500", "120"]),
        ("rounds: 5", 2, ["checkpoints", "rounds: 5"]),
        ("paper_values: {lam: -1}", 2, ["paper_values.lam", "-1"]),
        ("datasets: {lastfm: {kind: tables, folder: nowhere}}", 3, ["nowhere"]),
    ],
)
def test_mistakes_of_the_configuration(overlay, code, told, tmp_path, capsys):
    (tmp_path / "over.yaml").write_text(overlay, "utf-8")
    config = [*CONFIG, tmp_path / "over.yaml"]
    arguments = ["run", "--dataset", "lastfm", "--policy", "Random"]
    assert horde(*arguments, to=tmp_path, config=config) == code
    errors = capsys.readouterr().err
    assert all(fact in errors for fact in told), errors
    assert "Traceback" not in errors


def test_the_traceback_is_there_on_request(tmp_path):
    arguments = ["prepare", "--config", *CONFIG, "--to", str(tmp_path), "--dataset", "nothing"]
    with pytest.raises(Exception, match="nothing"):
        cli.main(["--debug", *arguments])


@pytest.mark.parametrize(
    "arguments", [[], ["runn"], ["run"], ["run", "--seed", "-1"], ["bench", "--synthetic", "n=3"]]
)
def test_a_wrong_command_line_exits_with_two(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert "usage: horde" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ("n=64,d=3,densitty=0.1", "'densitty'. Did you mean 'density'?"),
        ("n=64,d=3", "density is missing"),
        ("n=64,d=3.5,density=0.1", "d=3.5 is no whole number"),
        ("n=64,d,density=0.1", "d= is no whole number"),
    ],
)
def test_a_wrong_size_is_named_with_those_that_are_known(sizes, told, capsys):
    with pytest.raises(SystemExit):
        cli.main(["bench", "--synthetic", sizes])
    message = capsys.readouterr().err
    assert told in message
    assert "Give n, d, density, each as NAME=NUMBER" in message


def test_the_curve_is_that_of_any_other_process(prepared, tmp_path):
    """Seeds and names alone decide: the same run twice, from different folders."""
    curves = []
    for name in ("one", "two"):
        arguments = ["run", "--dataset", "lastfm", "--policy", "TS-IND", "--variant", "paper"]
        assert horde(*arguments, "--prepared", str(prepared), to=tmp_path / name) == 0
        curves.append(
            files.load_arrays(tmp_path / name / "runs" / "lastfm" / "TS-IND" / "paper" / "0.npz")
        )
    assert all(np.array_equal(curves[0][key], curves[1][key]) for key in curves[0])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--synthetic", "n=1,d=3,density=0.1"], "n=1 is not between 2 and"),
        (["--synthetic", "n=8,d=0,density=0.1"], "d=0 is not between 1 and"),
        (["--synthetic", "n=8,d=3,density=nan"], "density=nan is not between"),
        (["--glasso", "n=80,rank=0,density=0.1"], "rank=0 is not between 1 and"),
        (["--glasso", "n=80,rank=4,density=2"], "density=2 is not between"),
    ],
)
def test_a_benchmark_of_nothing_is_refused(given, told, capsys):
    with pytest.raises(SystemExit):
        cli.main(["bench", *given])
    assert told in capsys.readouterr().err
