"""Copies of the checkout in which tests start the workflow."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "config.yaml", "workflow", "src", "profiles")
# Scales: the overlays of config.yaml.
PAPER = ()
TINY = ("workflow/config/tiny.yaml",)
SCALE = (*TINY, "micro.yaml")
# One dataset of the tiny scale, and policies with and without a graph.
MICRO = """
datasets: {delicious: null}
figures: {regret: {policies: [EG-IND, G-TS]}}
"""
# What the tests of the workflow itself are about; the other figures have tests of their own.
TARGETS = ("fig2a", "results/tiny/summary/regret.csv", "results/tiny/timing/runs.csv")
# What Python imports when it starts, in a process that must not reach the network.
OFFLINE = """
import socket

def refused(*_, **__):
    raise OSError("no network: this test forbids it")

socket.getaddrinfo = socket.socket.connect = socket.socket.connect_ex = refused
"""
_JOB = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w+):\n((?: {4}.*\n)*)", re.MULTILINE)


@dataclass
class Tree:
    """A copy of what the workflow consists of, with its results."""

    path: Path

    def snakemake(
        self, *arguments, fails=False, folder=None, scale=SCALE, targets=TARGETS, **environment
    ):
        """Start the documented command; return what it prints. It must succeed, or fail."""
        command = self.command(*targets, *arguments, scale=scale)
        folder, environment = folder or self.path, clean_environment() | environment
        if "--dry-run" in arguments:
            code, said = forked(command, folder, environment)
        else:
            both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
            done = subprocess.run(command, cwd=folder, env=environment, **both, check=False)
            code, said = done.returncode, done.stdout
        assert (code != 0) == fails, said
        return said

    def command(self, *arguments, scale=SCALE):
        """Return the command line of `snakemake`."""
        files = [str(self.path / name) for name in scale]
        overlay = ["--configfile", *files] if files else []
        snakefile = ["--snakefile", str(self.path / "Snakefile")]
        return [sys.executable, "-m", "snakemake", *snakefile, *arguments, *overlay]

    def run(self, *arguments, **options):
        """Run to the end, on two cores if nothing else is said; return what is printed."""
        return self.snakemake("--cores", "2", *arguments, **options)

    def jobs(self, *arguments, **options):
        """Return (rule, outputs) of every job that is to be done."""
        return listed(self.snakemake("--dry-run", *arguments, **options))

    def rules(self, *arguments, **options):
        """Return rule -> number of jobs to be done, without those that only collect."""
        names = [rule for rule, outputs in self.jobs(*arguments, **options) if outputs]
        return {name: names.count(name) for name in sorted(set(names))}

    def killed(self, when, *arguments, **options):
        """Start on one core; kill the workflow and its jobs, with -9, once `when` is true."""
        process = subprocess.Popen(
            self.command(*arguments, "--cores", "1", **options),
            cwd=self.path,
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while not when():
            assert process.poll() is None
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.snakemake("--unlock", targets=arguments, **options)

    def scale(self, overlay, *, below=SCALE):
        """Return a scale with an overlay of its own, given as YAML."""
        path = self.path.parent / f"over-{len(list(self.path.parent.glob('over-*')))}.yaml"
        path.write_text(overlay, "utf-8")
        return (*below, path)

    def copy(self, path):
        """Copy the tree with times and metadata."""
        shutil.copytree(self.path, path, symlinks=True)
        return Tree(path)

    def append(self, name, text):
        """Append to a file of the tree."""
        path = self.path / name
        path.write_text(path.read_text("utf-8") + text, "utf-8")


def forked(command, folder, environment):
    """Run Snakemake in a fork of this process: importing it takes as long as a dry run.

    The package is imported anew, from the tree. Return the exit code and what is printed.
    """
    from snakemake import cli

    with tempfile.TemporaryFile("w+") as output:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.chdir(folder)
                os.environ.clear()
                os.environ.update(environment)
                for descriptor in (1, 2):
                    os.dup2(output.fileno(), descriptor)
                sys.stdout = sys.stderr = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115
                for name in [name for name in sys.modules if name.partition(".")[0] == "horde"]:
                    del sys.modules[name]
                cli.main(command[command.index("snakemake") + 1 :])
            except SystemExit as ended:
                code = ended.code or 0
            finally:
                sys.stdout.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(status), output.read()


def listed(said):
    """Return (rule, outputs) of every job that Snakemake says it does."""
    return [(rule, tuple(re.findall(r"output: (.*)", body))) for rule, body in _JOB.findall(said)]


def fresh(path):
    """Copy the checkout's workflow, without any result."""
    path.mkdir(parents=True)
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(source, path / name, ignore=ignored)
        else:
            shutil.copy2(source, path / name)
    (path / "micro.yaml").write_text(MICRO, "utf-8")
    return Tree(path)


def offline(folder):
    """Return an environment in which no process of Python's reaches the network."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(OFFLINE, "utf-8")
    return {"PYTHONPATH": str(folder)}


def executable(path, text):
    """Write a shell script that can be started."""
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)


def clean_environment():
    """Return the environment without what points to another checkout or to data."""
    dropped = ("PYTHONPATH", "HETREC_DIR", "SNAKEMAKE_PROFILE")
    return {name: value for name, value in os.environ.items() if name not in dropped}
