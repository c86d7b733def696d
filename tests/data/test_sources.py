import os
import shutil
import zipfile
from dataclasses import replace

import pytest
from own_process import printed

from horde.data import hetrec, lookalike, sources
from horde.data.sources import content_digest
from horde.errors import ConfigError, DataError


@pytest.mark.parametrize("name", ["lastfm", "delicious"])
def test_each_source_declares_what_is_read(name):
    source = sources.load()[name]
    layout = hetrec.LAYOUTS[source.layout]
    assert set(source.members) == {member for member, *_ in layout.values()}
    assert set(source.tables) == set(layout)
    assert all(len(m["sha256"]) == 64 for m in (source.members | source.tables).values())
    assert len(source.urls) > 1
    assert all(url.startswith("https://") for url in source.urls)


def test_an_unknown_source_is_answered_with_the_known_ones():
    with pytest.raises(ConfigError, match="lastfm, delicious"):
        sources.find("movielens")


@pytest.mark.parametrize("text", [None, '{"title": "?"}'])
def test_a_declaration_that_is_missing_or_of_something_else_is_named(tmp_path, text):
    if text:
        (tmp_path / "lastfm.json").write_text(text)
    with pytest.raises(DataError, match=r"lastfm\.json"):
        sources.generated(tmp_path, "lastfm")


TABLES = {"kind": "tables", "folder": "mine"}


def test_own_tables_that_are_missing_are_named(tmp_path):
    with pytest.raises(DataError, match=r"no folder .*mine that can be read.* correct `folder`"):
        content_digest(TABLES, root=tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "likes.csv").touch()
    with pytest.raises(DataError, match=r"0 tables of tags or features.*its files: likes.csv"):
        content_digest(TABLES, root=tmp_path)


def test_the_digest_of_own_tables_sees_content_and_no_time_stamp(tmp_path):
    path = tmp_path / "mine" / "likes.csv"
    path.parent.mkdir()
    path.write_text("user,item\na,1\n")
    for name in ("tags", "friends"):
        path.with_name(f"{name}.csv").write_text("")
    (path.parent / "notes.csv").write_text("other")
    before = content_digest(TABLES, root=tmp_path)
    kept = path.stat()
    os.utime(path, (1, 1))
    (path.parent / "notes.csv").write_text("changed")
    assert content_digest(TABLES, root=tmp_path) == before
    path.write_text("user,item\na,2\n")
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    changed = content_digest(TABLES, root=tmp_path)
    assert before != changed
    path.rename(path.with_suffix(".tsv"))
    assert content_digest(TABLES, root=tmp_path) not in (before, changed)


def test_the_digest_of_an_archive_sees_what_is_not_as_published(tmp_path, monkeypatch):
    lookalike.generate(tmp_path, "lastfm", users=20, items=60, seed=1, log=lambda _: None)
    source = replace(sources.generated(tmp_path, "lastfm"), generated=None)
    monkeypatch.setattr(sources, "load", lambda: {"it": source})
    entry, hetrec_dir, raw_dir = {"kind": "hetrec", "archive": "it"}, tmp_path / "at", tmp_path

    def digest():
        return content_digest(entry, hetrec_dir, raw_dir=raw_dir)

    # A download that gives the published files changes nothing, nor does unpacking it.
    assert digest() is None
    zipfile.ZipFile(tmp_path / "lastfm.zip").extractall(hetrec_dir / "lastfm")
    assert digest() is None
    (tmp_path / "lastfm.zip").unlink()
    assert digest() is None
    path = hetrec_dir / "lastfm" / "tags.dat"
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))
    other = digest()
    path.unlink()
    missing = digest()
    shutil.rmtree(hetrec_dir)
    (tmp_path / "lastfm.zip").write_bytes(b"damaged")
    damaged = digest()
    assert len({None, other, missing, damaged}) == 4


def test_the_digest_that_each_start_of_the_workflow_asks_for_needs_no_slow_library():
    slow = {"pandas", "pyarrow", "sklearn", "pooch"}
    code = f"import sys, horde.data.sources; print({slow} & {{*sys.modules}})"
    assert printed(code) == "set()\n"
