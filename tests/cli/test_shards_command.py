"""`horde shards`: its tables, and what it refuses."""

import pytest
from horde_command import horde

from horde.timing import sharding

PROBLEM = ["--synthetic", "n=64,d=3,density=0.05", "--counts", "2,4", "--cuts", "random"]


@pytest.mark.parametrize(
    ("more", "columns", "rows"),
    [
        (["--skip", "20"], sharding.TRAFFIC_COLUMNS, 2),
        (["--delays", "1,9"], sharding.DELAY_COLUMNS, 4),
    ],
)
def test_it_prints_and_writes_a_table(tmp_path, capsys, more, columns, rows):
    arguments = [*PROBLEM, "--rounds", "30", *more, "--csv", tmp_path / "s.csv"]
    assert horde("shards", *arguments, to=tmp_path) == 0
    printed = capsys.readouterr().out
    assert printed == (tmp_path / "s.csv").read_text("utf-8")
    header, *found = printed.splitlines()
    assert header == ",".join(columns)
    assert len(found) == rows


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--cuts", "metiss"], "'metis'"),
        (["--counts", "65"], "only 64 users"),
        (["--counts", "0"], "--counts"),
        (["--dataset", "lastfm"], "give one of"),
    ],
)
def test_it_refuses_what_cannot_be(tmp_path, capsys, wrong, said):
    assert horde("shards", *PROBLEM, *wrong, to=tmp_path) == 2
    assert said in capsys.readouterr().err
