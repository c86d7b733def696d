"""Acquisition, on a generated archive that is declared as if it were a published one."""

import http.server
import io
import shutil
import threading
import zipfile
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from test_archive import zipped

from horde.data import download, lookalike, sources
from horde.data.acquire import acquire
from horde.errors import ConfigError, DataError

ENTRY = {"kind": "hetrec", "archive": "delicious", "drop_users_from": None}


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    """Return the folder of a generated archive."""
    folder = tmp_path_factory.mktemp("generated")
    lookalike.generate(folder, "delicious", users=20, items=60, seed=1, log=lambda _: None)
    return folder


@pytest.fixture(scope="session")
def data(generated):
    """Return the content of the archive."""
    return (generated / "delicious.zip").read_bytes()


@pytest.fixture(scope="session")
def source(generated):
    """Return the source that declares it."""
    declared = sources.generated(generated, "delicious")
    return replace(declared, generated=None, archive="the.zip", folder="the")


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        status, data = self.server.answers[
            min(len(self.server.asked), len(self.server.answers)) - 1
        ]
        self.send_response(status)
        self.send_header("Content-Length", str(self.server.length or len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()
        self.server.stall.wait(self.server.stalls)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    """Serve answers on loopback, one after the other, the last one for ever."""
    monkeypatch.setattr(download.time, "sleep", lambda _: None)
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.asked, made.length, made.stalls, made.stall = [], None, 0, threading.Event()
    made.url = f"http://127.0.0.1:{made.server_port}/the.zip"
    threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
    yield made
    made.stall.set()
    made.shutdown()
    made.server_close()


def get(tmp_path, source, *urls, log=lambda _: None, entry=ENTRY, **arguments):
    source = replace(source, urls=urls or source.urls)
    with mock.patch.object(sources, "load", return_value={"delicious": source}):
        return acquire(entry, log=log, **{"raw_dir": tmp_path / "raw"} | arguments)


def unpacked(data: bytes, folder):
    zipfile.ZipFile(io.BytesIO(data)).extractall(folder)
    return folder


def members_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("form", ["zip", "folder", "files", "zip with folder", "raw"])
def test_data_at_hand_are_taken_without_asking_anybody(tmp_path, data, source, server, form):
    place = tmp_path / ("raw" if form == "raw" else "my data é")
    place.mkdir()
    if form == "folder":
        unpacked(data, place / "the")
    elif form == "files":
        unpacked(data, place)
    elif form == "zip with folder":
        inside = {f"the/{name}": content for name, content in members_of(data).items()}
        (place / "the.zip").write_bytes(zipped(inside.items()))
    else:
        (place / "the.zip").write_bytes(data)
    lines = []
    source = replace(source, licence="ask first", citation="A. Author")
    hetrec_dir = None if form == "raw" else place
    tables, provenance = get(tmp_path, source, server.url, log=lines.append, hetrec_dir=hetrec_dir)
    assert len(tables.user_ids) == 20
    assert provenance["verified"] is True
    assert provenance["statement"].endswith("official files")
    assert str(tmp_path) not in str(provenance)
    assert server.asked == []
    assert "ask first" in lines[0]
    assert "A. Author" in lines[0]


def test_download_is_kept_and_used_again(tmp_path, data, source, server):
    server.answers = [(503, b"busy"), (200, data)]
    (tmp_path / "nothing here").mkdir()
    first, _ = get(tmp_path, source, server.url, hetrec_dir=tmp_path / "nothing here")
    second, _ = get(tmp_path, source, server.url)
    assert len(server.asked) == 2
    np.testing.assert_array_equal(first.likes, second.likes)
    assert [p.name for p in (tmp_path / "raw").iterdir()] == ["the.zip"]


def test_a_folder_that_does_not_exist_is_not_passed_over(tmp_path, source):
    with pytest.raises(DataError, match=r"nowhere is no folder; set HETREC_DIR"):
        get(tmp_path, source, hetrec_dir=tmp_path / "nowhere")


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: b"<!DOCTYPE html><title>Moved</title>",
        lambda data: data[: len(data) // 2],
        lambda data: zipped(
            [("../../escaped", b"x"), *(members_of(data) | {"tags.dat": b"id\tvalue\n"}).items()]
        ),
        lambda data: zipped((members_of(data) | {"tags.dat": bytes(30_000_000)}).items()),
    ],
    ids=["html", "truncated", "traversal", "bomb"],
)
def test_a_bad_archive_is_refused_and_leaves_nothing(tmp_path, data, source, server, harm):
    server.answers = [(200, harm(data))]
    with pytest.raises(DataError, match="HETREC_DIR"):
        get(tmp_path, source, server.url)
    assert [p.name for p in tmp_path.rglob("*")] == ["raw"]
    assert not (tmp_path.parent / "escaped").exists()
    # One at hand is not passed over.
    (tmp_path / "the.zip").write_bytes(harm(data))
    with pytest.raises(DataError, match=r"the\.zip"):
        get(tmp_path, source, server.url, hetrec_dir=tmp_path)
    assert len(server.asked) == 1


def test_a_cut_off_download_is_tried_again(tmp_path, data, source, server):
    server.answers, server.length = [(200, data[:500]), (200, data)], len(data)
    get(tmp_path, source, server.url)
    assert len(server.asked) == 2


def test_a_stalled_download_is_given_up(tmp_path, data, source, server, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT", 0.1)
    server.answers, server.length, server.stalls = [(200, data[:500])], len(data), 20
    with pytest.raises(DataError, match="timed out"):
        get(tmp_path, source, server.url)
    assert len(server.asked) == download.ATTEMPTS


@pytest.mark.parametrize(
    ("setting", "value", "answer", "fault"),
    [
        ("GIVE_UP", 0, (503, b""), "503"),
        ("LARGEST_ARCHIVE", 1000, (200, bytes(5000)), "more than 1000 bytes"),
    ],
    ids=["no time left", "an endless answer"],
)
def test_one_attempt_may_be_enough(
    tmp_path, source, server, monkeypatch, setting, value, answer, fault
):
    monkeypatch.setattr(download, setting, value)
    server.answers = [answer]
    with pytest.raises(DataError, match=fault):
        get(tmp_path, source, server.url)
    assert len(server.asked) == 1


@pytest.mark.parametrize("first", [(404, b""), (200, b"<title>Sign in</title>")])
def test_urls_are_tried_in_order_and_bad_ones_once(tmp_path, data, source, server, first):
    server.answers = [first, (503, b""), (200, data)]
    _, provenance = get(tmp_path, source, server.url + "?1", server.url + "?2")
    assert server.asked == ["/the.zip?1", "/the.zip?2", "/the.zip?2"]
    assert provenance["verified"] is True


def test_nobody_answers(tmp_path, source, monkeypatch):
    monkeypatch.setattr(download.time, "sleep", lambda _: None)
    urls = ("http://127.0.0.1:9/the.zip", "http://127.0.0.1:9/a")
    with pytest.raises(DataError) as caught:
        get(tmp_path, source, *urls, hetrec_dir=tmp_path)
    message = str(caught.value)
    for part in (
        "Fetch the.zip by hand, from http://127.0.0.1:9/the.zip or http://127.0.0.1:9/a",
        *(f"{url}: " for url in urls),
        f"put it into {tmp_path / 'raw'}",
        "HETREC_DIR",
    ):
        assert part in message


@pytest.mark.parametrize(
    "url", ["http://example.org/the.zip", "file:///the.zip", "ftp://a/the.zip"]
)
def test_only_https_is_used(tmp_path, source, url):
    with pytest.raises(DataError, match="only https"):
        get(tmp_path, source, url)


@pytest.mark.parametrize(
    "changed",
    [
        lambda data: b"\n".join(b"\t".join(line.split(b"\t")[:2]) for line in data.split(b"\n")),
        lambda data: data.replace(b"\r\n", b"\n"),
        lambda data: b"\xef\xbb\xbf" + data,
    ],
    ids=["without unused columns", "LF", "byte-order mark"],
)
@pytest.mark.parametrize("name", ["bookmark_tags.dat", "user_taggedbookmarks.dat"])
def test_a_member_that_is_equal_in_use_is_accepted_and_named_so(
    tmp_path, data, source, changed, name
):
    path = unpacked(data, tmp_path / "the") / name
    whole, _ = get(tmp_path, source, hetrec_dir=tmp_path)
    path.write_bytes(changed(path.read_bytes().replace(b"\r\n", b"\r\n\r\n")))
    tables, provenance = get(tmp_path, source, hetrec_dir=tmp_path)
    assert provenance["verified"] is True
    assert provenance["members"][name]["form"] == "equal in use"
    assert provenance["statement"].endswith(f": equal in use to the published files ({name})")
    np.testing.assert_array_equal(tables.item_tags, whole.item_tags)


def test_other_content_is_refused_unless_allowed(tmp_path, data, source):
    path = unpacked(data, tmp_path / "the") / "user_contacts.dat"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:9]))
    with pytest.raises(DataError, match=r"friends has .* rows where .*allow_unverified_data"):
        get(tmp_path, source, hetrec_dir=tmp_path)
    _, provenance = get(tmp_path, source, hetrec_dir=tmp_path, allow_unverified=True)
    assert provenance["verified"] is False
    assert "UNVERIFIED" in provenance["statement"]
    path.unlink()
    with pytest.raises(DataError, match=r"No such file .*user_contacts\.dat"):
        get(tmp_path, source, hetrec_dir=tmp_path, allow_unverified=True)


def test_users_can_be_left_out(tmp_path, data, source):
    (tmp_path / "the.zip").write_bytes(data)
    everybody, _ = get(tmp_path, source, hetrec_dir=tmp_path)
    first_id = int(everybody.user_ids[12])
    entry = ENTRY | {"drop_users_from": first_id}
    fewer, provenance = get(tmp_path, source, entry=entry, hetrec_dir=tmp_path)
    assert fewer.user_ids.tolist() == everybody.user_ids[:12].tolist()
    assert f"without the users from id {first_id} on" in provenance["statement"]


def test_an_unknown_kind_is_refused():
    with pytest.raises(ConfigError, match="unknown kind of data 'csv'"):
        acquire({"kind": "csv"})


def test_generated_data_are_checked_against_their_declaration(tmp_path):
    entry = {"kind": "generated", "archive": "lastfm"}
    for seed, folder in enumerate((tmp_path, tmp_path / "other")):
        lookalike.generate(folder, "lastfm", users=20, items=60, seed=seed, log=lambda _: None)
    _, provenance = acquire(entry, generated_dir=tmp_path, log=lambda _: None)
    assert provenance["kind"] == "generated"
    assert "generated data" in provenance["statement"]
    shutil.copy(tmp_path / "other" / "lastfm.zip", tmp_path / "lastfm.zip")
    with pytest.raises(DataError, match=r"does not hold|larger than"):
        acquire(entry, generated_dir=tmp_path, log=lambda _: None)
