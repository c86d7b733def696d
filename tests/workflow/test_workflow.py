"""The workflow: which jobs there are, what reruns them, and what survives a mishap."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
import yaml
from workflow_tree import (
    ROOT,
    SCALE,
    assert_loads_nothing,
    clean_environment,
    fresh,
    offline,
)

from horde.errors import ConfigError, DataError
from horde.experiments.finished import require_finished

DOWNSTREAM = {"regret": 1, "regret_figure": 1, "regret_of_dataset": 1}
TINY = ("workflow/config/tiny.yaml",)
PAPER = ()


@pytest.fixture(scope="session")
def new(tmp_path_factory):
    """A clean checkout in a folder whose name is not an easy one."""
    return fresh(tmp_path_factory.mktemp("workflow") / "größe 1 & 'more'")


@pytest.fixture(scope="session")
def finished(new, tmp_path_factory):
    """A finished run; started with an environment that asks for more threads than declared."""
    tree = new.copy(tmp_path_factory.mktemp("finished") / "größe 2 & 'more'")
    tree.run(OMP_NUM_THREADS="4", OPENBLAS_NUM_THREADS="4", NUMBA_NUM_THREADS="4")
    return tree


@pytest.fixture
def copy(finished, tmp_path):
    """A finished run to be tampered with."""
    return finished.copy(tmp_path / "copy of it")


def simulated(jobs):
    """Outputs of the simulations among the jobs."""
    return [outputs[0].split(",")[0] for rule, outputs in jobs if rule.startswith("simulate")]


# Which jobs there are.


def test_a_clean_checkout_schedules_every_figure_of_the_paper(new):
    config = yaml.safe_load((ROOT / "config.yaml").read_text("utf-8"))
    jobs = new.jobs(scale=PAPER, targets=())
    drawn = " ".join(outputs[0] for rule, outputs in jobs if rule.endswith("_figure"))
    regret = config["figures"]["regret"]
    others = ("fig1a_n", "fig1b_d", "fig1c_million", "fig3a_lastfm_learning", "figB_theory")
    for name in (*regret["names"].values(), *others):
        assert f"figures/paper/{name}.pdf" in drawn
    runs = [name.split("/")[3:] for name in simulated(jobs)]
    figure_2 = [
        run for run in runs if run[1] in regret["policies"] and run[2] in ("tuned", "paper")
    ]
    # All but Random have hyper-parameters, tuned or the paper's.
    policies, datasets = len(regret["policies"]), len(config["datasets"])
    seeds = config["seeds"]["figure"]
    assert len(figure_2) == datasets * seeds * (2 * policies - 1)


def test_the_results_are_not_in_the_repository():
    listed = subprocess.run(
        ["git", "ls-files", "figures", "results", "data"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert [name for name in listed if not name.endswith((".md", ".yaml"))] == []


@pytest.mark.parametrize(
    "target",
    ["fig2a", "figures/tiny/fig2a_lastfm_regret.pdf", "figures/tiny/fig2a_lastfm_regret.png"],
)
def test_a_single_figure_needs_its_own_jobs_only(new, target):
    jobs = new.jobs(scale=TINY, targets=(target,))
    assert not [outputs for _, outputs in jobs if "delicious" in str(outputs)]
    assert {rule for rule, outputs in jobs if outputs} == {
        "generate",
        "acquire",
        "prepare",
        "tune",
        "simulate",
        "simulate_paper",
        "regret_of_dataset",
        "regret_figure",
    }


def test_a_scalability_figure_needs_its_own_measurement_only(new):
    assert new.rules(scale=TINY, targets=("fig1b",)) == {
        "measure_scalability": 1,
        "scalability_figure": 1,
    }


def test_measurements_run_alone_whatever_the_cores(new):
    done = new.snakemake("--dry-run", "--cores", "7", scale=TINY, targets=("fig1b",))
    assert re.search(r"rule measure_scalability:\n(?: {4}.*\n)* {4}threads: 7\n", done.stdout), done


@pytest.mark.slow
def test_the_paper_s_jobs_are_listed_within_twenty_seconds_of_computing(new):
    done = subprocess.run(
        new.command("--dry-run", scale=PAPER),
        cwd=new.path,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)),
        check=False,
    )
    assert done.returncode == 0


# What a run leaves.


def test_nothing_is_to_be_done_afterwards_from_wherever_it_is_started(finished, tmp_path):
    assert finished.jobs() == []
    assert finished.jobs("--cores", "7", folder=tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_every_job_computes_with_its_declared_threads(finished):
    records = list(finished.path.glob("results/tiny/runs/lastfm/*/*/*.json"))
    assert len(records) == 8
    for path in records:
        pools = json.loads(path.read_text("utf-8"))["machine"]["thread_pools"]
        assert {pool["num_threads"] for pool in pools} == {1}


def test_a_result_says_where_it_comes_from(finished):
    path = finished.path / "results/tiny/runs/lastfm/G-TS/paper/1.json"
    record = json.loads(path.read_text("utf-8"))
    params = record["experiment"]["params"]
    assert (params["solver"], params["iterations"]) == ("cg", 5)
    assert params["sampler"] == "marginal"
    assert "lastfm/1/stream" in record["draws"]
    assert record["data"]["source"]["kind"] == "generated"
    assert record["machine"]["packages"]["numpy"] == np.__version__
    assert "seconds" not in path.read_text("utf-8")


def test_the_resolved_configuration_stands_with_the_results(finished):
    config = json.loads((finished.path / "results/tiny/config.json").read_text("utf-8"))
    assert config["rounds"] == 200
    assert list(config["datasets"]) == ["lastfm"]


# What reruns what.


def test_what_another_configuration_made_is_not_finished(finished):
    """As `horde publish` asks, since the configuration beside the results is of the last start."""
    config = json.loads((finished.path / "results/tiny/config.json").read_text("utf-8"))
    require_finished("fig2a", config, finished.path)
    with pytest.raises(DataError, match=r"fig2a is not finished as tiny(.|\n)*simulate"):
        require_finished("fig2a", config | {"rounds": 201}, finished.path)
    with pytest.raises(DataError, match="could not be found out"):
        require_finished("no_such_rule", config, finished.path)
    with pytest.raises(ConfigError, match="no Snakefile"):
        require_finished("fig2a", config, finished.path / "results")


def test_without_records_nothing_is_finished(copy):
    config = json.loads((copy.path / "results/tiny/config.json").read_text("utf-8"))
    shutil.rmtree(copy.path / ".snakemake")
    with pytest.raises(DataError, match="no records"):
        require_finished("fig2a", config, copy.path)


def test_results_without_records_are_warned_of(finished, copy):
    told = "its records in .snakemake are gone"
    assert told not in copy.snakemake("--dry-run").stdout
    shutil.rmtree(copy.path / ".snakemake")
    assert told in copy.snakemake("--dry-run").stdout


def test_touched_files_rerun_nothing(copy):
    for path in copy.path.rglob("*"):
        if path.suffix in {".py", ".smk", ".yaml", ".zip"} or path.name.endswith(
            ("tables.npz", "dataset.npz", "source.json")
        ):
            path.touch()
    assert copy.jobs() == []


def test_contents_are_compared_whatever_their_size():
    """Snakemake compares those of small files only, unless told otherwise."""
    profile = yaml.safe_load((ROOT / "profiles/default/config.yaml").read_text("utf-8"))
    assert profile["max-checksum-file-size"] == "1000GB"
    for name in ("slurm", "cluster-generic"):
        cluster = yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text("utf-8"))
        assert "max-checksum-file-size" not in cluster


@pytest.mark.parametrize(
    "overlay",
    [
        "rounds: 200.0",
        "tuning: {grids: {lam: [1.0e-1, 1.0], alpha2: ['5e-1']}}",
        "seeds: {learning: 2, verdict: 2.0, figure: 2}",
        "policies: {CLUB: {tuned: {ucb_log: true}, paper: {}}}",
    ],
)
def test_what_means_the_same_reruns_nothing(finished, tmp_path, overlay):
    (tmp_path / "over.yaml").write_text(overlay, "utf-8")
    scale = ("workflow/config/tiny.yaml", "micro.yaml", tmp_path / "over.yaml")
    assert finished.jobs(scale=scale) == []


def test_numbers_spelt_on_the_command_line_rerun_nothing(finished):
    assert finished.jobs("--config", "rounds=2e2", "tuning={rounds: '100'}") == []


def test_a_label_redraws_and_recomputes_nothing(finished, tmp_path):
    (tmp_path / "over.yaml").write_text("datasets: {lastfm: {label: Music}}", "utf-8")
    scale = ("workflow/config/tiny.yaml", "micro.yaml", tmp_path / "over.yaml")
    assert finished.rules(scale=scale) == {"regret_figure": 1}


def test_a_seed_costs_its_own_runs_only(finished, tmp_path):
    (tmp_path / "over.yaml").write_text("seeds: {figure: 3}", "utf-8")
    scale = ("workflow/config/tiny.yaml", "micro.yaml", tmp_path / "over.yaml")
    runs = simulated(finished.jobs(scale=scale))
    assert len(runs) == 4
    assert all(path.endswith("/2.npz") for path in runs)


def test_a_policy_costs_its_own_runs_only(finished, tmp_path):
    over = "figures: {regret: {policies: [EG-IND, TS-IND, G-TS]}}"
    (tmp_path / "over.yaml").write_text(over, "utf-8")
    scale = ("workflow/config/tiny.yaml", "micro.yaml", tmp_path / "over.yaml")
    runs = simulated(finished.jobs(scale=scale))
    assert len(runs) == 4
    assert all("/TS-IND/" in path for path in runs)


def test_an_edited_module_reruns_exactly_what_it_concerns(copy):
    module = "src/horde/posteriors/gmrf.py"
    before = (copy.path / module).read_text("utf-8")
    copy.append(module, "# An edit.\n")
    jobs = copy.jobs()
    concerned = {outputs for rule, outputs in jobs if rule.startswith(("tune", "simulate"))}
    assert len(concerned) == 5
    assert all("G-TS" in str(outputs) for outputs in concerned)
    (copy.path / module).write_text(before, "utf-8")
    assert copy.jobs() == []


@pytest.mark.parametrize(
    ("module", "rules"),
    [
        ("src/horde/policies/club.py", {}),
        ("src/horde/policies/registry.py", {}),
        ("src/horde/figures/style.py", {"regret_figure": 1}),
        ("src/horde/tables.py", DOWNSTREAM | {"time_of_runs": 1}),
        ("workflow/scripts/regret_figure.py", {"regret_figure": 1}),
    ],
)
def test_an_edit_concerns_what_imports_it(copy, module, rules):
    copy.append(module, "# An edit.\n")
    assert copy.rules() == rules


def test_a_wider_grid_that_changes_no_choice_reruns_no_run(copy):
    """An enormous lambda shrinks every mean to nothing, so that it is never chosen."""
    (copy.path / "over.yaml").write_text("tuning: {grids: {lam: [0.1, 1, 1.0e9]}}", "utf-8")
    scale = ("workflow/config/tiny.yaml", "micro.yaml", "over.yaml")
    points = set(copy.path.glob("results/tiny/tuning/points/*"))
    times = {path: path.stat().st_mtime_ns for path in copy.path.glob("results/tiny/runs/**/*.npz")}
    done = copy.run(scale=scale)
    assert "tune:" in done.stdout + done.stderr
    assert {path: path.stat().st_mtime_ns for path in times} == times
    # One value more for each of the two tuned policies, one scale each.
    assert len(set(copy.path.glob("results/tiny/tuning/points/*")) - points) == 2
    assert copy.jobs(scale=scale) == []


# Mishaps.


def test_a_run_that_fails_leaves_its_reason_and_no_average(copy):
    """A folder where the saved state belongs makes one seed fail at its very end."""
    runs = copy.path / "results/tiny/runs/lastfm/EG-IND/tuned"
    for seed in (0, 1):
        (runs / f"{seed}.npz").unlink()
    (runs / "1.npz.part").mkdir()
    shutil.rmtree(copy.path / "results/tiny/summary")
    done = copy.snakemake("--cores", "2", "--keep-going")
    assert done.returncode != 0
    assert (runs / "0.npz").exists()
    assert not (runs / "1.npz").exists()
    assert not (copy.path / "results/tiny/summary").exists()
    log = (copy.path / "results/tiny/logs/simulate/lastfm/EG-IND/tuned/1.log").read_text("utf-8")
    assert "Traceback" in log
    assert '"seed": 1' in log
    assert '"lam": ' in log


def test_without_data_and_network_figures_on_synthetic_problems_are_drawn(new, tmp_path):
    tree = new.copy(tmp_path / "no data")
    (tree.path / "over.yaml").write_text("datasets: {lastfm: {kind: hetrec}}", "utf-8")
    options = {"scale": (*TINY, "over.yaml"), "targets": ("fig2a", "fig1b")}
    done = tree.snakemake(
        "--cores", "2", "--keep-going", **options, **offline(tmp_path / "offline")
    )
    assert done.returncode != 0
    told = done.stdout + done.stderr
    assert "no network" in told
    assert "HETREC_DIR" in told
    assert "Traceback" not in told
    figures = sorted(path.name for path in tree.path.glob("figures/tiny/*.pdf"))
    assert figures == ["fig1b_d.pdf"]
    assert list(tree.path.glob("data/raw/*")) == []
    assert list(tree.path.glob("results/tiny/data/*/*")) == []


@pytest.mark.slow
def test_what_only_a_job_can_know_is_told_without_a_traceback(copy):
    done = copy.snakemake("--cores", "1", "--config", "offered=500")
    assert done.returncode != 0
    told = done.stdout + done.stderr
    assert "500 items a round are to be offered, but dataset 'lastfm' has 120" in told
    assert "Traceback" not in told
    logs = [path.read_text("utf-8") for path in copy.path.glob("results/tiny/logs/**/*.log")]
    assert any("Traceback" in log for log in logs)


@pytest.mark.slow
def test_a_report_is_made_of_a_single_figure_and_without_a_network(copy, tmp_path):
    copy.run("--report", "report.html", targets=("fig2a",), **offline(tmp_path / "offline"))
    report = (copy.path / "report.html").read_text("utf-8")
    assert "fig2a_lastfm_regret" in report
    assert_loads_nothing(report)


def test_a_killed_run_is_resumed_without_redoing_what_was_finished(new, finished, tmp_path):
    tree = new.copy(tmp_path / "killed")
    (tree.path / "fewer.yaml").write_text(
        "figures: {regret: {policies: [EG-IND], variants: [tuned]}}\nseeds: {figure: 4}", "utf-8"
    )
    options = {"scale": (*SCALE, "fewer.yaml"), "targets": ("fig2a",)}
    process = subprocess.Popen(
        tree.command("fig2a", "--cores", "1", scale=options["scale"]),
        cwd=tree.path,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    runs = "results/tiny/runs/lastfm/EG-IND/tuned"
    wait_for(lambda: len(list(tree.path.glob(f"{runs}/*.npz"))) >= 2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    times = {path: path.stat().st_mtime_ns for path in tree.path.glob(f"{runs}/*.npz")}
    assert tree.snakemake("--unlock", **options).returncode == 0
    tree.run(**options)
    redone = [path for path, written in times.items() if path.stat().st_mtime_ns != written]
    # The one that was just being finished has no record yet of being whole.
    assert len(redone) <= 1
    for seed in (0, 1):
        name = f"{runs}/{seed}.npz"
        assert (tree.path / name).read_bytes() == (finished.path / name).read_bytes()
    assert (tree.path / "figures/tiny/fig2a_lastfm_regret.pdf").exists()


def wait_for(condition):
    give_up = time.monotonic() + 240
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.05)


def test_a_typo_is_named_without_a_traceback(new):
    done = new.snakemake("--dry-run", "--config", "round=5")
    assert done.returncode != 0
    told = done.stdout + done.stderr
    assert "unknown key 'round'" in told
    assert "'rounds'" in told
    assert "Traceback" not in told


def test_output_can_lie_elsewhere(new, tmp_path):
    jobs = new.jobs("--config", f"output={tmp_path / 'out (x)'}", targets=("fig2a",))
    outputs = [path for _, paths in jobs for path in paths]
    assert outputs
    assert all(path.startswith(f"{tmp_path}/out (x)/") for path in outputs)
