"""The workflow: which jobs there are, what reruns them, and what survives a mishap."""

import json
import os
import re
import resource
import shutil
import subprocess
import zipfile

import numpy as np
import pytest
import yaml
from workflow_tree import PAPER, ROOT, TINY, clean_environment, fresh, listed, offline

from horde.data import lookalike
from horde.errors import ConfigError, DataError
from horde.experiments.finished import require_finished

RESULTS = "results/tiny"
RUNS = f"{RESULTS}/runs/lastfm"
SIMULATES = ("simulate", "simulate_paper", "simulate_as_given")
# The warning where nothing is known of what was made.
GONE = "its records in .snakemake are gone"


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
    """Dataset, policy, variant and block of the simulations among the jobs."""
    outputs = [outputs[0].split(",")[0] for rule, outputs in jobs if rule in SIMULATES]
    return [tuple(path.removesuffix(".npz").split("/")[-4:]) for path in outputs]


# Which jobs there are.


def test_a_clean_checkout_schedules_every_figure_of_the_paper(new):
    config = yaml.safe_load((ROOT / "config.yaml").read_text("utf-8"))
    jobs = new.jobs(scale=PAPER, targets=())
    drawn = " ".join(outputs[0] for rule, outputs in jobs if rule.endswith("_figure"))
    regret = config["figures"]["regret"]
    others = ("fig1a_n", "fig1b_d", "fig1c_million", "fig3a_lastfm_learning", "figB_theory")
    for name in (*regret["names"].values(), *others):
        assert f"figures/paper/{name}.pdf" in drawn
    runs = simulated(jobs)
    # Random has no hyper-parameters: neither tuned nor the paper's.
    expected = {
        (dataset, policy, variant, "0-2")
        for dataset in config["datasets"]
        for policy in regret["policies"]
        for variant in ("tuned", "paper")
        if (policy, variant) != ("Random", "paper")
    }
    assert expected <= set(runs)
    # What the claims compare, on seeds of their own; none of them while the rules are a draft.
    claims = yaml.safe_load((ROOT / "workflow" / "claims.yaml").read_text("utf-8"))
    compared = {
        *(("delicious", "GOBLIN", "tuned", block) for block in ("200-204", "205-209")),
        *(("delicious", "U-EG", "ours", block) for block in ("300-304", "305-309")),
        ("lastfm", "G-EG", "five-cg", "200-202"),
    }
    assert compared & set(runs) == (compared if claims["status"] == "final" else set())
    assert len(runs) == len(set(runs))


def test_the_results_are_not_in_the_repository():
    command = ["git", "ls-files", "figures", "results", "data"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert [name for name in done.stdout.split() if not name.endswith((".md", ".yaml"))] == []


def test_a_single_figure_needs_its_own_jobs_only(new):
    jobs = new.jobs(scale=TINY, targets=("figures/tiny/fig2a_lastfm_regret.pdf",))
    assert not [outputs for _, outputs in jobs if "delicious" in str(outputs)]
    assert {rule for rule, outputs in jobs if outputs} == {
        *("generate", "acquire", "prepare", "tune", "simulate", "simulate_paper"),
        *("average", "regret_figure"),
    }


def test_a_scalability_figure_needs_its_own_measurement_which_runs_alone(new):
    said = new.snakemake("--dry-run", "--cores", "7", scale=TINY, targets=("fig1b",))
    jobs = [rule for rule, outputs in listed(said) if outputs]
    assert sorted(jobs) == ["measure_scalability", "scalability_figure"]
    assert re.search(r"rule measure_scalability:\n(?: {4}.*\n)* {4}threads: 7\n", said), said


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


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("round=5", "unknown key 'round'(.|\n)*'rounds'"),
        ("output=elsewhere run=mine", "ask for elsewhere/figures/mine/fig2a_lastfm_regret.pdf"),
    ],
)
def test_a_slip_of_the_user_is_named(new, config, message):
    target = "figures/tiny/fig2a_lastfm_regret.pdf"
    said = new.snakemake("--dry-run", "--config", *config.split(), fails=True, targets=(target,))
    assert re.search(message, said)
    assert "Traceback (most" not in said


def test_output_can_lie_elsewhere(new, tmp_path):
    jobs = new.jobs("--config", f"output={tmp_path / 'out (x)'}", targets=("fig2a",))
    outputs = [path for _, paths in jobs for path in paths]
    assert outputs
    assert all(path.startswith(f"{tmp_path}/out (x)/") for path in outputs)


# What a run leaves.


def test_nothing_is_to_be_done_afterwards_from_wherever_it_is_started(finished, tmp_path):
    said = finished.snakemake("--dry-run", "--cores", "7", folder=tmp_path)
    assert listed(said) == []
    assert GONE not in said
    assert list(tmp_path.iterdir()) == []


def test_a_run_says_where_it_comes_from_and_computes_with_one_thread(finished):
    paths = sorted(finished.path.glob(f"{RESULTS}/timing/runs/lastfm/*/*/0-1.json"))
    records = [json.loads(path.read_text("utf-8")) for path in paths]
    assert len(records) == 4
    pools = [
        pool["num_threads"] for record in records for pool in record["machine"]["thread_pools"]
    ]
    assert set(pools) == {1}
    record = records[[path.parts[-3:-1] for path in paths].index(("G-TS", "paper"))]
    params = record["experiment"]["params"]
    assert (params["solver"], params["iterations"], params["sampler"]) == ("cg", 5, "marginal")
    assert record["machine"]["packages"]["numpy"] == np.__version__


def test_what_another_configuration_made_is_not_finished(finished):
    """As `horde publish` asks, since the configuration next to the results is of the last start."""
    config = json.loads((finished.path / RESULTS / "config.json").read_text("utf-8"))
    assert config["rounds"] == 200
    assert list(config["datasets"]) == ["lastfm"]
    require_finished("fig2a", config, finished.path)
    with pytest.raises(DataError, match=r"fig2a is not finished as tiny(.|\n)*simulate"):
        require_finished("fig2a", config | {"rounds": 201}, finished.path)
    with pytest.raises(DataError, match="could not be found out"):
        require_finished("no_such_rule", config, finished.path)
    with pytest.raises(ConfigError, match="no Snakefile"):
        require_finished("fig2a", config, finished.path / "results")


def test_without_records_nothing_is_known_to_be_finished(copy):
    config = json.loads((copy.path / RESULTS / "config.json").read_text("utf-8"))
    shutil.rmtree(copy.path / ".snakemake")
    assert GONE in copy.snakemake("--dry-run")
    with pytest.raises(DataError, match="no records"):
        require_finished("fig2a", config, copy.path)


# What reruns what.


def test_touched_files_rerun_nothing(copy):
    names = ("tables.npz", "dataset.npz", "source.json")
    for path in copy.path.rglob("*"):
        if path.suffix in {".py", ".smk", ".yaml", ".zip"} or path.name in names:
            path.touch()
    assert copy.jobs() == []


def test_what_means_the_same_reruns_nothing(finished):
    """In a file, and spelt on the command line."""
    scale = finished.scale(
        "rounds: 200.0\n"
        "tuning: {grids: {lam: [1.0e-1, 1.0], alpha2: ['5e-1']}}\n"
        "seeds: {learning: 2, verdict: 2.0, figure: 2}\n"
        "policies: {CLUB: {tuned: {ucb_log: true}, paper: {}}}\n"
    )
    spelt = ("--config", "offered=1e1", "tuning={rounds: '100'}")
    assert finished.jobs(*spelt, scale=scale) == []


def test_a_label_redraws_and_recomputes_nothing(finished):
    scale = finished.scale("datasets: {lastfm: {label: Music}}")
    assert finished.rules(scale=scale) == {"regret_figure": 1}


def test_a_seed_and_a_policy_cost_their_own_blocks_only(finished):
    overlay = "seeds: {figure: 3}\nfigures: {regret: {policies: [EG-IND, TS-IND, G-TS]}}"
    runs = simulated(finished.jobs(scale=finished.scale(overlay)))
    blocks = [("EG-IND", "2"), ("G-TS", "2"), ("TS-IND", "0-1"), ("TS-IND", "2")]
    assert sorted(runs) == sorted(
        ("lastfm", policy, variant, block)
        for policy, block in blocks
        for variant in ("paper", "tuned")
    )


def test_an_edited_module_reruns_exactly_the_policies_that_use_it(copy):
    copy.append("src/horde/posteriors/gmrf.py", "# An edit.\n")
    made = [outputs for rule, outputs in copy.jobs() if rule in ("tune", *SIMULATES)]
    assert len(made) == 3
    assert all("G-TS" in str(outputs) for outputs in made)


@pytest.mark.parametrize(
    ("modules", "rules"),
    [
        (["src/horde/policies/club.py", "src/horde/policies/registry.py"], {}),
        (["src/horde/figures/style.py"], {"regret_figure"}),
        (["src/horde/results/tables.py"], {"average", "collect", "regret_figure", "timings"}),
        (["workflow/scripts/regret_figure.py"], {"regret_figure"}),
    ],
)
def test_an_edit_reruns_what_imports_it(copy, modules, rules):
    for module in modules:
        copy.append(module, "# An edit.\n")
    assert set(copy.rules()) == set(rules)


def test_a_wider_grid_that_changes_no_choice_reruns_no_run(copy):
    """An enormous lambda shrinks every mean to nothing, so that it is never chosen."""
    scale = copy.scale("tuning: {grids: {lam: [0.1, 1, 1.0e9]}}")
    times = {path: path.stat().st_mtime_ns for path in copy.path.glob(f"{RUNS}/**/*.npz")}
    assert len(re.findall(r"checkpoint tune:", copy.run(scale=scale))) == 2
    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert copy.jobs(scale=scale) == []


# Content of data decides, not their time stamps.


def replace(path, content):
    """Give a file other content of the same size, and an older time, as a restored backup has."""
    before = path.stat()
    path.write_bytes(content)
    assert path.stat().st_size == before.st_size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns - 10**12))


def test_older_data_of_other_content_are_taken(new, tmp_path):
    """Own tables; and an archive below HETREC_DIR, unpacked and not the published one."""
    tree = new.copy(tmp_path / "tree")
    rows = {
        "likes.csv": ["user,item", *(f"u{k},i{k % 4}" for k in range(8))],
        "tags.csv": ["item,tag", *(f"i{k},t{k % 3}" for k in range(6))],
        "friends.csv": ["user,friend", "u0,u1"],
    }
    for name, lines in rows.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    lookalike.generate(tmp_path, "lastfm", seed=3, users=20, items=60, log=lambda _: None)
    folder = tmp_path / "hetrec"
    with zipfile.ZipFile(tmp_path / "lastfm.zip") as file:
        file.extractall(folder / "hetrec2011-lastfm-2k")
    scale = tree.scale(
        f"datasets: {{lastfm: {{kind: hetrec}}, mine: {{kind: tables, folder: '{tmp_path}', "
        "label: mine}}\n"
        "allow_unverified_data: true\nfeatures: {dimension: 2}\noffered: 2\n",
        below=TINY,
    )
    targets = [f"{RESULTS}/data/{dataset}/summary.json" for dataset in ("lastfm", "mine")]
    options = {"scale": scale, "targets": targets, "HETREC_DIR": str(folder)}
    tree.run(**options)
    assert tree.jobs(**options) == []
    before = json.loads((tree.path / targets[1]).read_text("utf-8"))
    likes = (tmp_path / "likes.csv").read_bytes()
    replace(tmp_path / "likes.csv", likes.replace(b"u7,i3", b"u7,i4"))
    table = next(folder.rglob("user_artists.dat"))
    first, *lines = table.read_bytes().splitlines(keepends=True)
    replace(table, b"".join([first, *reversed(lines)]))
    made = [rule for rule, outputs in listed(tree.run(**options)) if outputs]
    assert sorted(made) == ["acquire", "acquire", "prepare", "prepare"]
    assert json.loads((tree.path / targets[1]).read_text("utf-8")) != before
    assert tree.jobs(**options) == []
    (tmp_path / "likes.csv").unlink()
    assert "holds 0 tables of likes" in tree.run("--dry-run", **options, fails=True)


# A run's name belongs to one scale.


def test_results_of_another_scale_are_not_replaced(copy):
    before = {path: path.read_bytes() for path in copy.path.glob(f"{RESULTS}/**/*.*")}
    said = copy.run("--config", "rounds=150", "features={dimension: 4}", fails=True)
    differences = ("rounds: 200 there, 150 now", "features.dimension: 5 there, 4 now")
    for part in (*differences, "run=NAME", "allow_other_scale=true"):
        assert part in said
    assert {path: path.read_bytes() for path in before} == before
    assert copy.jobs("--config", "rounds=150", "allow_other_scale=true", targets=("fig2a",)) != []


def test_a_start_that_failed_before_its_first_result_keeps_no_scale(copy):
    results = copy.path / RESULTS
    for path in results.iterdir():
        if path.name not in ("config.json", "data", "archives", "logs"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert copy.jobs("--config", "rounds=150", targets=("fig2a",)) != []


# Mishaps.


def test_a_seed_that_fails_leaves_its_reason_and_no_average(copy):
    """A folder where the finished seed belongs makes one seed fail at its very end."""
    block = copy.path / RUNS / "EG-IND/tuned/0-1.npz"
    block.unlink()
    (block.with_name("0-1.npz.part") / "1.npz").mkdir(parents=True)
    shutil.rmtree(copy.path / RESULTS / "summary")
    copy.run("--keep-going", fails=True)
    assert not block.exists()
    # The seed before it is kept for the next start.
    assert (block.with_name("0-1.npz.part") / "0.npz").exists()
    assert not (copy.path / RESULTS / "summary").exists()
    log = copy.path / RESULTS / "logs/simulate/lastfm/EG-IND/tuned/0-1.log"
    for part in ("Traceback", '"block": "0-1"', '"lam": ', "seed 1"):
        assert part in log.read_text("utf-8")


def test_without_data_and_network_figures_on_synthetic_problems_are_drawn(new, tmp_path):
    tree = new.copy(tmp_path / "no data")
    scale = tree.scale("datasets: {lastfm: {kind: hetrec}}", below=TINY)
    options = {"scale": scale, "targets": ("fig2a", "fig1b"), **offline(tmp_path / "offline")}
    said = tree.run("--keep-going", fails=True, **options)
    assert "no network" in said
    assert "HETREC_DIR" in said
    assert "Traceback" not in said
    figures = sorted(path.name for path in tree.path.glob("figures/tiny/*.pdf"))
    assert figures == ["fig1b_d.pdf"]
    assert list(tree.path.glob("data/raw/*")) == []
    assert list(tree.path.glob(f"{RESULTS}/data/*/*")) == []
