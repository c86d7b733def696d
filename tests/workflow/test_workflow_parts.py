"""Verdict, controls, multiverse and quick run in the workflow: what is made, and nothing twice."""

import re

import pandas as pd
import pytest
from workflow_tree import PAPER, TINY

PARTS = ("controls", "multiverse", "preview", "verdict")
GRAPHS = ("none", "permuted", "rewired", "given-mean", "oracle")
QUICK = ("workflow/config/quick.yaml",)


def outputs(tree, **options):
    """Return the files that are to be made."""
    made = tree.jobs(**options)
    return {path for _, paths in made for path in ", ".join(paths).split(", ") if path}


# Which jobs there are.


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


def test_a_graph_needs_no_data_of_its_own_and_is_tuned_for(tree):
    made = " ".join(outputs(tree, scale=TINY, targets=("controls",)))
    prepared = set(re.findall(r"data/(\S+)/dataset\.npz", made))
    assert prepared == {"lastfm", "lastfm@popularity"}
    tuned = set(re.findall(r"tuning/(\S+)/G-EG\.json", made))
    assert tuned == {"lastfm", *(f"lastfm@{name}" for name in GRAPHS)}


def test_a_part_of_the_multiverse_is_a_job_and_only_the_target_asks_for_it(tree):
    made = tree.rules(scale=TINY, targets=("multiverse",))
    assert made["multiverse_part"] == 1
    assert "simulate" not in made
    assert "multiverse_part" not in tree.rules(scale=TINY, targets=("all",))


def test_a_multiverse_with_nothing_to_count_is_refused(tree):
    scale = tree.scale("multiverse: {specifications: [R012, R013]}", below=TINY)
    said = tree.snakemake("--dry-run", fails=True, scale=scale, targets=("multiverse",))
    assert "The multiverse has nothing to count" in said


def test_the_quick_run_draws_figure_2_from_seed_0_and_previews_but_judges_nothing(tree):
    made = outputs(tree, scale=QUICK, targets=())
    runs = [path for path in made if path.endswith(".npz") and "/runs/" in path]
    assert {path.rsplit("/", 1)[1] for path in runs} == {"0.npz"}
    assert not any("L-EG" in path or "U-EG" in path for path in runs)
    assert {
        "figures/quick/fig2a_lastfm_regret.png",
        "figures/quick/fig2b_delicious_regret.png",
        "figures/quick/regret.html",
        "results/quick/summary/preview.csv",
        "results/quick/preview.html",
    } <= made
    assert not any("verdict" in path or "/scalability" in path for path in made)


# What one run of all of them leaves.


@pytest.fixture(scope="module")
def results(tree):
    """The results of all parts; the verdict's page tells of the controls and the multiverse."""
    tree.run(scale=TINY, targets=PARTS[:-1])
    tree.run(scale=TINY, targets=PARTS[-1:])
    return tree.path / "results" / "tiny"


@pytest.mark.slow
def test_every_part_leaves_its_tables_pages_and_figures(results):
    verdict = pd.read_csv(results / "verdict.csv").set_index("claim")
    assert verdict.loc["R6", "verdict"] != "not run"
    assert "Generated data" in (results / "verdict.html").read_text("utf-8")
    multiverse = pd.read_csv(results / "summary/multiverse.csv")
    assert set(multiverse["specification"]) == {"R000"}
    assert multiverse.groupby("policy")["seed"].nunique().eq(3).all()
    figures = results.parent.parent / "figures" / "tiny"
    assert (figures / "multiverse/R1.png").exists()
    assert (figures / "figC_controls.png").exists()


@pytest.mark.slow
def test_a_preview_reads_the_first_seed_of_the_figures(results):
    table = pd.read_csv(results / "summary/preview.csv")
    assert table["claim"].tolist() == ["R6"]
    assert table["status"].tolist() == ["preview, no verdict"]
    assert table["outcome"].item() in ("meets the threshold", "misses the threshold")
    page = (results / "preview.html").read_text("utf-8")
    assert "seed 0, 200 rounds" in page
    assert "Generated data" in page


@pytest.mark.slow
def test_what_is_asked_for_in_addition_costs_its_own_jobs_only(results, tree):
    """A fresh seed has a block of its own, a specification a part; fewer graphs need no run."""
    assert tree.jobs(scale=TINY, targets=PARTS) == []
    assert [path.stem for path in results.glob("runs/delicious/LINUCB-SIN/tuned/20*.npz")] == [
        "200-201"
    ]
    seed = outputs(tree, scale=tree.scale("seeds: {verdict: 3}", below=TINY), targets=("verdict",))
    assert {path.rsplit("/", 1)[1] for path in seed if "/runs/" in path and "npz" in path} == {
        "202.npz"
    }
    more = tree.scale("multiverse: {specifications: [R000, R500]}", below=TINY)
    assert tree.rules(scale=more, targets=("multiverse",))["multiverse_part"] == 1
    fewer = tree.scale("controls: {graphs: [permuted]}", below=TINY)
    made = tree.rules(scale=fewer, targets=("controls",))
    assert set(made) == {"control_tables", "controls_figure"}
