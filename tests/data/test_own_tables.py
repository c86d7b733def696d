import csv
import io
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from horde.data.acquire import acquire
from horde.data.tables import Tables
from horde.errors import DataError

CSV = {
    "likes.csv": 'user,item\nzoë,"a, or b"\nzoë,7\nbob,7\nbob,7\n',
    "tags.csv": 'item,tag\n7,red\n7,red\n7,blue\n"a, or b",blue\nnobody likes this,green\n',
    "friends.csv": "user,friend\nzoë,bob\nbob,bob\neve,zoë\n",
}
TSV = {
    "likes.tsv": "when\titem\tuser\n1\ta, or b\tzoë\n2\t7\tzoë\n3\t7\tbob\n",
    "tags.tsv": "item\ttag\n7\tred\n7\tred\n7\tblue\na, or b\tblue\n",
    "friends.tsv": "user\tfriend\r\nbob\tzoë\r\neve\tzoë\r\n",
}


def read(folder, tables, log=lambda _: None) -> tuple[Tables, dict]:
    for name, text in tables.items():
        if text is not None:
            (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return acquire({"kind": "tables", "folder": str(folder)}, log=log)


@pytest.mark.parametrize("form", [CSV, TSV], ids=["csv", "tsv"])
def test_a_folder_of_tables(tmp_path, form):
    t, provenance = read(tmp_path, form)
    assert t.user_ids.tolist() == ["bob", "eve", "zoë"]
    assert t.item_ids.tolist() == ["7", "a, or b"]
    assert t.likes.tolist() == [[0, 0], [2, 0], [2, 1]]
    assert t.tag_names.tolist() == ["blue", "red"]
    assert t.item_tags.tolist() == [[0, 0, 1], [0, 1, 2], [1, 0, 1]]
    assert t.friends.tolist() == [[0, 2], [1, 2]]
    assert provenance["statement"] == f"{tmp_path.name}: own tables"
    assert provenance["tables"]["likes"]["rows"] == 3


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("likes.csv", "user,thing\na,b\n", "line 1: no column 'item' among: 'user', 'thing'"),
        ("likes.csv", "user,item,user\na,b,c\n", "line 1: more than one column 'user'"),
        ("likes.csv", "", "line 1: no column 'user'"),
        ("likes.csv", "user,item\n", "nobody likes anything"),
        ("likes.csv", "user,item\na,b\n\na,b,c\n", "line 4: 3 fields, the header has 2"),
        ("likes.csv", "user,item\na, \n", "line 2: item is ' ', which is not a valid id"),
        (
            "likes.csv",
            "user,item\na,1\u20282\n",
            "line 2: item is '1.u20282', which is not a valid id",
        ),
        ("likes.csv", f"user,item\na,{'b' * 201}\n", "line 2: item is 'bbbb"),
        ("tags.csv", 'item,tag\na,"b\n', r"tags\.csv, line 2: unexpected end of data"),
        (
            "likes.csv",
            'user,item\na,1\nb,"2\nc,3"\n',
            r"likes\.csv, line 3: a quotation",
        ),
        ("likes.csv", 'user,item,note\na,1,"x\nb,2,y"\n', "line 2: a quotation mark opens"),
        ("likes.csv", 'user,item\na,"1"2\n', "line 2: ',' expected after"),
        (
            "likes.csv",
            "user,item\n\na,1\nuser , item\nb,2\n",
            "line 4: the header line is repeated",
        ),
        ("likes.csv", "\ufeff\ufeffuser,item\na,1\n", r"among: '\\ufeffuser', 'item'"),
        ("likes.csv", "user;item\na;1\n", r"line 1: .* separated by commas"),
        ("likes.csv", "user,item\na,1\n".encode("utf-16"), "line 1: not UTF-8 text"),
        ("friends.csv", "user,friend\ra,b\rzo\xeb,a\r".encode("latin-1"), "line 3: not UTF-8"),
        ("tags.csv", "item,tag\n07,red\n", "items are called 'a, or b', '7' in likes and '07' in"),
        ("friends.csv", b"user,friend\na,\xff\n", r"friends\.csv, line 2: not UTF-8"),
    ],
)
def test_bad_tables_are_refused_with_file_and_line(tmp_path, name, text, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, CSV | {name: text})


@pytest.mark.parametrize(
    "changed",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: "\n \n" + text.replace("\n", "\n,\n\n") + " , \n",
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("zoë", '"zoë"').replace("bob", " bob "),
    ],
    ids=["CRLF", "CR", "byte-order mark", "blank lines", "no last line end", "quotes and spaces"],
)
def test_how_a_table_was_saved_does_not_matter(tmp_path, changed):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    expected, _ = read(tmp_path / "a", CSV)
    found, provenance = read(tmp_path / "b", {name: changed(text) for name, text in CSV.items()})
    for field in fields(Tables):
        np.testing.assert_array_equal(getattr(found, field.name), getattr(expected, field.name))
    assert provenance["warnings"] == []


@pytest.mark.parametrize(
    ("tables", "warning"),
    [
        (
            {"likes.csv": "user,item\nzoë.0,7\n"},
            "called 'zoë.0' in likes and 'zoë', 'bob'",
        ),
        ({"friends.csv": "user,friend\nbob,bob\n"}, "no friendship joins two users who like"),
        ({"friends.csv": "user,friend\n"}, "in likes and nothing in friends"),
        (
            {"likes.csv": "user,item\nbob,7\nzoë,7.0\nzoë,07\n"},
            "'7', '7.0' are 3 different items",
        ),
        ({"likes.csv": "user,item\nbob,7\nzoë,7\nZoe\u0308,7\n"}, "are 2 different users"),
        (
            {"likes.tsv": 'user\titem\n"bob"\t7\n', "likes.csv": None},
            "'\"bob\"', 'bob' are 2",
        ),
        ({"likes.csv": "user,item\nbob,7\nzoë,7\nNaN,7\n"}, "'NaN' is taken for the id of a user"),
        ({"likes.csv": "user,item\nbob,7\nzoë,7\n1.23E+11,7\n"}, "'1.23E+11' look like numbers"),
    ],
)
def test_ids_that_do_not_fit_together_are_warned_of(tmp_path, tables, warning):
    log = []
    _, provenance = read(tmp_path, CSV | tables, log.append)
    assert any(warning in found for found in provenance["warnings"]), provenance["warnings"]
    assert any(line.startswith("warning: ") and warning in line for line in log)


def test_long_ids_are_compared_digit_by_digit(tmp_path):
    likes = "user,item\nbob,7\nzoë,7\n9007199254740992,7\n9007199254740993,7\n"
    assert read(tmp_path, CSV | {"likes.csv": likes})[1]["warnings"] == []


def test_a_relative_folder_is_relative_to_the_root(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    expected, _ = read(tmp_path / "mine", CSV)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    entry = {"kind": "tables", "folder": "mine"}
    found, _ = acquire(entry, root=tmp_path, log=lambda _: None)
    np.testing.assert_array_equal(found.likes, expected.likes)
    with pytest.raises(DataError, match=f"there is no folder {tmp_path / 'elsewhere' / 'mine'}"):
        acquire(entry, log=lambda _: None)


def test_a_missing_table_is_named(tmp_path):
    with pytest.raises(DataError, match=r"0 of friends\.csv and friends\.tsv"):
        read(tmp_path, {name: CSV[name] for name in ("likes.csv", "tags.csv")})


def test_two_forms_of_a_table_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"2 of likes\.csv and likes\.tsv"):
        read(tmp_path, CSV | TSV)


ids = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")) | st.sampled_from("\"',;=7. "),
    min_size=1,
    max_size=6,
)
ids = ids.map(str.strip).filter(lambda text: text not in ("", "user", "item"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    likes=st.sets(st.tuples(ids, ids), min_size=1, max_size=8),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
    extra=st.booleans(),
)
def test_any_ids_are_read_as_they_were_written(tmp_path, likes, quoting, end, mark, extra):
    def table(*rows):
        stream = io.StringIO()
        rows = [("note", *row[::-1], "x") for row in rows] if extra else rows
        csv.writer(stream, quoting=quoting, lineterminator=end).writerows(rows)
        return mark + stream.getvalue()

    found, _ = read(
        tmp_path,
        {
            "likes.csv": table(("user", "item"), *likes),
            "tags.csv": table(("item", "tag"), *((item, "tag") for _, item in likes)),
            "friends.csv": table(("user", "friend")),
        },
    )
    assert {(found.user_ids[user], found.item_ids[item]) for user, item in found.likes} == likes
