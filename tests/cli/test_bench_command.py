"""`horde bench`: its table, which hyper-parameters it takes, and what it refuses."""

import pytest
from horde_command import horde

from horde import cli
from horde.experiments import choice
from horde.timing import glasso


def test_a_benchmark_prints_its_table(tmp_path, capsys):
    problem = ["--synthetic", "n=64,d=3,density=0.02", "--policies", "EG-IND", "--rounds", "50"]
    assert horde("bench", *problem, "--csv", tmp_path / "b.csv", to=tmp_path) == 0
    printed = capsys.readouterr().out
    assert printed == (tmp_path / "b.csv").read_text("utf-8")
    header, row = printed.splitlines()
    assert header.startswith("policy,solver,n,d,edges,rounds,us_per_round")
    assert row.startswith("EG-IND,none,64,3,")


def test_it_takes_what_tuning_chose_and_then_what_is_set(tmp_path, capsys):
    overlay = tmp_path / "over.yaml"
    overlay.write_text(f"output: {tmp_path}", "utf-8")
    folder = tmp_path / "results" / "tiny" / "tuning" / "lastfm"
    for name, tunes in {"GOBLIN": ("lam", "alpha"), "EG-IND": ("lam",)}.items():
        grids = {"lam": [0.1, 1.0], "alpha": [0.0, 0.1]}
        points = choice.grid_points({each: grids[each] for each in tunes})
        scores = [(point, [-point["lam"]]) for point in points]
        choice.write(folder / f"{name}.json", choice.choose(scores))
    command = ["bench", "--dataset", "lastfm", "--policies", "GOBLIN++,EG-IND,LINUCB-IND"]
    command += ["--rounds", "4", "--compare", "0", "--set", "alpha=0.2"]
    assert horde(*command, to=tmp_path, overlays=[overlay]) == 0
    message = capsys.readouterr().err
    assert "GOBLIN++: lam=1, alpha=0.2 (tuned" in message
    assert "EG-IND: lam=1 (tuned" in message
    assert "LINUCB-IND: lam=0.01, alpha=0.2\n" in message


def test_a_benchmark_of_the_graphical_lasso(capsys):
    assert cli.main(["bench", "--glasso", "n=80,rank=4,density=0.05"]) == 0
    header, row = capsys.readouterr().out.splitlines()
    assert header.startswith("n,rank,density,signal,search_seconds,first_seconds,warm_seconds")
    assert row.startswith("80,4,0.05,0.3,")
    found = dict(zip(header.split(","), row.split(","), strict=True))
    assert float(found["equal_gap"]) <= float(found["sklearn_gap"]) < 1e-3
    ratio = float(found["sklearn_seconds"]) / float(found["equal_seconds"])
    assert float(found["times_faster"]) == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("size", "code", "message"),
    [("n=2,rank=1,density=0.5", 0, ""), ("n=1000000,rank=5,density=0.01", 2, "choose fewer users")],
)
def test_the_smallest_and_the_largest_graphical_lasso(size, code, message, capsys):
    assert cli.main(["bench", "--glasso", size]) == code
    assert message in capsys.readouterr().err


def test_scikit_learn_is_not_waited_for_where_it_takes_minutes(monkeypatch):
    monkeypatch.setattr(glasso, "COMPARED", 49)
    assert "times_faster" not in glasso.measure(50, 4, 0.05, 0.3)


KEYS = "Give n, d, density, each as NAME=NUMBER"


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        ("", ["give one of --dataset, --prepared, --synthetic, --glasso"]),
        ("--prepared a.npz --synthetic n=8,d=3,density=1", ["give one of"]),
        ("--synthetic n=64,d=3,densitty=0.1", ["'densitty'. Did you mean 'density'?", KEYS]),
        ("--synthetic n=64,d=3", ["density is missing", KEYS]),
        ("--synthetic n=64,d=3.5,density=0.1", ["d=3.5 is no whole number", KEYS]),
        ("--synthetic n=64,d,density=0.1", ["d= is no whole number", KEYS]),
        ("--synthetic n=1,d=3,density=0.1", ["n=1 is not between 2 and"]),
        ("--synthetic n=8,d=3,density=nan", ["density=nan is not between"]),
        ("--glasso n=80,rank=0,density=0.1", ["rank=0 is not between 1 and"]),
        ("--glasso n=80,rank=4,density=2", ["density=2 is not between"]),
        ("--synthetic n=64,d=3,density=0.1", ["--policies"]),
        ("--synthetic n=64,d=3,density=0.1 --policies G-EGG", ["'G-EGG'", "'G-EG'"]),
        ("--prepared a.npz --policies G-EG --set lan=1", ["--set lan", "'lam'"]),
        ("--prepared a.npz --policies G-EG --set lam", ["--set"]),
        ("--prepared a.npz --policies G-EG --solvers denes", ["cg, pcg, local", "'dense'"]),
        ("--prepared a.npz --policies G-EG --rounds 0", ["--rounds", "0"]),
        ("--prepared a.npz --policies G-EG --skip 5000", ["--skip 5000", "--rounds"]),
        ("--prepared a.npz --policies G-EG --compare 5001", ["--compare 5001", "--rounds"]),
    ],
)
def test_a_benchmark_of_nothing_is_refused(arguments, facts, tmp_path, capsys):
    assert horde("bench", *arguments.split(), to=tmp_path) == 2
    message = capsys.readouterr().err
    assert [fact for fact in facts if fact not in message] == [], message


def test_an_interrupt_is_told(monkeypatch, capsys):
    def interrupted(**problem):
        raise KeyboardInterrupt

    monkeypatch.setattr(glasso, "measure", interrupted)
    assert cli.main(["bench", "--glasso", "n=80,rank=4,density=0.05"]) == 1
    assert capsys.readouterr().err.endswith("horde: interrupted\n")
