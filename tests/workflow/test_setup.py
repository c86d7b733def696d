"""Setting up: one set of versions everywhere, and plain words where something is missing."""

import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml
from workflow_tree import ROOT, executable

LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def locked():
    """Requirements of the lock file, without hashes."""
    lines = re.findall(r"^[\w.-]+==[^\\\n]*", LOCK, flags=re.MULTILINE)
    return [line.strip() for line in lines]


def pip_list(name):
    environment = yaml.safe_load((ROOT / name).read_text("utf-8"))
    return next(part["pip"] for part in environment["dependencies"] if isinstance(part, dict))


def test_conda_gives_the_locked_versions_and_the_package():
    assert pip_list("environment.yml") == [*locked(), "-e ."]
    assert pip_list("workflow/envs/horde.yml") == locked()


def test_the_lock_has_every_dependency_with_hashes_and_no_host():
    names = {line.partition("==")[0] for line in locked()}
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *(line for extra in extras.values() for line in extra)]
    assert {re.match(r"[\w.-]+", line)[0].lower() for line in wanted} <= names
    assert LOCK.count("--hash=sha256:") > len(locked())
    assert "://" not in LOCK


def test_one_numpy_and_one_scipy_on_every_python():
    for name in ("numpy", "scipy", "numba"):
        assert len([line for line in locked() if line.startswith(f"{name}==")]) == 1


def fake_pythons(folder, pythons):
    """Write stand-ins that answer the two questions asked of a Python."""
    for name, (version, has_venv) in pythons.items():
        answer = f"""case "$2" in
    *version_info*) exit {0 if (3, 11) <= version < (3, 14) else 1} ;;
    *ensurepip*) exit {0 if has_venv else 1} ;;
esac
echo "Python {version[0]}.{version[1]}\""""
        executable(folder / name, answer)


def choose_python(folder, **environment):
    return subprocess.run(
        [ROOT / ".ci" / "python"],
        env={"PATH": str(folder)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("pythons", "chosen"),
    [
        ({"python3": ((3, 12), True)}, "python3"),
        ({"python3": ((3, 10), True), "python3.13": ((3, 13), True)}, "python3.13"),
        ({"python3": ((3, 14), True), "python3.11": ((3, 11), True)}, "python3.11"),
        ({"python3": ((3, 12), False), "python3.11": ((3, 11), True)}, "python3.11"),
    ],
)
def test_a_python_that_will_do_is_found(tmp_path, pythons, chosen):
    fake_pythons(tmp_path, pythons)
    assert choose_python(tmp_path).stdout.strip() == chosen


@pytest.mark.parametrize(
    ("pythons", "message"),
    [
        ({}, "no Python was found"),
        ({"python3": ((3, 9), True)}, "Python 3.9"),
        ({"python3": ((3, 12), False)}, "apt install python3-venv"),
    ],
)
def test_what_is_missing_is_named(tmp_path, pythons, message):
    fake_pythons(tmp_path, pythons)
    done = choose_python(tmp_path)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Install Python 3.11 to 3.13" in done.stderr


def test_a_python_that_was_named_is_not_replaced(tmp_path):
    fake_pythons(tmp_path, {"python3": ((3, 12), True)})
    done = choose_python(tmp_path, PYTHON="/nowhere/python3")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no /nowhere/python3" in done.stderr


def test_an_environment_of_another_folder_is_made_anew(tmp_path):
    """Else the command line would use the other folder's package."""
    for name, at_home in (("here", True), ("moved", False)):
        folder = tmp_path / name
        (folder / ".venv" / "bin").mkdir(parents=True)
        for file in ("Makefile", "requirements.lock", "pyproject.toml"):
            shutil.copy(ROOT / file, folder / file)
        (folder / ".venv" / "bin" / "python").symlink_to(sys.executable)
        (folder / ".venv" / "installed").write_text(str(tmp_path / "here"), "utf-8")
        command = ["make", "-q", ".venv/installed"]
        # Not what a `make VENV=...` that started these tests hands on.
        environment = {"PATH": os.environ["PATH"]}
        done = subprocess.run(command, cwd=folder, env=environment, check=False)
        assert (done.returncode == 0) == at_home


def test_the_bounds_on_python_agree():
    assert PROJECT["requires-python"] == ">=3.11,<3.14"
    assert "(3, 11) <= sys.version_info < (3, 14)" in (ROOT / ".ci/python").read_text("utf-8")


def test_ci_can_be_run():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_a_home_that_cannot_be_written_is_not_needed():
    """Else Snakemake ends in a traceback before it reads the Snakefile."""
    command = [sys.executable, "-m", "snakemake", "fig2a", "--dry-run", "--nolock"]
    tiny = ["--configfile", "workflow/config/tiny.yaml"]
    environment = os.environ | {"HOME": "/dev/null"}
    environment.pop("XDG_CACHE_HOME", None)
    done = subprocess.run([*command, *tiny], cwd=ROOT, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("target", ["demo", "paper"])
def test_make_starts_the_command_of_the_readme_and_ends_with_what_to_open(target, tmp_path):
    """With stand-ins for the environment and for Snakemake."""
    (tmp_path / "bin").mkdir()
    for name, text in {"python": f"printf %s {ROOT}", "snakemake": 'echo "started $@"'}.items():
        executable(tmp_path / "bin" / name, text)
    (tmp_path / "installed").write_text(str(ROOT), "utf-8")
    command = ["make", "--no-print-directory", target, f"VENV={tmp_path}"]
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    started, *shown = done.stdout.split("started ")[1].splitlines()
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"    snakemake {started}\n" in readme
    assert f"    make {target} " in readme
    for place in ("figures/{}/regret.html", "results/{}/verdict.html", "results/{}/summary"):
        assert place.format(target) in "\n".join(shown)
    assert f"{tmp_path}/bin/snakemake" in shown[-1]
    assert "--report report.html" in shown[-1]
