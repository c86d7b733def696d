"""What every script of the workflow leaves behind when it fails."""

import errno
import runpy
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest

from horde import machine
from horde.errors import DataError, OutputError

SCRIPT = Path(__file__).parents[2] / "workflow" / "scripts" / "job.py"


@pytest.fixture
def failing(tmp_path, monkeypatch):
    """Run a job that raises; return what came out of it and its log."""
    monkeypatch.setattr(machine, "pin", lambda _: None)
    job = runpy.run_path(str(SCRIPT))["job"]
    given = SimpleNamespace(
        rule="simulate",
        input=["data/dataset.npz"],
        params={"seeds": [7, 8], "experiment": {"params": {"lam": 0.25}}},
        wildcards={"policy": "G-EG"},
        log=[str(tmp_path / "logs" / "a.log")],
    )

    def failing(error, read=True):
        ended = None
        try:
            with job(given) as log:
                log("5 of 9 rounds")
                if error:
                    raise error
        except BaseException as caught:
            ended = caught
        return (ended, Path(given.log[0]).read_text("utf-8")) if read else ended

    return failing


@pytest.mark.parametrize("error", [DataError("a.npz is damaged"), ZeroDivisionError("by 0")])
def test_the_log_holds_the_exception_and_what_the_job_was_given(failing, error):
    _, log = failing(error)
    given = ("5 of 9 rounds", '"seeds": [', '"lam": 0.25', "G-EG", "dataset")
    assert [part for part in (str(error), "Traceback", *given) if part not in log] == []
    assert "done" not in log


def test_only_what_the_user_cannot_fix_comes_through_as_a_traceback(failing):
    """`sys.exit` prints its message alone."""
    ended, _ = failing(DataError("a.npz is damaged"))
    assert isinstance(ended, SystemExit)
    assert ended.code.startswith("simulate: a.npz is damaged\n(log: ")
    error = ZeroDivisionError("by 0")
    assert failing(error)[0] is error


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OutputError("a.npz can't be written (No space left on device)"), "a.npz can't be written"),
        (OSError(errno.ENOSPC, "No space left on device", "b.tmp"), "b.tmp can't be written"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "Disk quota exceeded); make room there"),
    ],
    ids=["ours", "a file", "no file"],
)
def test_a_full_disk_is_one_sentence_although_the_log_cannot_be_written(
    error, message, tmp_path, failing
):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").symlink_to("/dev/full")
    ended = failing(error, read=False)
    assert isinstance(ended, SystemExit)
    assert message in ended.code
    assert ended.__context__ is error  # and no second OSError


def test_a_log_that_cannot_be_made_stops_no_job(tmp_path, failing):
    (tmp_path / "logs").write_text("a file in its place", "utf-8")
    assert failing(None, read=False) is None


def test_a_warning_is_one_plain_line_for_the_user_and_in_the_log(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(machine, "pin", lambda _: None)
    job = runpy.run_path(str(SCRIPT))["job"]
    given = SimpleNamespace(params={}, log=[str(tmp_path / "a.log")])
    with job(given), warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.warn("the figure shows boxes", stacklevel=1)
    assert capsys.readouterr().err == "warning: the figure shows boxes\n"
    assert " warning: the figure shows boxes\n" in (tmp_path / "a.log").read_text("utf-8")
