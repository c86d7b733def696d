"""Reference results: only finished parts of real runs; the verdict belongs to its tables."""

from pathlib import Path

import pandas as pd
import pytest
from test_verdict_files import SEEDS, write_runs

from horde import cli, files
from horde.errors import DataError
from horde.publish import PARTS, costs, publish
from horde.verdict import claims, from_files, published

ROOT = Path(__file__).parents[1]
CLAIMS = claims.load(ROOT / "workflow" / "claims.yaml")
CONFIG = {
    "datasets": {"lastfm": {"kind": "hetrec"}},
    "seeds": {"fresh": 100, "verdict": 4, "learning": 2},
}


@pytest.fixture
def run(tmp_path):
    """A run with a verdict and one finished figure."""
    results, figures = tmp_path / "results" / "paper", tmp_path / "figures" / "paper"
    files.write_json(results / "config.json", CONFIG)
    paths = [
        write_runs(tmp_path, *policy)
        for policy in (("LINUCB-IND", 0.6), ("LINUCB-SIN", 0.8), ("CLUB", 0.7), ("G-TS", 0.65))
    ]
    picks = results / "summary" / "picks.csv"
    picks.parent.mkdir(parents=True)
    pd.DataFrame({"policy": ["G-EG"], "solver": ["cg"], "picks_equal": [0.5]}).to_csv(
        picks, index=False
    )
    outputs = from_files.Outputs(
        *(results / name for name in (*published.VERDICTS, published.RUNS))
    )
    from_files.judge_files(CLAIMS, ["R", "T2"], SEEDS, paths, {"picks": picks}, outputs)
    (results / "verdict.html").write_text("page", "utf-8")
    for name in ("sensitivity.png", "sensitivity.json"):
        files.write_text(figures / name, "x")
    files.write_text(results / "summary" / "sensitivity.csv", "alternative\n")
    return tmp_path


def published_from(run, part, to="docs"):
    return publish(part, run / "results/paper", run / "figures/paper", run / to)


def test_a_finished_part_is_copied_with_configuration_machine_and_costs(run):
    jobs = run / "results/paper/timing/jobs"
    for rule, name, cpu in (("tune", "a/b", 3), ("tune", "c", 4), ("judge", "judge", "NA")):
        text = f"s\th:m:s\tmax_rss\tcpu_time\n5.5\t0:00:05\t100\t{cpu}\n"
        files.write_text(jobs / rule / f"{name}.tsv", text)
    written = published_from(run, "sensitivity")
    assert sorted(str(path.relative_to(run / "docs")) for path in written) == [
        "config.json",
        "figures/sensitivity.json",
        "figures/sensitivity.png",
        "machines/sensitivity.json",
        "summary/sensitivity.csv",
        "timing/costs.csv",
    ]
    table = pd.read_csv(run / "docs/timing/costs.csv").set_index("rule")
    assert table.loc["tune"].to_dict() == {
        "jobs": 2,
        "cpu_seconds": 7,
        "wall_seconds": 11,
        "peak_mb": 100,
    }


def test_costs_of_rules_that_another_run_measured_are_kept(run):
    write = "rule,jobs,cpu_seconds,wall_seconds,peak_mb\n{},1,2,3,4\n".format
    files.write_text(run / "docs/timing/costs.csv", write("measure_scalability") + "tune,9,9,9,9\n")
    text = "s\th:m:s\tmax_rss\tcpu_time\n5.5\t0:00:05\t100\t3\n"
    files.write_text(run / "results/paper/timing/jobs/tune/a.tsv", text)
    published_from(run, "sensitivity")
    table = pd.read_csv(run / "docs/timing/costs.csv").set_index("rule")
    assert table["jobs"].to_dict() == {"measure_scalability": 1, "tune": 1}


def test_a_published_verdict_can_be_read_as_a_page(run):
    published_from(run, "verdict")
    rows = (run / "docs/verdict.md").read_text("utf-8").splitlines()
    (r6,) = [line for line in rows if line.startswith("| R6 |")]
    assert CLAIMS["R6"].statement in r6
    assert r6.endswith("| -0.2 [-0.2, -0.2] | reproduced |")


def test_an_unfinished_part_and_generated_data_are_refused(run):
    with pytest.raises(DataError, match=r"png is missing; .*snakemake --cores all fig2a"):
        published_from(run, "fig2a")
    with pytest.raises(DataError, match=r"none holds no run; .*snakemake --cores all fig2a"):
        publish("fig2a", run / "none", run / "none", run / "docs")
    demo = {**CONFIG, "datasets": {"lastfm": {"kind": "generated"}}}
    files.write_json(run / "results/paper/config.json", demo)
    command = ["publish", "sensitivity", "--output", str(run), "--to", str(run / "docs")]
    assert cli.main(command) == 2
    assert not (run / "docs").exists()


def test_a_verdict_is_judged_again_by_what_was_published(run):
    published_from(run, "verdict")
    docs = run / "docs"
    assert published.disagreements(docs, CLAIMS) == []
    verdict = pd.read_csv(docs / "verdict.csv")
    verdict.loc[verdict["claim"] == "R6", "verdict"] = "not reproduced"
    verdict.to_csv(docs / "verdict.csv", index=False)
    (told,) = published.disagreements(docs, CLAIMS)
    assert told.startswith("R6: not reproduced")


@pytest.mark.parametrize(("table", "claim"), [("summary/picks.csv", "T2"), (published.RUNS, "R6")])
def test_a_verdict_of_other_tables_is_noticed(run, table, claim):
    published_from(run, "verdict")
    path = run / "docs" / table
    other = pd.read_csv(path)
    column = "picks_equal" if claim == "T2" else "regret"
    other[column] *= other["policy"].isin(["G-EG", "LINUCB-SIN"]).map({True: 0.5, False: 1.0})
    other.to_csv(path, index=False)
    assert claim in " ".join(published.disagreements(run / "docs", CLAIMS))


def test_the_reference_results_belong_together_and_none_is_of_generated_data():
    folder = ROOT / "docs" / "results"
    assert published.disagreements(folder, CLAIMS) == []
    kept = [path for path in folder.rglob("*") if path.is_file()]
    configs = [files.read_json(path) for path in kept if path.name == "config.json"]
    assert len(configs) == bool(kept)
    kinds = {entry["kind"] for config in configs for entry in config["datasets"].values()}
    assert "generated" not in kinds


def test_every_part_is_of_figures_and_tables_that_the_workflow_makes():
    workflow = "".join(
        path.read_text("utf-8") for path in sorted((ROOT / "workflow" / "rules").glob("*.smk"))
    )
    for part in PARTS.values():
        for table in (*part.tables, *part.others):
            name = table.replace("regret_lastfm", "regret_{{dataset}}")
            name = name.replace("regret_delicious", "regret_{{dataset}}")
            assert f'/{name}"' in workflow, table


def test_without_measured_jobs_there_is_no_cost(tmp_path):
    assert costs(tmp_path).empty
