"""The cluster profiles on a real SLURM: the local run's bytes, resuming, failing, cancelling."""

import re
import shlex
import shutil
import signal
import subprocess
import time
from types import SimpleNamespace
from typing import NamedTuple

import pandas as pd
import pytest
from workflow_tree import PAPER, ROOT, TINY, clean_environment, fresh

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("slurm")]
# A job of a tiny run takes seconds: look often.
OPTIONS = {
    "local": ["--cores", "2"],
    "slurm": ["--profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "4"],
    "cluster-generic": [
        *("--profile", "profiles/cluster-generic"),
        *("--seconds-between-status-checks", "1"),
    ],
}
PROFILES = ("slurm", "cluster-generic")
# Jobs that the whole tiny workflow is submitted as; docs/cluster.md says so.
SUBMITTED = 38
# Seconds in which each step must end, on a machine that has much other work.
LIMIT = 3600


def head(tree, profile, *arguments, **options):
    """Start Snakemake with a profile, or locally; what it says goes to head.log."""
    with (tree.path / "head.log").open("a", encoding="utf-8") as log:
        return subprocess.Popen(
            tree.command(*OPTIONS[profile], *arguments, **options),
            cwd=tree.path,
            env=clean_environment(),
            stdout=log,
            stderr=subprocess.STDOUT,
            # A test run in the background ignores interrupts; what it starts must not.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )


def head_log(tree):
    return (tree.path / "head.log").read_text("utf-8")


def submitted(tree):
    """Number of jobs that the head knows to be submitted."""
    return len(re.findall("with (?:SLURM|external) jobid", head_log(tree)))


def ends_well(process, tree):
    try:
        assert process.wait(LIMIT) == 0, head_log(tree)
    finally:
        process.kill()


def await_(condition):
    give_up = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.2)


def jobs_left():
    """Jobs that SLURM has not done with."""
    asked = ["squeue", "-h", "-t", "PENDING,RUNNING,COMPLETING", "-o", "%A"]
    return subprocess.run(asked, capture_output=True, text=True, check=True, timeout=60).stdout


class Job(NamedTuple):
    """A running job, as squeue tells of it."""

    number: str
    comment: str  # has the name of the rule or group
    asked_cpus: str
    cpus: str


def running():
    asked = ["squeue", "-h", "-t", "RUNNING", "-o", "%A|%k|%c|%C"]
    listed = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=60).stdout
    return [Job(*line.split("|")) for line in listed.splitlines()]


def trouble(path):
    """A tree whose Snakefile gets into trouble; it has the profiles of the real one."""
    tree = fresh(path)
    shutil.copy(ROOT / "tests" / "cluster" / "Snakefile.trouble", tree.path / "Snakefile")
    return tree


@pytest.fixture(scope="module")
def heads(tmp_path_factory, slurm):
    """All that takes minutes, at once: the whole tiny workflow on this machine and through each
    profile; and, mostly waiting for a limit to pass, jobs over their memory or time.

    It has the finished trees, and which jobs ran at the same time.
    """
    folder = tmp_path_factory.mktemp("heads")
    over = {name: trouble(folder / f"over {name}") for name in PROFILES}
    whole = {name: fresh(folder / f"with {name}") for name in (*PROFILES, "local")}
    started = [(tree, head(tree, name, scale=PAPER)) for name, tree in over.items()]
    started += [(tree, head(tree, name, scale=TINY)) for name, tree in whole.items()]
    seen = []

    def ended():
        seen.append(running())
        return all(process.poll() is not None for _, process in started)

    try:
        await_(ended)
    finally:
        for _, process in started:
            process.kill()
    for tree, process in started:
        assert process.returncode == 0, head_log(tree)
    return SimpleNamespace(over=over, whole=whole, seen=seen)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_gives_the_bytes_of_a_local_run(heads, profile):
    tree, local = heads.whole[profile], heads.whole["local"]
    results, figures = local.path / "results" / "tiny", local.path / "figures" / "tiny"
    names = [*results.glob("summary/**/*.csv"), results / "verdict.csv"]
    # Figure 1 shows what was measured.
    names += [path for path in figures.iterdir() if not path.name.startswith("fig1")]
    assert len(names) >= 40
    for path in names:
        name = path.relative_to(local.path)
        assert (tree.path / name).read_bytes() == path.read_bytes(), name
    measured = list(results.glob("timing/*.csv"))
    assert len(measured) >= 4
    for path in measured:
        table, other = (pd.read_csv(p) for p in (path, tree.path / path.relative_to(local.path)))
        assert (table.shape, *table.columns) == (other.shape, *other.columns)
    assert tree.jobs(scale=TINY, targets=()) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_jobs_are_submitted_in_groups(heads, profile):
    assert submitted(heads.whole[profile]) == SUBMITTED
    assert jobs_left() == ""


def test_measurements_are_alone_on_their_node(heads):
    at_once = [jobs for jobs in heads.seen if any("measure" in job.comment for job in jobs)]
    assert at_once
    for jobs in at_once:
        assert len(jobs) == 1
        # It asks for one core, and is given all.
        assert (jobs[0].asked_cpus, jobs[0].cpus) == ("1", "4")


def test_a_killed_head_is_resumed(heads, tmp_path):
    """With the commands of docs/cluster.md: cancel its jobs, unlock, start again."""
    tree = fresh(tmp_path / "tree")
    figure = {"scale": TINY, "targets": ("fig2a",)}
    killed = head(tree, "cluster-generic", "fig2a", scale=TINY)
    runs = tree.path / "results/tiny/runs"
    await_(lambda: list(runs.glob("*/*/*/*.npz")) or killed.poll() is not None)
    killed.kill()
    killed.wait()
    subprocess.run(["scancel", "--name", "horde", "--me"], check=True, timeout=60)
    await_(lambda: jobs_left() == "")
    assert "--unlock" in tree.snakemake(*OPTIONS["cluster-generic"], fails=True, **figure)
    tree.snakemake("--unlock", **figure)
    prepared = {path: path.stat().st_mtime_ns for path in tree.path.glob("results/tiny/data/*/*")}
    ends_well(head(tree, "cluster-generic", "fig2a", scale=TINY), tree)
    for name in ("results/tiny/summary/regret_lastfm.csv", "figures/tiny/fig2a_lastfm_regret.pdf"):
        local = heads.whole["local"].path
        assert (tree.path / name).read_bytes() == (local / name).read_bytes()
    # What was whole has not been made again.
    assert prepared
    assert prepared == {path: path.stat().st_mtime_ns for path in prepared}


@pytest.mark.parametrize("profile", PROFILES)
def test_the_head_may_be_a_job_itself(tmp_path, profile):
    tree = fresh(tmp_path / "tree")
    prepared = "results/tiny/data/lastfm/dataset.npz"
    command = shlex.join(tree.command(*OPTIONS[profile], prepared, scale=TINY))
    options = ["--wait", "--mem=2000", "--time=60", "--output=head.log", "--wrap", command]
    done = subprocess.run(
        ["sbatch", *options], cwd=tree.path, env=clean_environment(), timeout=LIMIT, check=False
    )
    assert done.returncode == 0, head_log(tree)
    assert (tree.path / prepared).exists()


@pytest.mark.parametrize("profile", PROFILES)
def test_a_job_over_its_memory_or_time_is_reported_and_tried_again(heads, profile):
    tree = heads.over[profile]
    said = head_log(tree)
    for rule in ("memory", "time"):
        assert f"Error in rule {rule}:" in said
        assert f"logs/{rule}.log" in said
        assert (tree.path / f"{rule}.attempts").read_text("utf-8") == "1\n2\n"
    assert said.count("Trying to restart job") == 2


@pytest.mark.parametrize("profile", PROFILES)
def test_an_interrupt_cancels_every_job(tmp_path, profile):
    tree = trouble(tmp_path / profile)
    targets = [f"waiting{number}.txt" for number in range(4)]
    process = head(tree, profile, *targets, scale=PAPER)
    # Snakemake cancels the jobs that it knows of; one that is being submitted would be left.
    await_(lambda: submitted(tree) == len(targets) == len(jobs_left().split()))
    process.send_signal(signal.SIGINT)
    assert process.wait(LIMIT) != 0
    await_(lambda: jobs_left() == "")
    assert list(tree.path.glob("waiting*.txt")) == []
    assert list(tree.path.glob(".snakemake/locks/*")) == []
