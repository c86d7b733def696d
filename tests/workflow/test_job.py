"""What every script of the workflow leaves behind when it fails."""

import errno
import runpy
import warnings
from types import SimpleNamespace

import pytest
from workflow_tree import ROOT

from horde import machine
from horde.errors import DataError, OutputError


@pytest.fixture
def path(tmp_path):
    """The log of the job."""
    return tmp_path / "logs" / "a.log"


@pytest.fixture
def job(path, monkeypatch):
    """A job that is about to start."""
    monkeypatch.setattr(machine, "pin", lambda _: None)
    given = SimpleNamespace(
        rule="simulate",
        input=["data/dataset.npz"],
        params={"seeds": [7, 8], "experiment": {"params": {"lam": 0.25}}},
        wildcards={"policy": "G-EG"},
        log=[str(path)],
    )
    return runpy.run_path(str(ROOT / "workflow" / "scripts" / "job.py"))["job"](given)


def fail(job, error):
    with job as log:
        log("5 of 9 rounds")
        raise error


@pytest.mark.parametrize(
    ("error", "ended"),
    [(DataError("a.npz is damaged"), SystemExit), (ZeroDivisionError("by 0"), ZeroDivisionError)],
)
def test_the_log_holds_the_exception_and_what_the_job_was_given(job, path, error, ended):
    with pytest.raises(ended):
        fail(job, error)
    text = path.read_text("utf-8")
    given = ("5 of 9 rounds", '"seeds": [', '"lam": 0.25', "G-EG", "dataset")
    assert [part for part in (str(error), "Traceback", *given) if part not in text] == []
    assert "done" not in text


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (DataError("a.npz is damaged"), "simulate: a.npz is damaged\n(log: "),
        (OutputError("a.npz can't be written (No space left on device)"), "a.npz can't be written"),
        (OSError(errno.ENOSPC, "No space left on device", "b.tmp"), "b.tmp can't be written"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "Disk quota exceeded); make room there"),
    ],
    ids=["data", "output", "a file", "no file"],
)
def test_what_the_user_can_fix_is_told_in_a_sentence_although_the_log_cannot_be_written(
    job, path, error, message
):
    """`sys.exit` prints its message alone."""
    path.parent.mkdir()
    path.symlink_to("/dev/full")
    with pytest.raises(SystemExit) as ended:
        fail(job, error)
    assert message in ended.value.code
    assert ended.value.__context__ is error  # and no second OSError


def test_a_log_that_cannot_be_made_stops_no_job(job, path):
    path.parent.write_text("a file in its place", "utf-8")
    with job:
        pass


def test_a_warning_is_one_plain_line_for_the_user_and_in_the_log(job, path, capsys):
    with job, warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.warn("the figure shows boxes", stacklevel=1)
    assert capsys.readouterr().err == "warning: the figure shows boxes\n"
    assert " warning: the figure shows boxes\n" in path.read_text("utf-8")
