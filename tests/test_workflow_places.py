"""The same bytes wherever, and however, the workflow is started."""

import shutil
import subprocess
import sys

import pytest
from workflow_tree import ROOT, clean_environment, fresh

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
