"""The verdict in the workflow: fresh seeds, and nothing computed twice."""

import pandas as pd
import pytest
from workflow_tree import fresh

TINY = ("workflow/config/tiny.yaml",)
RUNS = "results/tiny/fresh/delicious/LINUCB-SIN/tuned"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return fresh(tmp_path_factory.mktemp("verdict") / "tree")


def test_the_evidence_of_the_claims_asked_for_is_made(tree):
    assert tree.rules(scale=TINY, targets=("verdict",)) == {
        "acquire": 1,
        "fresh": 2,
        "generate": 1,
        "judge": 1,
        "prepare": 1,
        "tune": 2,
        "verdict_page": 1,
    }


def test_every_claim_of_the_paper_can_be_asked_for(tree):
    jobs = tree.jobs(scale=(), targets=("verdict",))
    made = [outputs[0] for rule, outputs in jobs if rule == "fresh"]
    assert "results/paper/summary/fresh/delicious/GOBLIN/tuned.csv" in made
    assert "results/paper/summary/fresh/lastfm/G-EG/exploration-only.csv" in made
    assert "results/paper/summary/fresh/lastfm/G-EG/five-cg.csv" in made


@pytest.mark.slow
def test_a_report_is_made_and_a_fresh_seed_costs_its_own_runs_only(tree):
    options = {"targets": ("verdict",)}
    tree.run(scale=TINY, **options)
    verdict = pd.read_csv(tree.path / "results/tiny/verdict.csv").set_index("claim")
    assert verdict.loc["R6", "verdict"] != "not run"
    assert "Generated data" in (tree.path / "results/tiny/verdict.html").read_text("utf-8")
    assert tree.jobs(scale=TINY, **options) == []
    style = ("--report-stylesheet", "workflow/report/report.css")
    tree.run("--report", "report.html", *style, scale=TINY, **options)
    report = (tree.path / "report.html").read_text("utf-8")
    assert "1. Verdict" in report
    assert (tree.path / style[1]).read_text("utf-8") in report
    assert "verdict.html" in report
    times = {path: path.stat().st_mtime_ns for path in tree.path.glob(f"{RUNS}/*.npz")}
    assert sorted(path.stem for path in times) == ["100", "101"]
    (tree.path / "over.yaml").write_text("seeds: {verdict: 3}", "utf-8")
    tree.run(scale=(*TINY, "over.yaml"), **options)
    assert (tree.path / f"{RUNS}/102.npz").exists()
    assert {path: path.stat().st_mtime_ns for path in times} == times
