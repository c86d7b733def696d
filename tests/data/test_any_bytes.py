"""Whatever bytes there are: a dataset, or an error with the file and the line."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from own_process import printed
from test_hetrec import WELL_FORMED
from test_own_tables import CSV, read

from horde.data import hetrec
from horde.data.dataset import Dataset
from horde.data.features import prepare
from horde.errors import DataError

# What a table as a whole can lack has no line.
PLACE = re.compile(r"line \d+|tag \d+|nobody likes anything|no item has a tag|no liked item a tag")

# Texts in which the parts of tables are likely, whole ones and broken ones.
pieces = st.sampled_from(
    [
        *(b"1", b"2", b"51", b"0", b"999999999999999999", b"-1", b"a", b'"', b",", b"\t", b"\n"),
        *(b"\r\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"1\t51\n", b"2\t5\n"),
        *(b"a,b\n", b"userID\tartistID\n", b"user,item\n", b" "),
    ]
)
contents = st.lists(pieces, max_size=60).map(b"".join) | st.binary(max_size=300)


def hetrec_dataset(name, data):
    members = WELL_FORMED | {name: data}
    return prepare(hetrec.read(members, "lastfm").tables(), "any", {}, dimension=2)[0]


def own_dataset(folder, name, data):
    return prepare(read(folder, CSV | {name: data})[0], "any", {}, dimension=2)[0]


def outcome(make):
    """Return what is made, or the message of the error that a user can fix."""
    try:
        return make()
    except DataError as error:
        return str(error)


@settings(max_examples=100)
@given(name=st.sampled_from(sorted(WELL_FORMED)), keeps_header=st.booleans(), data=contents)
def test_any_archive(name, keeps_header, data):
    header = WELL_FORMED[name].split(b"\n")[0] + b"\n"
    found = outcome(lambda: hetrec_dataset(name, header * keeps_header + data))
    assert isinstance(found, Dataset) or PLACE.search(found), found


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(sorted(CSV)), keeps_header=st.booleans(), data=contents)
def test_any_tables(tmp_path, name, keeps_header, data):
    header = CSV[name].encode().split(b"\n")[0] + b"\n"
    found = outcome(lambda: own_dataset(tmp_path, name, header * keeps_header + data))
    assert isinstance(found, Dataset) or PLACE.search(found), found


# Reads a file as a table in a process of its own, after a small one has loaded all modules, and
# prints by how many bytes its peak memory rises. Tracing would miss the memory of pyarrow, and end
# while a thread of it allocates.
RISE = """
import sys
from pathlib import Path

from horde.machine import peak_bytes
from test_any_bytes import hetrec_dataset, outcome, own_dataset

folder, name = Path(sys.argv[1]), sys.argv[2]
for file in ("small", "large"):
    before, data = peak_bytes(), (folder / file).read_bytes()
    if name == "likes.csv":
        outcome(lambda: own_dataset(folder, name, data))
    else:
        outcome(lambda: hetrec_dataset(name, data))
print(peak_bytes() - before)
"""


MEMBER, TABLE = ("user_artists.dat", b"userID\tartistID\n"), ("likes.csv", b"user,item\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "header", "line"),
    [
        *((*MEMBER, line) for line in (b"\n", b"\r\n", b"1\t2\n", b"\t")),
        *((*TABLE, line) for line in (b"\n", b"a,b\n", b",", '"\N{SNOWMAN}\n'.encode())),
    ],
)
def test_the_largest_file_takes_less_than_a_gigabyte(tmp_path, name, header, line):
    """An eighth of its size: memory grows in proportion."""
    (tmp_path / "small").write_bytes(header + line)
    (tmp_path / "large").write_bytes(header + line * (2_000_000 // len(line)))
    assert int(printed(RISE, tmp_path, name)) < 1e9 / 8
