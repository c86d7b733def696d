"""From the files of runs to the verdict's: what is asked for, what is judged, where it stands."""

import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from horde.verdict.engine import Evidence, judge

from horde.errors import ConfigError
from horde.results.tables import RUN_COLUMNS
from horde.verdict import claims, from_files, history, needs, rows, within

FILE = Path(__file__).parents[1] / "workflow" / "claims.yaml"
CLAIMS = claims.load(FILE)
SEEDS = {"verdict": range(100, 104), "learning": range(100, 102)}


def write_runs(folder, policy, ratio, dataset="delicious"):
    """A file of runs whose ratio is about `ratio`, four seeds with two checkpoints."""
    path = folder / f"{policy}.csv"
    found = [
        [dataset, policy, "tuned", seed, t, (ratio + 0.001 * (seed % 3)) * t, float(t)]
        for seed in SEEDS["verdict"]
        for t in (500, 1000)
    ]
    pd.DataFrame(found, columns=RUN_COLUMNS).to_csv(path, index=False)
    return path


@pytest.fixture
def judged(tmp_path):
    paths = [write_runs(tmp_path, "LINUCB-IND", 0.6), write_runs(tmp_path, "LINUCB-SIN", 0.8)]
    picks = tmp_path / "picks.csv"
    pd.DataFrame(
        {"dataset": ["lastfm"], "policy": ["G-EG"], "solver": ["cg"], "picks_equal": [0.5]}
    ).to_csv(picks, index=False)
    outputs = from_files.Outputs(*(tmp_path / f"{name}.csv" for name in from_files.Outputs._fields))
    from_files.judge_files(CLAIMS, ["R6", "S", "T2"], SEEDS, paths, {"picks": picks}, outputs)
    return [pd.read_csv(path) for path in outputs]


def test_claims_are_judged_by_the_files(judged):
    verdict = judged[0].set_index("claim")
    assert verdict.loc["R6", "verdict"] == "reproduced"
    assert verdict.loc["R6", "value"] == pytest.approx(-0.2)
    assert verdict.loc["T2", "verdict"] == "not reproduced"


def test_each_claim_has_one_row_and_measured_times_stand_apart(judged):
    verdict, timing = judged[:2]
    assert [*timing["claim"]] == ["S1", "S3", "S4", "S5", "S6", "S7", "S8", "L8"]
    assert sorted([*verdict["claim"], *timing["claim"]]) == sorted(CLAIMS)


def test_what_stands_beside_claims_has_a_row_each(judged):
    beside = judged[2].set_index("claim")
    assert [*beside.index] == ["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "L8"]
    assert beside.loc["S1", "reading"] == CLAIMS["S1"].beside.reading
    assert beside.loc["L8", "evidence"] == from_files.NOT_ASKED


def test_a_claim_that_was_not_asked_for_says_so(judged):
    verdict = judged[0].set_index("claim")
    assert verdict.loc["R1", "verdict"] == "not run"
    assert verdict.loc["R1", "evidence"] == from_files.NOT_ASKED
    assert judged[1].set_index("claim").loc["S1", "evidence"] != from_files.NOT_ASKED


def test_a_row_a_run_with_its_final_ratio(judged):
    runs = judged[3]
    assert [*runs.columns] == from_files.RUNS_COLUMNS
    assert len(runs) == 8
    assert (runs["round"] == 1000).all()
    np.testing.assert_allclose(runs["ratio"], runs["regret"] / 1000)


def test_the_lines_behind_a_claim_are_those_of_its_policies(judged):
    runs = judged[3]
    more = pd.concat([runs.assign(policy="CLUB"), runs])
    lines = rows.lines_behind(CLAIMS["R6"], {"runs": more}, range(100, 104))
    assert rows.ranges(lines["runs"]) == "10-17"
    fewer = rows.lines_behind(CLAIMS["R6"], {"runs": more}, [100, 101])
    assert rows.ranges(fewer["runs"]) == "10-11, 14-15"
    assert rows.lines_behind(CLAIMS["R6"], {}, [100]) == {}


def long_runs(*policies, dataset="lastfm"):
    """Two seeds of each policy with twenty checkpoints, 50 rounds apart; regret slows down."""
    found = [
        [dataset, policy, variant, seed, t, t**0.9 * (1 + place / 10) + seed % 7, float(t)]
        for place, (policy, variant) in enumerate(policies)
        for seed in (100, 101)
        for t in range(50, 1001, 50)
    ]
    return pd.DataFrame(found, columns=RUN_COLUMNS)


def test_claims_on_parts_of_runs_are_judged_by_the_checkpoints_that_are_kept():
    curves = pd.concat(
        [
            long_runs(("LINUCB-SIN", "tuned"), ("LINUCB-IND", "tuned")),
            long_runs(("G-EG", "theory"), dataset="theory-isolated-0"),
        ]
    )
    asked = [CLAIMS[name] for name in ("R1", "R2", "B1")]
    kept = within.checkpoints(asked, curves)
    seeds = {"verdict": [100, 101]}
    by_all, by_kept = (judge(asked, Evidence(runs, seeds)) for runs in (curves, kept))
    assert "not run" not in {*by_all["verdict"]}
    pd.testing.assert_frame_equal(by_all, by_kept)
    looked_at = kept[(kept["policy"] == "LINUCB-SIN") & (kept["seed"] == 100)]["round"]
    assert [*looked_at] == [100, 200, 400, 600, 800, 1000]


def test_a_round_between_checkpoints_keeps_those_on_either_side():
    curves = long_runs(("LINUCB-SIN", "tuned"), ("LINUCB-IND", "tuned"))
    kept = within.checkpoints([CLAIMS["R2"]], curves[curves["round"] % 150 == 0])
    assert sorted(kept["round"].unique()) == [150, 300, 450, 600, 750, 900]
    first = kept[(kept["policy"] == "LINUCB-IND") & (kept["seed"] == 100)]["round"]
    assert [*first] == [150, 900]


def test_the_lines_behind_a_claim_on_parts_of_runs_are_those_checkpoints():
    curves = long_runs(("LINUCB-SIN", "tuned"), ("LINUCB-IND", "tuned"), ("CLUB", "tuned"))
    lines = rows.lines_behind(CLAIMS["R1"], {"curves": curves, "runs": curves}, [101])
    assert [*lines] == ["curves"]
    assert rows.ranges(lines["curves"]) == "25, 41, 65, 77, 81"


def test_the_lines_behind_a_rule_on_a_table_are_those_it_selects():
    table = pd.DataFrame(
        {
            "figure": ["1a", "1b", "1b", "1b"],
            "policy": ["CLUB", "CLUB", "G-EG", "EG-IND"],
            "solver": ["none", "none", "cg", "none"],
        }
    )
    assert rows.lines_behind(CLAIMS["S8"], {"scalability": table}, []) == {"scalability": [3, 4]}


def test_what_claims_need_is_read_from_their_rules():
    asked = needs.select(CLAIMS, ["R10", "L2", "T", "S1"])
    assert [claim.name for claim in asked] == ["S1", "R10", "L2", "T1", "T2"]
    runs = needs.runs(asked)
    assert runs[needs.Runs("lastfm", "L-EG", "tuned")] == {"learning"}
    assert runs[needs.Runs("delicious", "G-EG", "exploration-only")] == {"verdict"}
    assert needs.Runs("delicious", "G-EG", "five-cg") in runs
    assert needs.tables(asked) == ["scalability", "tuning", "picks"]
    assert ("delicious", "G-TS") in needs.tuned(asked)


def test_a_claim_that_does_not_exist_is_refused():
    with pytest.raises(ConfigError, match="R11"):
        needs.select(CLAIMS, ["R", "R11"])


# History


def git(folder, *arguments):
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def entry(margin, statement="s"):
    return f"R1: {{statement: {statement}, seeds: verdict, rule: {{margin: {margin}}}}}\n"


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init")
    path = tmp_path / "claims.yaml"
    for text in (entry(1), entry(1) + "R2: {rule: {}, seeds: null}\n"):
        path.write_text(text, "utf-8")
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-m", "x")
    return path


def test_changes_of_the_rules_are_named(repository):
    assert [change[:2] for change in history.changes(repository)] == [("R2", "rule")]
    repository.write_text(entry(2) + "R2: {rule: {}, seeds: null}\n", "utf-8")
    assert history.changes(repository)[-1] == ("R1", "rule", "not committed")


def test_a_new_wording_is_told_from_a_new_rule(repository):
    repository.write_text(entry(1, "t") + "R2: {rule: {}, seeds: null}\n", "utf-8")
    assert history.changes(repository)[-1] == ("R1", "wording", "not committed")


def test_a_new_reading_beside_is_told_from_a_new_rule(repository):
    beside = entry(1).replace("seeds:", "beside: {reading: r}, seeds:")
    repository.write_text(beside + "R2: {rule: {}, seeds: null}\n", "utf-8")
    assert history.changes(repository)[-1] == ("R1", "reading beside it", "not committed")


def test_without_a_history_nothing_is_claimed(tmp_path, repository, monkeypatch):
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--depth", "1", f"file://{tmp_path}", str(shallow))
    assert history.changes(shallow / "claims.yaml") is None
    monkeypatch.setenv("PATH", "")
    assert history.changes(repository) is None
