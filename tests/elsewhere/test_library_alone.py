"""The library alone: its dependencies are enough, and the command says what it lacks."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
# Without what a variable would add to the new environment.
ENVIRONMENT = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}


def required(requirements, found):
    """Add the installed distributions that the requirements name, and those that these need."""
    for text in requirements:
        requirement = Requirement(text)
        name = requirement.name.lower()
        if name not in found and (requirement.marker is None or requirement.marker.evaluate()):
            found[name] = metadata.distribution(name)
            required(found[name].requires or [], found)
    return found


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """An environment with the package, and what it says it needs.

    The package is the wheel made from the source archive, as a release has them.
    """
    folder = tmp_path_factory.mktemp("alone")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (folder / "archive").mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / "archive" / name)
    shutil.copytree(
        ROOT / "src" / "horde",
        folder / "archive" / "src" / "horde",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    made = [sys.executable, "-c", "from setuptools import build_meta; build_meta.build_sdist('..')"]
    quiet = {"env": ENVIRONMENT, "check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(made, cwd=folder / "archive", **quiet)
    (archive,) = folder.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-index", "--no-deps"]
    wheel = [*pip, "wheel", *offline, "--no-build-isolation", "--wheel-dir", folder, archive]
    subprocess.run(wheel, env=ENVIRONMENT, check=True)
    venv.create(folder / "venv")
    python = folder / "venv" / "bin" / "python"
    install = [*pip, "--python", python, "install", *offline, next(folder.glob("*.whl"))]
    subprocess.run(install, env=ENVIRONMENT, check=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder / "venv")}))
    (own,) = metadata.distributions(name="horde", path=[str(site)])
    core = [text for text in own.requires if "extra ==" not in text]
    for distribution in required(core, {}).values():
        for top in {path.parts[0] for path in distribution.files} - {"..", "__pycache__"}:
            (site / top).symlink_to(distribution.locate_file(top))
    return python


def run(*command):
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)


def test_the_package_is_whole(alone):
    """Tables, schemas and templates are in it, not only the code."""
    listed = run(alone, "-I", "-c", "import horde; print(horde.__path__[0])")
    installed, source = Path(listed.stdout.strip()), ROOT / "src" / "horde"
    for path in source.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert (installed / path.relative_to(source)).is_file(), path


NAMES = """
import sys, horde
for name in horde.FACE: getattr(horde, name)
for name in horde.POLICIES: horde.make(name)
print(horde.__file__)
"""
(EXAMPLE,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)


@pytest.mark.parametrize("program", [NAMES, EXAMPLE], ids=["all names", "the README's example"])
def test_its_dependencies_are_enough(alone, program):
    done = run(alone, "-I", "-c", program)
    assert done.returncode == 0, done.stderr
    assert (str(alone.parents[1]) if program == NAMES else "G-EG") in done.stdout


@pytest.mark.parametrize("start", [["-m", "horde"], ["command"]])
def test_the_command_says_in_a_sentence_what_lacks(alone, start):
    start = [alone.with_name("horde")] if start == ["command"] else [alone, "-I", *start]
    done = run(*start, "--version")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "no package 'click'" in done.stderr
    assert "pip install '.[workflow]'" in done.stderr
