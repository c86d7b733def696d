"""The cluster profiles on a real SLURM: the local run's bytes, resuming, failing, cancelling."""

import re
import shutil
import signal
import subprocess
import time

import pandas as pd
import pytest
from workflow_tree import ROOT, TARGETS, clean_environment, fresh

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("slurm")]
# A job of a tiny run takes seconds: look often.
PROFILES = {
    "slurm": ["--profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "4"],
    "cluster-generic": [
        *("--profile", "profiles/cluster-generic"),
        *("--seconds-between-status-checks", "1"),
    ],
}
# Seconds in which each step must end, on a machine that has other work too.
LIMIT = 900


@pytest.fixture(scope="session")
def local(tmp_path_factory):
    """Figure 2a of the tiny run on this machine, without the cluster."""
    tree = fresh(tmp_path_factory.mktemp("local") / "tree")
    tree.run()
    return tree


def head(tree, profile, *arguments, **options):
    """Start Snakemake with a cluster profile; what it says goes to head.log."""
    with (tree.path / "head.log").open("a", encoding="utf-8") as log:
        return subprocess.Popen(
            tree.command(*PROFILES[profile], *arguments, **options),
            cwd=tree.path,
            env=clean_environment(),
            stdout=log,
            stderr=subprocess.STDOUT,
        )


def told(tree):
    return (tree.path / "head.log").read_text("utf-8")


def ends_well(process, tree):
    try:
        assert process.wait(LIMIT) == 0, told(tree)
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


def same_as_local(tree, local):
    """Deterministic results in the same bytes, what was measured in the same shape."""
    results = local.path / "results" / "tiny"
    names = [path.relative_to(local.path) for path in results.glob("summary/**/*.csv")]
    names += [path.relative_to(local.path) for path in local.path.glob("figures/tiny/fig2*")]
    assert len(names) >= 5
    for name in names:
        assert (tree.path / name).read_bytes() == (local.path / name).read_bytes(), name
    measured = list(results.glob("timing/*.csv"))
    assert measured
    for path in measured:
        table, other = (pd.read_csv(p) for p in (path, tree.path / path.relative_to(local.path)))
        assert (table.shape, *table.columns) == (other.shape, *other.columns)


def test_the_slurm_profile_gives_the_bytes_of_a_local_run(local, tmp_path):
    tree = fresh(tmp_path / "a folder")
    started = time.monotonic()
    ends_well(head(tree, "slurm", *TARGETS), tree)
    submitted = told(tree).count("has been submitted with SLURM jobid")
    jobs = int(re.search(r"of (\d+) steps \(100%\)", told(tree))[1])
    seconds = time.monotonic() - started
    print(
        f"{jobs} jobs, {submitted} submitted, in {seconds:.0f} s, {seconds / submitted:.1f} s each"
    )
    same_as_local(tree, local)
    assert tree.jobs() == []
    assert jobs_left() == ""
    assert 2 <= submitted < jobs


def test_a_killed_head_is_resumed(local, tmp_path):
    """With the commands of docs/cluster.md: cancel its jobs, unlock, start again."""
    tree = fresh(tmp_path / "tree")
    killed = head(tree, "cluster-generic", *TARGETS)
    runs = tree.path / "results/tiny/runs"
    await_(lambda: list(runs.glob("*/*/*/*.npz")) or killed.poll() is not None)
    killed.kill()
    killed.wait()
    subprocess.run(["scancel", "--name", "horde", "--me"], check=True, timeout=60)
    await_(lambda: jobs_left() == "")
    refused = tree.snakemake(*PROFILES["cluster-generic"])
    assert refused.returncode != 0
    assert "--unlock" in refused.stdout + refused.stderr
    assert tree.snakemake("--unlock").returncode == 0
    finished = {path: path.stat().st_mtime_ns for path in tree.path.glob("results/tiny/data/*/*")}
    ends_well(head(tree, "cluster-generic", *TARGETS), tree)
    same_as_local(tree, local)
    # What was whole has not been made again.
    assert finished
    assert finished == {path: path.stat().st_mtime_ns for path in finished}


def trouble(path):
    """A tree whose Snakefile gets into trouble; it has the profiles of the real one."""
    tree = fresh(path)
    shutil.copy(ROOT / "tests" / "cluster" / "Snakefile.trouble", tree.path / "Snakefile")
    return tree


def test_a_job_over_its_memory_or_time_is_told_of_and_tried_again(tmp_path):
    trees = {profile: trouble(tmp_path / profile) for profile in PROFILES}
    heads = {profile: head(tree, profile, scale=()) for profile, tree in trees.items()}
    for profile, tree in trees.items():
        ends_well(heads[profile], tree)
        said = told(tree)
        for rule in ("memory", "time"):
            assert f"Error in rule {rule}:" in said
            assert f"logs/{rule}.log" in said
            assert (tree.path / f"{rule}.attempts").read_text("utf-8") == "1\n2\n"
        assert said.count("Trying to restart job") == 2


@pytest.mark.parametrize("profile", PROFILES)
def test_an_interrupt_cancels_every_job(tmp_path, profile):
    tree = trouble(tmp_path / profile)
    targets = [f"waiting{number}.txt" for number in range(4)]
    process = head(tree, profile, *targets, scale=())
    await_(lambda: len(jobs_left().split()) == len(targets))
    process.send_signal(signal.SIGINT)
    assert process.wait(LIMIT) != 0
    await_(lambda: jobs_left() == "")
    assert list(tree.path.glob("waiting*.txt")) == []
    assert list(tree.path.glob(".snakemake/locks/*")) == []
