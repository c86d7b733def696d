"""Reference results: only finished parts of real runs, and all of one configuration."""

from pathlib import Path

import pandas as pd
import pytest
from verdict_runs import publishable_run

from horde import cli, files
from horde.errors import ConfigError, DataError
from horde.publish import costs, publish, publishable_config

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "results"


@pytest.fixture
def run(tmp_path):
    """A run with a verdict and one finished figure."""
    publishable_run(tmp_path)
    return tmp_path


def published_from(run, part, **how):
    return publish(part, run / "results/paper", run / "figures/paper", run / "docs", **how)


def job(run, name, cpu):
    text = f"s\th:m:s\tmax_rss\tcpu_time\n5.5\t0:00:05\t100\t{cpu}\n"
    files.write_text(run / "results/paper/timing/jobs" / f"{name}.tsv", text)


def configure(folder, **keys):
    path = folder / "results/paper/config.json"
    files.write_json(path, files.read_json(path) | keys)


def test_a_finished_part_is_copied_with_configuration_machine_and_costs(run):
    for name, cpu in (("tune/a/b", 3), ("tune/c", 4), ("judge/judge", "NA")):
        job(run, name, cpu)
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
    expected = {"jobs": 2, "cpu_seconds": 7, "wall_seconds": 11, "peak_mb": 100}
    assert table.loc["tune"].to_dict() == expected


def test_every_picture_of_a_folder_is_copied(run):
    figures = run / "figures/paper"
    for name in ("figM_multiverse", "multiverse/R1", "multiverse/R10"):
        for kind in ("png", "json", "pdf"):
            files.write_text(figures / f"{name}.{kind}", name)
    files.write_text(figures / "multiverse.html", "page")
    with pytest.raises(DataError, match=r"multiverse\*\.csv is missing; .*cores all multiverse"):
        published_from(run, "multiverse")
    for name in ("multiverse", "multiverse_claims"):
        files.write_text(run / f"results/paper/summary/{name}.csv", "specification\n")
    published_from(run, "multiverse")
    docs = run / "docs"
    assert {path.relative_to(docs).as_posix() for path in docs.rglob("*.*")} >= {
        *("figures/figM_multiverse.png", "figures/multiverse/R1.png"),
        *("figures/multiverse/R10.json", "figures/multiverse.html"),
        "summary/multiverse_claims.csv",
    }
    assert not list(docs.rglob("*.pdf"))


def test_what_an_earlier_run_had_does_not_stay(run):
    """The article judges again from the published tables, so an old one would change a verdict."""
    published_from(run, "verdict")
    assert (run / "docs/summary/picks.csv").exists()
    (run / "results/paper/summary/picks.csv").unlink()
    published_from(run, "verdict", force=True)
    assert not (run / "docs/summary/picks.csv").exists()
    assert (run / "docs/summary/verdict_runs.csv").exists()


def test_costs_of_rules_that_another_run_measured_are_kept(run):
    write = "rule,jobs,cpu_seconds,wall_seconds,peak_mb\n{},1,2,3,4\n".format
    files.write_text(run / "docs/timing/costs.csv", write("measure_scalability") + "tune,9,9,9,9\n")
    job(run, "tune/a", 3)
    published_from(run, "sensitivity")
    table = pd.read_csv(run / "docs/timing/costs.csv").set_index("rule")
    assert table["jobs"].to_dict() == {"measure_scalability": 1, "tune": 1}


def test_without_measured_jobs_there_is_no_cost(tmp_path):
    assert costs(tmp_path).empty


def test_an_unfinished_part_and_generated_data_are_refused(run):
    with pytest.raises(DataError, match=r"png is missing; .*snakemake --cores all fig2a"):
        published_from(run, "fig2a")
    with pytest.raises(DataError, match=r"none holds no run; .*snakemake --cores all fig2a"):
        publish("fig2a", run / "none", run / "none", run / "docs")
    configure(run, datasets={"lastfm": {"kind": "generated"}})
    with pytest.raises(ConfigError, match="generated data"):
        published_from(run, "sensitivity")
    assert not (run / "docs").exists()


@pytest.mark.parametrize("text", ["[]", "{}", "null", '{"output": 5, "datasets": {}}'])
def test_what_is_no_configuration_of_a_run_is_named(run, text):
    (run / "results/paper/config.json").write_text(text, "utf-8")
    with pytest.raises(DataError, match=r"config\.json is no configuration of a run"):
        publishable_config("fig2a", run / "results/paper")


def test_results_of_another_configuration_or_run_are_not_replaced(run):
    published_from(run, "sensitivity")
    before = {path: path.read_bytes() for path in (run / "docs").rglob("*") if path.is_file()}
    seeds = {"fresh": {"verdict": 200, "learning": 300}, "verdict": 3, "learning": 2}
    configure(run, run="quick", rounds=2000, seeds=seeds, output="/elsewhere")
    with pytest.raises(ConfigError, match=r"differ: rounds, run, seeds\.verdict\. .*--force"):
        published_from(run, "verdict")
    after = {path: path.read_bytes() for path in (run / "docs").rglob("*") if path.is_file()}
    assert after == before
    published_from(run, "verdict", force=True)
    assert files.read_json(run / "docs/config.json")["rounds"] == 2000


def test_the_place_of_a_run_is_no_difference_and_is_not_published(run):
    published_from(run, "sensitivity")
    configure(run, output="/elsewhere", hetrec_dir="/data")
    published_from(run, "sensitivity")
    assert files.read_json(run / "docs/config.json")["output"] == "."


def test_the_command_line_publishes_no_run_of_another_folder(run, capsys):
    """Its own records would speak for the other's results."""
    configure(run, output=".")
    there = ["--output", str(run), "--to", str(run / "docs")]
    assert cli.main(["publish", "sensitivity", *there]) == 2
    assert "in another folder" in capsys.readouterr().err
    assert not (run / "docs").exists()


def test_the_command_line_replaces_other_results_only_if_forced(run, monkeypatch, capsys):
    monkeypatch.setattr("horde.experiments.finished.require_finished", lambda *_: None)
    command = ["publish", "sensitivity", "--output", str(run), "--to", str(run / "docs")]
    configure(run, output=str(run))
    assert cli.main(command) == 0
    configure(run, rounds=2000)
    assert cli.main(command) == 2
    assert "keys differ: rounds." in capsys.readouterr().err
    assert cli.main([*command, "--force"]) == 0


def test_links_of_a_published_page_lead_to_what_was_published(run):
    published_from(run, "sensitivity")
    published_from(run, "verdict")
    text = (run / "docs/verdict.html").read_text("utf-8")
    linked = '<a href="figures/sensitivity.png">sensitivity</a>fig1a_n'
    assert text == f'{linked}<a href="verdict.csv">rows</a>'


def test_none_of_the_reference_results_is_of_generated_data():
    kept = [path for path in REFERENCE.rglob("*") if path.is_file()]
    configs = [files.read_json(path) for path in kept if path.name == "config.json"]
    assert configs
    kinds = {entry["kind"] for config in configs for entry in config["datasets"].values()}
    assert "generated" not in kinds
