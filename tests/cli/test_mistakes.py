"""The likeliest mistakes of a user give a message with the place and no traceback."""

from pathlib import Path

import pytest
from horde_command import PAPER, TINY, configfiles

from horde import cli
from horde.data import acquire
from horde.errors import DataError

PREPARE = "prepare --dataset lastfm"
RUN = "run --dataset lastfm --policy EG-IND"
OWN = "datasets: {lastfm: {kind: tables, folder: own}}"

# What is done: a command, an overlay of the configuration (on the tiny scale), the exit code, and
# facts that the message must state. Of the configuration's own mistakes there are two of many.
MISTAKES = {
    "a dataset's name": ("prepare --dataset lastfn", "", 2, ["'lastfn'", "'lastfm'"]),
    "a policy's name": ("run --dataset lastfm --policy GOBLN", "", 2, ["'GOBLN'", "'GOBLIN'"]),
    "a key": (PREPARE, "tuning: {grid: {lam: [1]}}", 2, ["tuning.grid", "'grids'"]),
    "a setting of a policy": (
        PREPARE,
        "policies: {GOBLIN: {tuned: {tolerence: 1}}}",
        2,
        ["policies.GOBLIN.tuned.tolerence", "'tolerance'"],
    ),
    "more offered than there are": (RUN, "offered: 121", 2, ["121 items", "'lastfm' has 120"]),
    "counts where there are none": (
        "prepare --dataset delicious",
        "features: {tags: counts}",
        2,
        ["features.tags", "delicious", "no counts"],
    ),
    "a tab in the configuration": (PREPARE, "rounds: 5\n\toffered: 3", 2, ["over.yaml", "line 2"]),
    "own tables that are not there": (
        PREPARE,
        OWN,
        3,
        ["there is no folder", "own", "config.yaml"],
    ),
    "a file that is no dataset": (f"{RUN} --prepared over.yaml", "", 3, ["over.yaml", "damaged"]),
    "a file where results belong": (f"{PREPARE} --to over.yaml", "", 4, ["over.yaml", "written"]),
    "a file that is no configuration": (f"{PREPARE} --configfile none.yaml", "", 2, ["none.yaml"]),
    "a part of a configuration alone": (
        f"{PREPARE} --configfile over.yaml",
        "rounds: 50",
        2,
        ["missing", "datasets", "--configfile config.yaml"],
    ),
    "a folder without config.yaml": (
        PREPARE,
        None,
        2,
        ["config.yaml is not in", "start the command in the clone"],
    ),
    "a wrong HETREC_DIR": (
        f"HETREC_DIR=nowhere {PREPARE} --configfile {PAPER}",
        "",
        3,
        ["nowhere is no folder", "HETREC_DIR"],
    ),
    "no data": (
        f"HETREC_DIR=. {PREPARE} --configfile {PAPER}",
        "",
        3,
        ["is not in", "HETREC_DIR", "data/raw"],
    ),
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """An empty working directory, no data and no network."""

    def unreachable(*_):
        raise DataError("cannot download: no network")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(acquire, "download", unreachable)


def arguments(command, overlay, monkeypatch):
    """Write the overlay, set the environment; return the command line."""
    Path("over.yaml").write_text(overlay or "", "utf-8")
    given = command.split()
    if "=" in given[0]:
        monkeypatch.setenv(*given.pop(0).split("="))
    if "--configfile" not in given and overlay is not None:
        given += configfiles(PAPER, TINY, "over.yaml")
    return given


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_its_place_and_no_traceback(mistake, monkeypatch, capsys):
    command, overlay, code, facts = MISTAKES[mistake]
    assert cli.main(arguments(command, overlay, monkeypatch)) == code
    printed = capsys.readouterr()
    assert "Traceback" not in printed.out + printed.err
    message = printed.err[printed.err.index("horde: ") :]
    assert [fact for fact in facts if fact not in message] == [], message
    assert len(message.splitlines()) <= 3


@pytest.mark.parametrize(
    "arguments", ["runn", "run", f"{RUN} --seed -1", f"{RUN} --seed 1.5", "bench --synthetic n=3"]
)
def test_a_wrong_command_line_exits_with_two(arguments, capsys):
    assert cli.main(arguments.split()) == 2
    message = capsys.readouterr().err
    assert "Usage: horde" in message
    assert "Error: " in message


def test_what_repeats_is_said_once(monkeypatch, capsys):
    def tried_twice(*arguments):
        log = arguments[-1]
        for _ in range(2):
            log("download failed: no network")
        raise DataError("cannot download: no network")

    monkeypatch.setattr(acquire, "download", tried_twice)
    monkeypatch.delenv("HETREC_DIR", raising=False)
    for _ in range(2):
        assert cli.main([*PREPARE.split(), *configfiles(PAPER)]) == 3
        assert capsys.readouterr().err.count("download failed") == 1


def test_the_traceback_is_there_when_asked_for(monkeypatch):
    command, overlay, *_ = MISTAKES["own tables that are not there"]
    with pytest.raises(DataError):
        cli.main(["--debug", *arguments(command, overlay, monkeypatch)])


@pytest.mark.parametrize("policy", [" ", "G-EG\nx", "../G-EG"])
def test_odd_names_of_policies_are_refused(policy, capsys):
    given = ["run", *configfiles(PAPER, TINY), "--dataset", "lastfm", "--policy", policy]
    assert cli.main(given) == 2
    assert repr(policy) in capsys.readouterr().err
