"""Reference results: only finished parts of real runs; the verdict belongs to its tables."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from test_verdict_files import SEEDS, write_runs

from horde import cli, files
from horde.errors import DataError
from horde.publish import PARTS, costs, publish
from horde.verdict import claims, from_files, published, units

ROOT = Path(__file__).parents[1]
CLAIMS = claims.load(ROOT / "workflow" / "claims.yaml")
PLACES = (published.BESIDE, published.RUNS, published.CURVES)
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
    outputs = from_files.Outputs(*(results / name for name in (*published.VERDICTS, *PLACES)))
    from_files.judge_files(CLAIMS, ["R", "T2"], SEEDS, paths, {"picks": picks}, outputs)
    page = '<a href="../../figures/paper/{0}.png">{0}</a>'.format
    shown = page("sensitivity") + page("fig1a_n") + '<a href="verdict.csv">rows</a>'
    (results / "verdict.html").write_text(shown, "utf-8")
    for name in ("sensitivity.png", "sensitivity.json"):
        files.write_text(figures / name, "x")
    files.write_text(results / "summary" / "sensitivity.csv", "alternative\n")
    return tmp_path


def test_the_command_line_publishes_no_run_of_another_folder(run, capsys):
    """Its own records would speak for the other's results."""
    path = run / "results" / "paper" / "config.json"
    files.write_json(path, files.read_json(path) | {"output": "."})
    there = ["--output", str(run), "--to", str(run / "docs")]
    assert cli.main(["publish", "sensitivity", *there]) == 2
    assert "in another folder" in capsys.readouterr().err
    assert not (run / "docs").exists()


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
    assert r6.endswith("| -0.2 [-0.2, -0.2] difference of ratios | reproduced |  |")
    (s1,) = [line for line in rows if line.startswith("| S1 |")]
    assert s1.endswith("|  | not run | with the local solver: not run |")


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


def test_links_of_a_published_page_lead_to_what_was_published(run):
    published_from(run, "sensitivity")
    published_from(run, "verdict")
    text = (run / "docs/verdict.html").read_text("utf-8")
    linked = '<a href="figures/sensitivity.png">sensitivity</a>fig1a_n'
    assert text == f'{linked}<a href="verdict.csv">rows</a>'


def test_a_verdict_that_is_lacking_or_strange_is_noticed(run):
    published_from(run, "verdict")
    path = run / "docs/verdict.csv"
    verdict = pd.read_csv(path)
    verdict[verdict["claim"] != "R5"].to_csv(path, index=False)
    assert published.disagreements(run / "docs", CLAIMS) == ["R5: has no verdict"]
    verdict.replace({"claim": {"R5": "R6"}}).to_csv(path, index=False)
    assert "R6: has 2 verdicts" in published.disagreements(run / "docs", CLAIMS)[0]


@pytest.mark.parametrize(("table", "claim"), [("summary/picks.csv", "T2"), (published.RUNS, "R6")])
def test_a_verdict_of_other_tables_is_noticed(run, table, claim):
    published_from(run, "verdict")
    path = run / "docs" / table
    other = pd.read_csv(path)
    column = "picks_equal" if claim == "T2" else "regret"
    other[column] *= other["policy"].isin(["G-EG", "LINUCB-SIN"]).map({True: 0.5, False: 1.0})
    other.to_csv(path, index=False)
    assert claim in " ".join(published.disagreements(run / "docs", CLAIMS))


REFERENCE = ROOT / "docs" / "results"


def test_none_of_the_reference_results_is_of_generated_data():
    kept = [path for path in REFERENCE.rglob("*") if path.is_file()]
    configs = [files.read_json(path) for path in kept if path.name == "config.json"]
    assert len(configs) == bool(kept)
    kinds = {entry["kind"] for config in configs for entry in config["datasets"].values()}
    assert "generated" not in kinds


needs_reference = pytest.mark.skipif(
    not (REFERENCE / "verdict.csv").exists(), reason="no verdict is published"
)


@needs_reference
def test_every_verdict_of_the_reference_results_comes_from_the_tables_beside_it():
    assert published.disagreements(REFERENCE, CLAIMS) == []
    found = pd.concat(pd.read_csv(REFERENCE / name) for name in published.VERDICTS)
    assert sorted(found["claim"]) == sorted(CLAIMS)
    assert (REFERENCE / "verdict.md").read_text("utf-8") == published.markdown(REFERENCE)


@needs_reference
@pytest.mark.parametrize("table", [*published.VERDICTS, published.BESIDE])
def test_every_number_of_the_reference_results_says_what_it_counts(table):
    rows = pd.read_csv(REFERENCE / table).dropna(subset="value")
    told = {row["claim"]: units.unit(row) for _, row in rows.iterrows()}
    assert [claim for claim, unit in told.items() if not unit or " or " in unit] == []


@needs_reference
@pytest.mark.parametrize("table", [*published.VERDICTS, published.BESIDE])
def test_another_verdict_on_any_claim_of_the_reference_results_is_noticed(table, tmp_path):
    shutil.copytree(REFERENCE, tmp_path / "docs")
    verdict = pd.read_csv(REFERENCE / table)
    other = {"reproduced": "not reproduced"}
    verdict["verdict"] = [other.get(given, "reproduced") for given in verdict["verdict"]]
    verdict.to_csv(tmp_path / "docs" / table, index=False)
    told = published.disagreements(tmp_path / "docs", CLAIMS)
    assert {line.split(":")[0].removeprefix("beside ") for line in told} == {*verdict["claim"]}


@needs_reference
def test_every_link_of_the_reference_page_leads_somewhere():
    text = (REFERENCE / "verdict.html").read_text("utf-8")
    targets = set(re.findall(r'href="([^"#]+)"', text))
    assert "figures/fig1a_n.png" in targets
    assert [target for target in targets if not (REFERENCE / target).exists()] == []


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
