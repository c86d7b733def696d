import csv
import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from horde.data.acquire import acquire
from horde.data.features import prepare
from horde.data.tables import Tables
from horde.errors import ConfigError, DataError

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


def folder(parent, name):
    (parent / name).mkdir()
    return parent / name


def parquet(folder, name, columns) -> dict:
    """Write a table as a Parquet file; return the other two as text."""
    pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    role = "tags" if name == "features" else name
    return CSV | {f"{role}.csv": None}


def read(folder, tables, log=lambda _: None, **entry) -> tuple[Tables, dict]:
    for name, text in tables.items():
        if text is not None:
            (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return acquire({"kind": "tables", "folder": str(folder), **entry}, log=log)


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
        ("likes.csv", "user,item\na,b\n\na,b,c\n", "line 4: fields: 3, in the header: 2"),
        ("likes.csv", "user,item\na, \n", "line 2: item is ' ', which is not a valid id"),
        (
            "likes.csv",
            "user,item\na,1\u20282\n",
            "line 2: item is '1.u20282', which is not a valid",
        ),
        ("likes.csv", f"user,item\na,{'b' * 201}\n", "line 2: item is 'bbbb"),
        ("tags.csv", 'item,tag\na,"b\n', r"tags\.csv, line 2: unexpected end of data"),
        ("likes.csv", 'user,item\na,1\nb,"2\nc,3"\n', r"likes\.csv, line 3: a quotation"),
        ("likes.csv", 'user,item,note\na,1,"x\nb,2,y"\n', "line 2: a quotation mark opens"),
        ("likes.csv", 'user,item\na,"1"2\n', "line 2: ',' expected after"),
        ("likes.csv", "user,item\n\na,1\nuser , item\nb,2\n", "line 4: the header line is rep"),
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
        lambda text: "\n \n" + text.replace("\n", "\n,\n\n") + " , \n",
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("zoë", '"zoë"').replace("bob", " bob "),
    ],
    ids=["blank lines", "no last line end", "quotes and spaces"],
)
def test_how_a_table_was_saved_does_not_matter(tmp_path, changed):
    expected, _ = read(folder(tmp_path, "a"), CSV)
    tables = {name: changed(text) for name, text in CSV.items()}
    found, provenance = read(folder(tmp_path, "b"), tables)
    np.testing.assert_equal(vars(found), vars(expected))
    assert provenance["warnings"] == []


@pytest.mark.parametrize(
    ("tables", "warning"),
    [
        ({"likes.csv": "user,item\nzoë.0,7\n"}, "called 'zoë.0' in likes and 'zoë', 'bob'"),
        ({"friends.csv": "user,friend\nbob,bob\n"}, "no friendship joins two users who like"),
        ({"friends.csv": "user,friend\n"}, "in likes and nothing in friends"),
        ({"friends.csv": "user,friend,weight\nbob,zoë,0\n"}, "no friendship joins two users"),
        ({"likes.csv": "user,item\nbob,7\nzoë,7.0\nzoë,07\n"}, "'7', '7.0' are 3 different items"),
        ({"likes.csv": "user,item\nbob,7\nzoë,7\nZoe\u0308,7\n"}, "are 2 different users"),
        ({"likes.tsv": 'user\titem\n"bob"\t7\n', "likes.csv": None}, "'\"bob\"', 'bob' are 2"),
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


def test_a_table_that_is_missing_or_there_twice_is_named(tmp_path):
    with pytest.raises(DataError, match="holds 0 tables of friends; it must hold one"):
        read(tmp_path, CSV | {"friends.csv": None})
    with pytest.raises(DataError, match=r"2 tables of likes or ratings: likes\.csv, likes\.tsv;"):
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

    tables = {
        "likes.csv": table(("user", "item"), *likes),
        "tags.csv": table(("item", "tag"), *((item, "tag") for _, item in likes)),
        "friends.csv": table(("user", "friend")),
    }
    found, _ = read(tmp_path, tables)
    assert {(found.user_ids[user], found.item_ids[item]) for user, item in found.likes} == likes


def test_compressed_and_parquet_files_give_the_same(tmp_path):
    expected = vars(read(folder(tmp_path, "csv"), CSV)[0])
    for end, compress in (
        ("gz", gzip.compress),
        ("zst", lambda text: pa.compress(text, "zstd", asbytes=True)),
    ):
        tables = {f"{name}.{end}": compress(text.encode()) for name, text in CSV.items()}
        np.testing.assert_equal(vars(read(folder(tmp_path, end), tables)[0]), expected)
    written = folder(tmp_path, "parquet")
    for name, text in CSV.items():
        header, *table = csv.reader(io.StringIO(text))
        # A dictionary column and a column that nobody asks for.
        columns = dict(zip(header, map(pa.array, zip(*table, strict=True)), strict=True))
        columns[header[1]] = columns[header[1]].dictionary_encode()
        columns["when"] = pa.array([1.5] * len(table))
        pq.write_table(pa.table(columns), written / f"{name[:-4]}.parquet")
    np.testing.assert_equal(vars(read(written, {})[0]), expected)


def test_whole_numbers_of_a_parquet_file_are_features_however_large(tmp_path):
    found, _ = read(tmp_path, parquet(tmp_path, "features", {"item": ["7"], "x": [2**53 + 1]}))
    assert found.item_features[0].tolist() == [2.0**53]


def test_whole_numbers_of_a_parquet_file_are_ids(tmp_path):
    found, _ = read(tmp_path, parquet(tmp_path, "likes", {"user": [10, 9], "item": [7, 7]}))
    assert found.user_ids[found.likes[:, 0]].tolist() == ["10", "9"]


@pytest.mark.parametrize(
    ("name", "columns", "message"),
    [
        ("likes", {"user": [1.0], "item": ["7"]}, "user is of type double; store text or whole"),
        ("likes", {"user": ["a", None], "item": ["7", "7"]}, "row 2: user is missing"),
        ("likes", {"who": ["a"], "item": ["7"]}, "no column 'user' among: 'who', 'item'"),
        ("likes", {"user": ["a", " "], "item": ["7", "7"]}, "row 2: user is ' ', which is not"),
        ("friends", {"user": ["a"], "friend": ["b"], "weight": [-1.0]}, "row 1: weight is -1"),
        ("friends", {"user": ["a"], "friend": ["b"], "weight": ["x"]}, "weight is of type string"),
        ("friends", {"user": ["a"], "friend": ["b"], "weight": [np.nan]}, "row 1: a number is"),
        ("features", {"item": ["7", "7"], "x": [1, 2]}, "row 2: this item has features on an"),
        ("features", {"item": ["7", "8"], "x": [[1.0], [1.0, 2.0]]}, "row 2: x has 2 numbers"),
        ("features", {"item": ["9"], "x": [1.0]}, "no liked item features: .* '7' in likes and"),
    ],
)
def test_bad_parquet_tables_are_refused_with_file_and_row(tmp_path, name, columns, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, parquet(tmp_path, name, columns))


def test_a_file_that_is_no_parquet_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"likes\.parquet is no readable Parquet file"):
        read(tmp_path, CSV | {"likes.csv": None, "likes.parquet": b"PAR1"})
    (tmp_path / "likes.parquet").rename(tmp_path / "likes.csv.gz")
    with pytest.raises(DataError, match=r"cannot read .*likes\.csv\.gz"):
        read(tmp_path, CSV | {"likes.csv": None})


RATINGS = "user,item,rating,when\nzoë,7,4,1\nbob,7,3.5,2\nbob,8,5,3\nzoë,7,1,4\n"


def test_ratings_from_a_number_on_are_likes(tmp_path):
    tables = CSV | {"likes.csv": None, "ratings.csv": RATINGS}
    found, provenance = read(tmp_path, tables, liked_from=4)
    assert found.user_ids[found.likes[:, 0]].tolist() == ["bob", "zoë"]
    assert found.item_ids[found.likes[:, 1]].tolist() == ["8", "7"]
    assert provenance["statement"].endswith("liked from a rating of 4 on")
    with pytest.raises(ConfigError, match="set `liked_from`"):
        read(tmp_path, tables)
    (tmp_path / "ratings.csv").unlink()
    with pytest.raises(ConfigError, match="leave out `liked_from`"):
        read(tmp_path, CSV, liked_from=4)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("ratings.csv", "user,item,rating\nzoë,7,4\n\nbob,7,good\n", "line 4: rating is 'good'"),
        ("ratings.csv", "user,item,rating\nzoë,7,inf\n", "line 2: rating is 'inf', not a number"),
        ("ratings.csv", "user,item,rating\nzoë,7,\n", "line 2: rating is '', not a number"),
        ("ratings.csv", "user,item\nzoë,7\n", "no column 'rating'"),
        ("friends.csv", "user,friend,weight\nzoë,bob,-0.5\n", "line 2: weight is -0.5; it must"),
        ("friends.csv", "user,friend,weight\nzoë,bob,1e13\n", r"line 2: weight is 1e\+13; it must"),
    ],
)
def test_bad_numbers_are_refused_with_file_and_line(tmp_path, name, text, message):
    tables = CSV | {"likes.csv": None, "ratings.csv": RATINGS} | {name: text}
    with pytest.raises(DataError, match=message):
        read(tmp_path, tables, liked_from=4)


def test_the_largest_weight_of_a_friendship_counts(tmp_path):
    weighted = "friend,user,weight\nbob,zoë,0.5\nzoë,bob,2\nbob,bob,9\neve,zoë,0\neve,bob,1e-3\n"
    found, _ = read(tmp_path, CSV | {"friends.csv": weighted})
    assert found.user_ids.tolist() == ["bob", "eve", "zoë"]
    assert found.friends.tolist() == [[0, 1], [0, 2]]
    assert found.friend_weights.tolist() == [1e-3, 2.0]


def test_item_features_take_the_place_of_tags(tmp_path):
    features = 'x2,item,x1\n0.5,7,-1e-9\n , ,\n3,"unknown, and not liked",1\n'
    found, _ = read(tmp_path, CSV | {"tags.csv": None, "features.csv": features})
    assert found.item_ids.tolist() == ["7", "a, or b"]
    assert found.item_features.tolist() == [[0.5, -1e-9], [0, 0]]
    dataset, summary = prepare(found, "own", {})
    np.testing.assert_array_equal(dataset.features, found.item_features)
    assert summary["items_without_tags"] == 1
    assert prepare(found, "own", {}, untagged="drop")[0].n_items == 1
    listed = parquet(tmp_path, "features", {"item": ["7"], "x": [[0.5, -1e-9]]})
    (tmp_path / "features.csv").unlink()
    again, _ = read(tmp_path, listed)
    np.testing.assert_array_equal(again.item_features, found.item_features)


def test_tables_that_do_not_fit_into_memory_are_refused_before_they_are_read(tmp_path, monkeypatch):
    log = []
    read(tmp_path, CSV, log.append)
    assert any("reading the tables in" in line for line in log), log
    monkeypatch.setattr("horde.machine.available_bytes", lambda: 1000)
    with pytest.raises(ConfigError, match=r"reading the tables in .* needs 0\.0 GB of memory"):
        read(tmp_path, CSV)
