import pytest

from horde.data import hetrec, sources
from horde.errors import ConfigError, DataError


@pytest.mark.parametrize("name", ["lastfm", "delicious"])
def test_each_source_declares_what_is_read(name):
    source = sources.load()[name]
    layout = hetrec.LAYOUTS[source.layout]
    assert set(source.members) == {member for member, *_ in layout.values()}
    assert set(source.tables) == set(layout)
    assert all(len(m["sha256"]) == 64 for m in (source.members | source.tables).values())
    assert all(url.startswith("https://") for url in source.urls)


def test_an_unknown_source_is_answered_with_the_known_ones():
    with pytest.raises(ConfigError, match="delicious, lastfm"):
        sources.find("movielens", sources.load())


def test_a_missing_declaration_is_named(tmp_path):
    with pytest.raises(DataError, match=r"lastfm\.json"):
        sources.generated(tmp_path, "lastfm")


def test_a_declaration_of_something_else_is_named(tmp_path):
    (tmp_path / "lastfm.json").write_text('{"title": "?"}')
    with pytest.raises(DataError, match=r"lastfm\.json"):
        sources.generated(tmp_path, "lastfm")
