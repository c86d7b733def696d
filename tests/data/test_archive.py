import io
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from peak_memory import peak_bytes

from horde.data.sources import read_members
from horde.errors import DataError

LIMITS = {"a.dat": 100, "b.dat": 100}


def zipped(members, compression=zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return stream.getvalue()


WHOLE = [("a.dat", b"a" * 100), ("folder/b.dat", b"b"), ("../a.dat", b"x"), ("/b.dat", b"x")]


def read(tmp_path, data):
    path = tmp_path / "the.zip"
    path.write_bytes(data)
    return read_members(path, "folder", LIMITS)


def test_only_the_named_members_are_read(tmp_path):
    assert read(tmp_path, zipped(WHOLE)) == {"a.dat": b"a" * 100, "b.dat": b"b"}
    assert [p.name for p in tmp_path.iterdir()] == ["the.zip"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zipped([*WHOLE, ("folder/a.dat", b"")]), "2 members named a.dat"),
        (zipped(WHOLE[1:]), "0 members named a.dat"),
        (zipped([("a.dat", bytes(101)), WHOLE[1]]), "larger than the 100 bytes"),
        (zipped(WHOLE, zipfile.ZIP_LZMA), "another way than deflate"),
        (zipped(WHOLE)[:-1], "not a zip file"),
        (b"<html>", "begins with b'<html>'"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, data, message):
    with pytest.raises(DataError, match=f"the.zip: .*{message}.*replace it"):
        read(tmp_path, data)


def test_of_a_bomb_no_more_is_unpacked_than_is_allowed(tmp_path):
    data = zipped([("a.dat", bytes(30_000_000)), WHOLE[1]])

    def refused():
        with pytest.raises(DataError, match="larger than the 100 bytes"):
            read(tmp_path, data)

    assert peak_bytes(refused) < 3_000_000


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 10_000), junk=st.binary(max_size=60))
def test_any_bytes_give_members_or_a_data_error(tmp_path, at, junk):
    whole = zipped(WHOLE)
    at %= len(whole)
    for data in (junk, whole[:at] + junk + whole[at + len(junk) :]):
        try:
            found = read(tmp_path, data)
        except DataError:
            continue
        assert all(len(found[name]) <= limit for name, limit in LIMITS.items())
