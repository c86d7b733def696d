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

from horde.data import download, lookalike, sources
from horde.data.acquire import acquire
from horde.errors import ConfigError, DataError

ENTRY = {"kind": "hetrec", "archive": "delicious", "drop_users_from": None}


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """Return the content of an archive and the source that declares it."""
    folder = tmp_path_factory.mktemp("generated")
    lookalike.generate(folder, "delicious", users=20, items=60, seed=1, log=lambda _: None)
    source = sources.generated(folder, "delicious")
    data = (folder / "delicious.zip").read_bytes()
    return data, replace(source, generated=None, archive="the.zip", folder="the")


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


def get(tmp_path, source, log=lambda _: None, entry=ENTRY, **arguments):
    with mock.patch.object(sources, "load", return_value={"delicious": source}):
        return acquire(entry, log=log, **{"raw_dir": tmp_path / "raw"} | arguments)


def unpacked(data: bytes, folder):
    zipfile.ZipFile(io.BytesIO(data)).extractall(folder)
    return folder


def zipped(members: dict[str, bytes], **options) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", **options) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def members_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("form", ["zip", "folder", "files", "zip with folder", "raw"])
def test_data_at_hand_are_taken_without_asking_anybody(tmp_path, published, server, form):
    data, source = published
    place = tmp_path / ("raw" if form == "raw" else "my data é")
    place.mkdir()
    if form == "folder":
        unpacked(data, place / "the")
    elif form == "files":
        unpacked(data, place)
    elif form == "zip with folder":
        inside = {f"the/{name}": content for name, content in members_of(data).items()}
        (place / "the.zip").write_bytes(zipped(inside))
    else:
        (place / "the.zip").write_bytes(data)
    lines = []
    source = replace(source, urls=(server.url,), licence="ask first", citation="A. Author")
    tables, provenance = get(
        tmp_path, source, lines.append, hetrec_dir=None if form == "raw" else place
    )
    assert len(tables.user_ids) == 20
    assert provenance["verified"] is True
    assert provenance["statement"].endswith("official files")
    assert server.asked == []
    assert "ask first" in lines[0]
    assert "A. Author" in lines[0]


def test_download_is_kept_and_used_again(tmp_path, published, server):
    data, source = published
    server.answers = [(503, b"busy"), (200, data)]
    source = replace(source, urls=(server.url,))
    (tmp_path / "nothing here").mkdir()
    first, _ = get(tmp_path, source, hetrec_dir=tmp_path / "nothing here")
    second, _ = get(tmp_path, source)
    assert len(server.asked) == 2
    np.testing.assert_array_equal(first.likes, second.likes)
    assert [p.name for p in (tmp_path / "raw").iterdir()] == ["the.zip"]


def test_a_folder_that_does_not_exist_is_not_passed_over(tmp_path, published):
    with pytest.raises(DataError, match=r"nowhere is no folder; set HETREC_DIR"):
        get(tmp_path, published[1], hetrec_dir=tmp_path / "nowhere")


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: b"<!DOCTYPE html><title>Moved</title>",
        lambda data: data[: len(data) // 2],
        lambda data: zipped(
            {"../../escaped": b"x", **members_of(data), "tags.dat": b"id\tvalue\n"}
        ),
        lambda data: zipped(
            members_of(data) | {"tags.dat": bytes(30_000_000)}, compression=zipfile.ZIP_DEFLATED
        ),
    ],
    ids=["html", "truncated", "traversal", "bomb"],
)
def test_a_bad_archive_is_refused_and_leaves_nothing(tmp_path, published, server, harm):
    data, source = published
    server.answers = [(200, harm(data))]
    source = replace(source, urls=(server.url,))
    with pytest.raises(DataError, match="HETREC_DIR"):
        get(tmp_path, source)
    assert [p.name for p in tmp_path.rglob("*")] == ["raw"]
    assert not (tmp_path.parent / "escaped").exists()
    # One at hand is not passed over.
    (tmp_path / "the.zip").write_bytes(harm(data))
    with pytest.raises(DataError, match=r"the\.zip"):
        get(tmp_path, source, hetrec_dir=tmp_path)
    assert len(server.asked) == 1


def test_a_cut_off_download_is_tried_again(tmp_path, published, server):
    data, source = published
    server.answers, server.length = [(200, data[:500]), (200, data)], len(data)
    get(tmp_path, replace(source, urls=(server.url,)))
    assert len(server.asked) == 2


def test_a_stalled_download_is_given_up(tmp_path, published, server, monkeypatch):
    data, source = published
    monkeypatch.setattr(download, "TIMEOUT", 0.1)
    server.answers, server.length, server.stalls = [(200, data[:500])], len(data), 20
    with pytest.raises(DataError, match="timed out"):
        get(tmp_path, replace(source, urls=(server.url,)))
    assert len(server.asked) == download.ATTEMPTS


def test_attempts_end_when_time_is_up(tmp_path, published, server, monkeypatch):
    _, source = published
    monkeypatch.setattr(download, "GIVE_UP", 0)
    server.answers = [(503, b"")]
    with pytest.raises(DataError, match="503"):
        get(tmp_path, replace(source, urls=(server.url,)))
    assert len(server.asked) == 1


def test_urls_are_tried_in_order_and_absent_files_once(tmp_path, published, server):
    data, source = published
    server.answers = [(404, b""), (200, data)]
    get(tmp_path, replace(source, urls=(server.url + "?1", server.url + "?2")))
    assert server.asked == ["/the.zip?1", "/the.zip?2"]


def test_after_a_page_instead_of_the_archive_the_next_url_is_tried(tmp_path, published, server):
    data, source = published
    server.answers = [(200, b"<title>Sign in</title>"), (200, data)]
    _, provenance = get(tmp_path, replace(source, urls=(server.url + "?1", server.url + "?2")))
    assert server.asked == ["/the.zip?1", "/the.zip?2"]
    assert provenance["verified"] is True


def test_nobody_answers(tmp_path, published, monkeypatch):
    monkeypatch.setattr(download.time, "sleep", lambda _: None)
    _, source = published
    urls = ("http://127.0.0.1:9/the.zip", "http://127.0.0.1:9/a")
    with pytest.raises(DataError) as caught:
        get(tmp_path, replace(source, urls=urls), hetrec_dir=tmp_path)
    message = str(caught.value)
    assert (
        "Fetch the.zip by hand, from http://127.0.0.1:9/the.zip or http://127.0.0.1:9/a" in message
    )
    assert all(f"{url}: " in message for url in urls)
    assert f"put it into {tmp_path / 'raw'}" in message
    assert "HETREC_DIR" in message


@pytest.mark.parametrize(
    "url", ["http://example.org/the.zip", "file:///the.zip", "ftp://a/the.zip"]
)
def test_only_https_is_used(tmp_path, published, url):
    _, source = published
    with pytest.raises(DataError, match="only https"):
        get(tmp_path, replace(source, urls=(url,)))


def test_an_endless_answer_is_cut_off(tmp_path, published, server, monkeypatch):
    _, source = published
    monkeypatch.setattr(download, "LARGEST_ARCHIVE", 1000)
    server.answers = [(200, bytes(5000))]
    with pytest.raises(DataError, match="more than 1000 bytes"):
        get(tmp_path, replace(source, urls=(server.url,)))
    assert len(server.asked) == 1


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
def test_a_member_that_is_equal_in_use_is_accepted_and_named_so(tmp_path, published, changed, name):
    data, source = published
    path = unpacked(data, tmp_path / "the") / name
    whole, _ = get(tmp_path, source, hetrec_dir=tmp_path)
    path.write_bytes(changed(path.read_bytes().replace(b"\r\n", b"\r\n\r\n")))
    tables, provenance = get(tmp_path, source, hetrec_dir=tmp_path)
    assert provenance["verified"] is True
    assert provenance["members"][name]["form"] == "equal in use"
    assert provenance["statement"].endswith(f": equal in use to the published files ({name})")
    np.testing.assert_array_equal(tables.item_tags, whole.item_tags)


def test_other_content_is_refused_unless_allowed(tmp_path, published):
    data, source = published
    folder = unpacked(data, tmp_path / "the")
    path = folder / "user_contacts.dat"
    shorter = path.read_bytes().splitlines(keepends=True)[:9]
    path.write_bytes(b"".join(shorter))
    with pytest.raises(DataError, match=r"friends has .* rows where .*allow_unverified_data"):
        get(tmp_path, source, hetrec_dir=tmp_path)
    _, provenance = get(tmp_path, source, hetrec_dir=tmp_path, allow_unverified=True)
    assert provenance["verified"] is False
    assert "UNVERIFIED" in provenance["statement"]


def test_a_missing_member_is_named(tmp_path, published):
    data, source = published
    (unpacked(data, tmp_path / "the") / "tags.dat").unlink()
    with pytest.raises(DataError, match=r"No such file .*tags\.dat"):
        get(tmp_path, source, hetrec_dir=tmp_path)


def test_users_can_be_left_out(tmp_path, published):
    data, source = published
    (tmp_path / "the.zip").write_bytes(data)
    everybody, _ = get(tmp_path, source, hetrec_dir=tmp_path)
    first_id = int(everybody.user_ids[12])
    entry = ENTRY | {"drop_users_from": first_id}
    fewer, provenance = get(tmp_path, source, entry=entry, hetrec_dir=tmp_path)
    assert fewer.user_ids.tolist() == everybody.user_ids[:12].tolist()
    assert f"without the users from id {first_id} on" in provenance["statement"]


def test_provenance_does_not_depend_on_the_place(tmp_path, published):
    data, source = published
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "the.zip").write_bytes(data)
    _, a = get(tmp_path, source, hetrec_dir=tmp_path / "a")
    _, b = get(tmp_path, source, hetrec_dir=tmp_path / "b")
    assert a == b
    assert str(tmp_path) not in str(a)


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
