"""The verdict in the workflow: fresh seeds, and nothing computed twice."""

import re

import pandas as pd
import pytest
from workflow_tree import PAPER, TINY

RUNS = "results/tiny/runs/delicious/LINUCB-SIN/tuned"


def test_the_evidence_of_the_claims_asked_for_is_made(tree):
    assert tree.rules(scale=TINY, targets=("verdict",)) == {
        **dict.fromkeys(("acquire", "generate", "judge", "prepare", "verdict_page"), 1),
        **dict.fromkeys(("simulate", "tune"), 2),
    }


def test_a_seed_that_judges_claims_is_refused_while_the_rules_are_a_draft(tree):
    """Not on generated data: the claims are about the published ones."""
    path = tree.path / "workflow" / "claims.yaml"
    rules, target = path.read_text("utf-8"), "results/{}/runs/lastfm/EG-IND/tuned/{}.npz"
    for status, block in (("draft", "200"), ("draft", "199"), ("final", "200")):
        refused = (status, block) == ("draft", "200")
        path.write_text(re.sub("status: (draft|final)\n", f"status: {status}\n", rules), "utf-8")
        options = {"scale": PAPER, "targets": (target.format("paper", block),)}
        said = tree.snakemake("--dry-run", fails=refused, **options)
        assert ("Seed 200 judges claims" in said) == refused
    path.write_text(rules, "utf-8")
    assert tree.jobs(scale=TINY, targets=(target.format("tiny", "200"),))


@pytest.mark.slow
def test_a_report_is_made_and_a_fresh_seed_costs_a_block_of_its_own(tree):
    options = {"targets": ("verdict",)}
    tree.run(scale=TINY, **options)
    verdict = pd.read_csv(tree.path / "results/tiny/verdict.csv").set_index("claim")
    assert verdict.loc["R6", "verdict"] != "not run"
    assert "Generated data" in (tree.path / "results/tiny/verdict.html").read_text("utf-8")
    assert tree.jobs(scale=TINY, **options) == []
    style = ("--report-stylesheet", "workflow/report/report.css")
    tree.run("--report", "report.html", *style, scale=TINY, **options)
    report = (tree.path / "report.html").read_text("utf-8")
    for part in ("1. Verdict", "verdict.html", (tree.path / style[1]).read_text("utf-8")):
        assert part in report
    times = {path: path.stat().st_mtime_ns for path in tree.path.glob(f"{RUNS}/*.npz")}
    assert [path.stem for path in times] == ["200-201"]
    tree.run(scale=tree.scale("seeds: {verdict: 3}", below=TINY), **options)
    assert (tree.path / f"{RUNS}/202.npz").exists()
    assert {path: path.stat().st_mtime_ns for path in times} == times
