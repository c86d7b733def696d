"""The cluster profiles: both say the same of the jobs; what they ask for and submit."""

import re
import subprocess
from collections import Counter

import yaml
from workflow_tree import ROOT, fresh

# All that is about the jobs and not about how they are submitted.
SHARED = (
    *("default-resources", "set-resources", "set-threads", "groups", "group-components"),
    *("jobs", "latency-wait", "retries", "keep-going", "cores"),
)


def profile(name):
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text("utf-8"))


def test_both_profiles_say_the_same_of_the_jobs():
    for key in SHARED:
        assert profile("slurm")[key] == profile("cluster-generic")[key]


def test_no_group_is_cut():
    """A group cut into pieces is cut anew at each look, and jobs would be submitted twice."""
    params = profile("slurm")
    assert params["group-components"] == dict.fromkeys(params["groups"].values(), 1000)


def test_tens_of_jobs_are_submitted_for_the_paper(tmp_path):
    tree = fresh(tmp_path / "tree")
    done = tree.snakemake("--dry-run", "--profile", "profiles/slurm", scale=(), targets=())
    assert done.returncode == 0, done.stdout + done.stderr
    groups = re.findall(r"Group job (\S+) \(jobs", done.stdout)
    assert len(groups) == len(set(groups))
    alone = Counter(re.findall(r"^rule (\w+):\n(?: {4}.*\n)* {4}output:", done.stdout, re.M))
    # The head process's own.
    for rule, count in (("tuning_table", 1), ("regret_figure", 3), ("learning_figure", 2)):
        assert alone.pop(rule) == count
    # Each measurement alone on its node, with one thread.
    assert alone["measure_scalability"] == 3
    assert len(re.findall(r"slurm_extra=--exclusive", done.stdout)) == 3
    assert "threads: " not in done.stdout
    # What waits for several tunings can't be grouped; every other rule is in some group.
    assert set(alone) == {"measure_scalability", "alternative"}
    assert 30 <= len(groups) + alone.total() < 100


def test_what_waits_for_several_tunings_is_in_no_group(tmp_path):
    """Snakemake stops with a `KeyError` at a group of which members wait for different tunings."""
    tree = fresh(tmp_path / "tree")
    done = tree.snakemake("--dry-run", "--profile", "profiles/slurm", scale=(), targets=())
    jobs = re.findall(r"^( *)rule (\w+):\n *input: (.*)\n", done.stdout, re.M)
    waiting = {(rule, grouped) for grouped, rule, files in jobs if files.count("/tuning/") > 1}
    assert waiting == {
        (rule, "") for rule in ("tuning_table", "regret_figure", "learning_figure", "alternative")
    }


def test_the_status_of_a_job_in_one_word(tmp_path, monkeypatch):
    """Of jobs that the controller knows, has forgotten, or says nothing about."""
    script = ROOT / "profiles" / "cluster-generic" / "status"
    stand_in = tmp_path / "scontrol"
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for told, status, word in [
        ("JobId=7 JobState=RUNNING Reason=None", 0, "running"),
        ("JobId=7 JobState=COMPLETED Reason=None", 0, "success"),
        ("JobId=7 JobState=COMPLETING Reason=None", 0, "running"),
        ("JobId=7 JobState=OUT_OF_MEMORY Reason=None", 0, "failed"),
        ("JobId=7 JobState=CANCELLED Reason=None", 0, "failed"),
        ("slurm_load_jobs error: Invalid job id specified", 1, "failed"),
        ("slurm_load_jobs error: Unable to contact slurm controller", 1, "running"),
    ]:
        stand_in.write_text(f"#!/bin/sh\necho '{told}'\nexit {status}\n", "utf-8")
        stand_in.chmod(0o755)
        done = subprocess.run([script, "7"], capture_output=True, text=True, check=True)
        assert done.stdout == f"{word}\n"
