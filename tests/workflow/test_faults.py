"""Faults on purpose: after each the right result, or an error that names the file and the remedy.

What is injected: damaged, exchanged and missing intermediate files; full disks and folders that
can't be written; kills in mid-work, up to three in one run; clocks that jump. Each test is one
fault, or one run with its kills, of a seed of its own.
"""

import errno
import json
import os
import random
import shutil
import signal
import time
import zipfile
from datetime import datetime as real_datetime
from pathlib import Path
from types import SimpleNamespace

import fault_pipeline
import numpy as np
import pytest

from horde import machine
from horde.errors import HordeError
from horde.policies.epoch_greedy import EpochGreedy
from horde.policies.thompson import Thompson
from horde.policies.ucb import UCB
from horde.simulation import loop as simulation

pytestmark = pytest.mark.slow

JOBS = fault_pipeline.jobs()
RESULTS = ("summary/regret.csv", "summary/final_regret.csv")
REMEDIES = ("delete", "start again", "make room", "replace")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a pipeline that nothing happened to."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        fault_pipeline.make(JOBS)
    return folder


@pytest.fixture
def copy(finished, tmp_path, monkeypatch):
    """A copy of it to be damaged, as the working directory."""
    shutil.copytree(finished, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    return tmp_path / "copy"


def made():
    """Do what is to be done; return the error's message, None if there is none."""
    try:
        fault_pipeline.make(JOBS)
    except HordeError as error:
        return str(error)
    except SystemExit as error:
        return error.code
    return None


def assert_right(finished):
    for name in RESULTS:
        assert Path(name).read_bytes() == (finished / name).read_bytes(), name


def assert_clear(message, path):
    assert path.name in message, message
    assert any(remedy in message.lower() for remedy in REMEDIES), message


# Damaged files.


def emptied(path, rng, root):
    path.write_bytes(b"")


def truncated(path, rng, root):
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content))])


def flipped(path, rng, root):
    """Of a table the highest bits only: another digit would be another table."""
    content = bytearray(path.read_bytes())
    for _ in range(rng.randint(1, 4)):
        bit = 7 if path.suffix == ".csv" else rng.randrange(8)
        content[rng.randrange(len(content))] ^= 1 << bit
    path.write_bytes(content)


def overwritten(path, rng, root):
    content = bytearray(path.read_bytes())
    start = rng.randrange(len(content))
    content[start : start + 512] = bytes(len(content[start : start + 512]))
    path.write_bytes(content)


def lengthened(path, rng, root):
    with path.open("ab") as stream:
        stream.write(rng.randbytes(rng.randint(1, 300)))


def exchanged(path, rng, root):
    """The file of another dataset, policy or seed in its place, if there is one."""
    others = [other for other in root.rglob(f"*{path.suffix}") if alike(other, path)]
    if others:
        shutil.copy(rng.choice(sorted(others)), path)


def alike(other, path):
    same_kind = other.parts[-len(path.parts)] == path.parts[0] and other != path.absolute()
    named = path.stem in ("tables", "source", "dataset", "summary", "lastfm")
    return same_kind and other.is_file() and (other.name == path.name or not named)


def a_folder(path, rng, root):
    path.unlink()
    path.mkdir()


def missing(path, rng, root):
    path.unlink()


def other_content(path, rng, root):
    """Well-formed, but not what belongs there."""
    changes = {
        ".npz": other_arrays,
        ".json": other_values,
        ".csv": other_rows,
        ".zip": other_members,
    }
    changes[path.suffix](path, rng)


def other_arrays(path, rng):
    with np.load(path) as file:
        arrays = dict(file)
    changes = [lambda: arrays.pop(rng.choice(sorted(arrays)))]
    if "features" in arrays:
        changes = [lambda: spoil(arrays["features"], rng, rng.choice([np.nan, np.inf]))]
        changes.append(lambda: spoil(arrays["edges"], rng, rng.choice([-1, 16, 2**31 - 1])))
        changes.append(lambda: spoil(arrays["liked_items"], rng, rng.choice([-1, 2**31 - 1])))
    if "friends" in arrays:
        changes.append(lambda: spoil(arrays["friends"], rng, rng.choice([-1, 16, 2**31 - 1])))
    if "regret" in arrays:
        changes.append(lambda: spoil(arrays["regret"], rng, rng.choice([np.nan, -1.0, 1e300])))
    changes.append(lambda: arrays.update(edges=np.array([print], dtype=object)))
    rng.choice(changes)()
    np.savez(path, **arrays)


def spoil(array, rng, value):
    array.reshape(-1)[rng.randrange(array.size)] = value


def other_members(path, rng):
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(members))
    lines = members.pop(name).splitlines(keepends=True)
    if rng.random() < 0.7:
        del lines[rng.randrange(len(lines))]
        members[name] = b"".join(lines)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def other_values(path, rng):
    value = json.loads(path.read_text())
    if rng.random() < 0.3:
        value = rng.choice([{}, [], None, 3, "text", [value]])
    else:
        key = rng.choice(sorted(value))
        if rng.random() < 0.5:
            del value[key]
        else:
            value[key] = rng.choice([None, {}, [], "text", -1])
    path.write_text(json.dumps(value))


def other_rows(path, rng):
    header, *rows = path.read_text().splitlines()
    if rng.random() < 0.5:
        del rows[rng.randrange(len(rows))]
    else:
        row = rng.randrange(len(rows))
        fields = rows[row].split(",")
        fields[rng.randrange(len(fields))] = rng.choice(["", "x", "nan"])
        rows[row] = ",".join(fields)
    path.write_text("\n".join([header, *rows]) + "\n")


DAMAGES = (
    emptied,
    truncated,
    flipped,
    overwritten,
    lengthened,
    exchanged,
    a_folder,
    missing,
    other_content,
)


# What a later job reads.
READ = sorted({path for job in JOBS for path in job.inputs.values()})


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_named_or_does_no_harm(copy, finished, damage, seed):
    rng = random.Random(f"{damage.__name__} {seed}")
    path = Path(rng.choice(READ))
    damage(path, rng, finished)
    for job in fault_pipeline.downstream(JOBS, str(path)):
        job.forget()
    message = made()
    if message is None:
        assert_right(finished)
        return
    assert_clear(message, path)
    # The remedy that the message names.
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert made() is None
    assert_right(finished)


# Disks and folders.

FAULTS = (errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EDQUOT, errno.EIO)


def started_again(rng):
    """Forget a job and all after it; return how many jobs that are."""
    first = rng.choice([job for job in JOBS if job.script != "timings"])
    later = [first]
    for path in first.outputs.values():
        later += fault_pipeline.downstream(JOBS, path)
    for job in later:
        job.forget()
    return later


def assert_nothing_damaged(finished):
    """What bears a final name is whole."""
    for path in Path().rglob("*"):
        measured = path.parts[0] in ("logs", "timing")
        if path.is_file() and not measured and ".part" not in str(path):
            assert path.read_bytes() == (finished / path).read_bytes(), path


@pytest.mark.parametrize("call", ["write_bytes", "replace", "mkdir"])
@pytest.mark.parametrize("seed", range(10))
def test_what_cannot_be_written_is_named_and_goes_on_later(copy, finished, monkeypatch, call, seed):
    rng = random.Random(f"{call} {seed}")
    later = started_again(rng)
    fails_at = rng.randrange(1, 2 * len(later) + 1)
    original, called = getattr(Path, call), []

    def failing(path, *arguments, **named):
        if "logs" in path.parts:
            return original(path, *arguments, **named)
        called.append(path)
        if len(called) != fails_at:
            return original(path, *arguments, **named)
        if call == "write_bytes":
            original(path, arguments[0][: len(arguments[0]) // 2])
        raise OSError(code := rng.choice(FAULTS), os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(Path, call, failing)
        message = made()
    if len(called) >= fails_at:
        name = called[-1].name if call == "mkdir" else called[-1].name[1:].rsplit(".", 2)[0]
        assert name in message
        assert "can't be written" in message
    assert_nothing_damaged(finished)
    assert made() is None
    assert_right(finished)


# Kills.


def killed_somewhere(rng, marks):
    """Do the pipeline's work in a child that is killed at a random write or round.

    Each finished job leaves a file among the marks.
    """
    kill_at, events = rng.randrange(1, 700), iter(range(10**9))
    write = Path.write_bytes

    def dying_write(path, content):
        if next(events) < kill_at:
            return write(path, content)
        write(path, content[: rng.randrange(len(content) + 1)])
        return os.kill(os.getpid(), signal.SIGKILL)

    def dying_round():
        if next(events) >= kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        try:
            patch = pytest.MonkeyPatch()
            patch.setattr(Path, "write_bytes", dying_write)
            patch.setattr(simulation, "SAVE_SECONDS", rng.choice([0.0, 0.001, 30.0]))
            at_each_round(patch, dying_round)
            fault_pipeline.make(JOBS, lambda job: mark(marks, job).touch())
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL)
    # As Snakemake does with what is incomplete.
    for job in JOBS:
        if not mark(marks, job).exists():
            job.forget()


def at_each_round(patch, act):
    """Let the policies in use play one round at a time, and call `act` before each."""
    patch.setattr(simulation, "STEP_SECONDS", 0.0)
    for rule in (EpochGreedy, Thompson, UCB):

        def play(*arguments, before=rule.play):
            act()
            return before(*arguments)

        patch.setattr(rule, "play", play)


def mark(folder, job):
    return folder / next(iter(job.outputs.values())).replace("/", "|")


@pytest.fixture
def empty(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")


@pytest.mark.parametrize("seed", range(20))
def test_a_killed_pipeline_goes_on_to_the_same_digits(empty, finished, tmp_path, seed):
    rng, marks = random.Random(f"kill {seed}"), tmp_path / "marks"
    marks.mkdir()
    for _ in range(rng.randint(1, 3)):
        killed_somewhere(rng, marks)
    # What was being written has a name of its own.
    for path in Path().rglob(".*.part"):
        path.unlink()
    assert_nothing_damaged(finished)
    assert made() is None
    assert_right(finished)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("damage", [emptied, truncated, flipped, overwritten, lengthened])
def test_a_damaged_saved_state_does_no_harm(copy, finished, monkeypatch, damage, seed):
    rng = random.Random(f"state {damage.__name__} {seed}")
    job = rng.choice([job for job in JOBS if job.script == "simulate"])
    job.forget()
    dies_at, rounds = rng.randrange(1, 60), iter(range(10**6))

    def dying():
        if next(rounds) == dies_at:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(simulation, "SAVE_SECONDS", 0.0)
        at_each_round(patch, dying)
        with pytest.raises(KeyboardInterrupt):
            fault_pipeline.make(JOBS)
    (state,) = Path(f"{job.outputs['curves']}.part").glob("*.state.npz")
    damage(state, rng, finished)
    for path in RESULTS:
        Path(path).unlink()
    for later in fault_pipeline.downstream(JOBS, job.outputs["curves"]):
        later.forget()
    assert made() is None
    assert_right(finished)


# Clocks.


@pytest.mark.parametrize("seed", range(4))
def test_a_clock_that_jumps_changes_no_digit(empty, finished, monkeypatch, seed):
    rng = random.Random(f"clock {seed}")

    def jumping():
        return time.perf_counter() + rng.choice([-1e9, -3600, 0, 0, 0, 3600, 1e9])

    def now(*_):
        return real_datetime.fromtimestamp(rng.randrange(2**32))

    jumps = SimpleNamespace(perf_counter=jumping, process_time=jumping)
    monkeypatch.setattr(machine, "monotonic", jumping)
    monkeypatch.setattr(machine, "time", jumps)
    monkeypatch.setattr(machine, "datetime", SimpleNamespace(now=now))
    assert made() is None
    assert_right(finished)
