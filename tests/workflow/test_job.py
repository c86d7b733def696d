"""What every script of the workflow leaves behind when it fails."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from horde import machine
from horde.errors import DataError

SCRIPT = Path(__file__).parents[2] / "workflow" / "scripts" / "job.py"


@pytest.fixture
def failing(tmp_path, monkeypatch):
    """Run a job that raises; return what came out of it and its log."""
    monkeypatch.setattr(machine, "pin", lambda _: None)
    job = runpy.run_path(str(SCRIPT))["job"]
    given = SimpleNamespace(
        rule="simulate",
        input=["data/dataset.npz"],
        params={"experiment": {"seed": 7, "params": {"lam": 0.25}}},
        wildcards={"policy": "G-EG"},
        log=[str(tmp_path / "logs" / "a.log")],
    )

    def failing(error):
        try:
            with job(given) as log:
                log("5 of 9 rounds")
                raise error
        except BaseException as caught:
            return caught, Path(given.log[0]).read_text("utf-8")

    return failing


@pytest.mark.parametrize("error", [DataError("a.npz is damaged"), ZeroDivisionError("by 0")])
def test_the_log_holds_the_exception_the_seed_and_the_settings(failing, error):
    _, log = failing(error)
    told = (str(error), "Traceback", "5 of 9 rounds", '"seed": 7', '"lam": 0.25', "G-EG", "dataset")
    assert [fact for fact in told if fact not in log] == []
    assert "done" not in log


def test_what_the_user_can_mend_is_told_without_a_traceback(failing):
    """`sys.exit` prints its message alone."""
    ended, _ = failing(DataError("a.npz is damaged"))
    assert isinstance(ended, SystemExit)
    assert ended.code.startswith("simulate: a.npz is damaged\n(log: ")


def test_what_nobody_expected_comes_through(failing):
    error = ZeroDivisionError("by 0")
    assert failing(error)[0] is error
