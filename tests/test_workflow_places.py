"""The same bytes wherever, and however, the workflow is started."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from numpy._core import _multiarray_umath
from workflow_tree import ROOT, TARGETS, clean_environment, fresh

from horde import npz

pytestmark = pytest.mark.slow
CURVE = "runs/lastfm/G-TS/tuned/1.npz"


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The results of a run on more cores than there are, in a folder with spaces."""
    tree = fresh(tmp_path_factory.mktemp("places") / "a folder with spaces")
    done = tree.snakemake("--cores", "8")
    assert done.returncode == 0, done.stdout + done.stderr
    return tree.path / "results" / "tiny"


def deterministic(results):
    """Name -> bytes of what must not depend on the place."""
    paths = [*results.glob("summary/**/*.csv"), *results.glob("runs/**/*.npz")]
    return {str(path.relative_to(results)): path.read_bytes() for path in paths}


def drawn(results):
    """Name -> bytes of the figures of a run, pictures and PDF."""
    figures = results.parent.parent / "figures" / "tiny"
    return {path.name: path.read_bytes() for path in figures.glob("fig2*.p*")}


def test_other_cores_threads_linear_algebra_and_processor_features(reference, tmp_path):
    tree = fresh(tmp_path / "tree")
    features = " ".join(_multiarray_umath.__cpu_dispatch__)
    environment = {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": features}
    threads = {"OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4"}
    done = tree.snakemake("--cores", "1", **environment, **threads)
    assert done.returncode == 0, done.stdout + done.stderr
    results = tree.path / "results" / "tiny"
    assert deterministic(results) == deterministic(reference)
    assert len(drawn(results)) == 2
    assert drawn(results) == drawn(reference)


def test_killed_three_times_and_resumed(reference, tmp_path):
    tree = fresh(tmp_path / "tree")
    results = tree.path / "results" / "tiny"
    for finished in (2, 4, 6):
        killed_after(tree, lambda enough=finished: len(list(results.rglob("[0-9].npz"))) >= enough)
        assert tree.snakemake("--unlock").returncode == 0
    tree.run()
    assert deterministic(results) == deterministic(reference)
    assert drawn(results) == drawn(reference)


def killed_after(tree, happened):
    """Start the workflow and kill it and its jobs, with -9, once something has happened."""
    process = subprocess.Popen(
        tree.command(*TARGETS, "--cores", "1"),
        cwd=tree.path,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while not happened():
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_a_checkout_that_is_only_read(reference, tmp_path):
    """Nothing is written into it, and a kernel cache that can't be written does not matter."""
    tree = fresh(tmp_path / "checkout")
    before = set(tree.path.rglob("*"))
    for path in (tree.path, *before):
        path.chmod(path.stat().st_mode & ~0o222)
    out = tmp_path / "out"
    out.mkdir()
    environment = {"HORDE_KERNEL_CACHE": "/dev/null/kernels", "PYTHONDONTWRITEBYTECODE": "1"}
    tree.run("--directory", str(out), folder=out, **environment)
    assert set(tree.path.rglob("*")) == before
    assert deterministic(out / "results" / "tiny") == deterministic(reference)


def test_an_installed_package_alone(reference, tmp_path):
    """`horde run` of the package as pip installs it, from a folder without the checkout."""
    source, site = tmp_path / "source", tmp_path / "site"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source)
    options = ["--no-index", "--no-deps", "--no-build-isolation", "--quiet", "--target", str(site)]
    run([sys.executable, "-m", "pip", "install", *options, str(source)], tmp_path)
    config = [ROOT / "config.yaml", ROOT / "workflow" / "config" / "tiny.yaml"]
    what = ["run", "--dataset", "lastfm", "--policy", "G-TS", "--seed", "1"]
    command = [site / "bin" / "horde", *what, "--config", *config, "--to", "out"]
    shutil.rmtree(source)
    run(command, tmp_path, PYTHONPATH=str(site))
    alone, workflow = npz.load(tmp_path / "out" / CURVE), npz.load(reference / CURVE)
    for name in ("rounds", "regret", "random_regret"):
        assert alone[name].tobytes() == workflow[name].tobytes()


def run(command, folder, **environment):
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=clean_environment() | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("conda"), reason="conda is not on the path")
def test_environments_of_conda(reference, tmp_path):
    tree = fresh(tmp_path / "tree")
    tree.run("--sdm", "conda")
    assert deterministic(tree.path / "results" / "tiny") == deterministic(reference)
