"""The cluster profiles: the jobs they ask for, and what `status` makes of a scheduler's answers."""

import re
import shlex
import shutil
import subprocess
from collections import Counter

import pytest
import yaml
from workflow_tree import PAPER, ROOT, executable

PROFILES = ("slurm", "cluster-generic")
# All that is about the jobs and not about how they are submitted.
SHARED = (
    *("default-resources", "set-resources", "set-threads", "groups", "group-components"),
    *("jobs", "latency-wait", "retries", "keep-going", "cores"),
)


def profile(name):
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text("utf-8"))


def test_both_profiles_say_the_same_of_the_jobs():
    one, other = map(profile, PROFILES)
    for key in SHARED:
        assert one[key] == other[key]


def test_no_group_is_cut():
    """A group cut into pieces is cut anew at each look, and jobs would be submitted twice."""
    params = profile("slurm")
    assert params["group-components"] == dict.fromkeys(params["groups"].values(), 1000)


def test_contents_are_compared_whatever_their_size():
    """Snakemake compares those of small files only, unless it is configured otherwise."""
    limits = [profile(name).get("max-checksum-file-size") for name in ("default", *PROFILES)]
    assert limits == ["1000GB", None, None]


def test_what_is_submitted_for_the_paper(tree):
    said = tree.snakemake("--dry-run", "--profile", "profiles/slurm", scale=PAPER, targets=())
    groups = re.findall(r"Group job (\S+) \(jobs", said)
    assert len(groups) == len(set(groups))
    assert len(groups) < 250
    alone = Counter(re.findall(r"^rule (\w+):\n(?: {4}.*\n)* {4}output:", said, re.M))
    # Each measurement alone on its node, with one thread.
    assert alone.pop("measure_scalability") == 3
    assert len(re.findall(r"slurm_extra=--exclusive", said)) == 3
    assert "threads: " not in said
    # The head process makes what waits for several tunings: Snakemake stops with a `KeyError` at a
    # group of which members wait for different ones.
    assert alone == {"tuning_table": 1, "regret_figure": 3, "learning_figure": 2}
    jobs = re.findall(r"^( *)rule (\w+):\n *input: (.*)\n", said, re.M)
    waiting = {(rule, grouped) for grouped, rule, files in jobs if files.count("/tuning/") > 1}
    assert waiting == {(rule, "") for rule in alone}


def test_jobs_of_the_controls_that_wait_for_one_tuning_are_submitted_together(tree):
    options = {"scale": PAPER, "targets": ["controls"]}
    said = tree.snakemake("--dry-run", "--profile", "profiles/slurm", **options)
    rules = {
        name: set(re.findall(r"^ *rule (\w+):", text, re.M))
        for name, text in re.findall(r"Group job (\S+) .*\n((?: {4}.*\n|\n)*)", said)
    }
    graph = {name for name in rules if "permuted_G-EG" in name}
    assert graph == {
        *("runs_lastfm@permuted_G-EG", "runs_delicious@permuted_G-EG"),
        *("as_given_lastfm@permuted_G-EG", "as_given_delicious@permuted_G-EG"),
    }
    assert {rule for name in graph if name.startswith("as_given") for rule in rules[name]} == {
        "simulate_as_given"
    }


# Answers of the two commands of a scheduler: exit status, standard output, standard error.
FORGOTTEN = (1, "", "slurm_load_jobs error: Invalid job id specified")
NO_COMMAND = None


def known(state, job="7"):
    return (0, f"JobId={job} JobName=horde Priority=1 JobState={state} Reason=None", "")


def accounted(*lines, noise=""):
    return (0, "\n".join(lines), noise)


@pytest.mark.parametrize(
    ("scontrol", "sacct", "word"),
    [
        (known("RUNNING"), NO_COMMAND, "running"),
        (known("COMPLETED"), NO_COMMAND, "success"),
        (known("COMPLETING"), NO_COMMAND, "running"),
        (known("OUT_OF_MEMORY"), NO_COMMAND, "failed"),
        (known("CANCELLED"), NO_COMMAND, "failed"),
        # Noise: warnings before the record and about other things.
        ((0, known("COMPLETED")[1], "scontrol: warning: JobState=FAILED is odd"), None, "success"),
        ((0, "A message of the day.\n" + known("FAILED")[1], ""), NO_COMMAND, "failed"),
        # About another job, of which this number is the start or the end.
        (known("FAILED", "70"), NO_COMMAND, "running"),
        (known("COMPLETED", "17"), NO_COMMAND, "running"),
        # A name that looks like a state.
        ((0, "JobId=7 JobName=JobState=FAILED JobState=RUNNING Reason=None", ""), None, "running"),
        # Silent or late.
        ((0, "", ""), NO_COMMAND, "running"),
        ((124, "", ""), accounted("7|FAILED"), "running"),
        ((1, "", "slurm_load_jobs error: Unable to contact slurm controller"), None, "running"),
        # Forgotten by the controller: the accounting decides.
        (FORGOTTEN, accounted("7|COMPLETED"), "success"),
        (FORGOTTEN, accounted("7|CANCELLED by 1000"), "failed"),
        (FORGOTTEN, accounted("7|TIMEOUT"), "failed"),
        (FORGOTTEN, accounted("7|COMPLETED", noise="sacct: debug: FAILED to load"), "success"),
        (FORGOTTEN, accounted("7|PENDING"), "running"),
        (FORGOTTEN, accounted("7|NODE_FAIL", "7|COMPLETED"), "success"),  # queued again
        (FORGOTTEN, accounted("70|FAILED", "17|FAILED"), "running"),
        (FORGOTTEN, accounted(""), "running"),
        (FORGOTTEN, accounted("COMPLETED"), "running"),
        (FORGOTTEN, (1, "", "sacct: error: failed to open persistent connection"), "running"),
        (FORGOTTEN, (1, "7|COMPLETED", "sacct: error: connection lost"), "running"),
        (FORGOTTEN, (124, "", ""), "running"),
        # No accounting at all: nobody will ever know.
        (FORGOTTEN, NO_COMMAND, "failed"),
        (FORGOTTEN, (1, "", "Slurm accounting storage is disabled"), "failed"),
    ],
)
def test_a_job_runs_until_it_is_clear_what_became_of_it(
    scontrol, sacct, word, tmp_path, monkeypatch
):
    # Only what the script needs: a machine may have a real accounting.
    monkeypatch.setenv("PATH", str(tmp_path))
    for tool in ("sh", "timeout", "sed", "grep", "tail"):
        (tmp_path / tool).symlink_to(shutil.which(tool, path="/usr/bin:/bin"))
    for name, answer in {"scontrol": scontrol, "sacct": sacct}.items():
        if answer is NO_COMMAND:
            continue
        status, output, errors = answer
        lines = [f"echo {shlex.quote(errors)} >&2", f"echo {shlex.quote(output)}", f"exit {status}"]
        executable(tmp_path / name, "\n".join(lines))
    script = ROOT / "profiles" / "cluster-generic" / "status"
    done = subprocess.run([script, "7;test"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{word}\n"
