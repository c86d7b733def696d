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


def read(folder, tables) -> tuple[Tables, dict]:
    for name, text in tables.items():
        data = text if isinstance(text, bytes) else text.encode()
        (folder / name).write_bytes(data)
    return acquire({"kind": "tables", "folder": str(folder)}, log=lambda _: None)


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
        ("likes.csv", "user,thing\na,b\n", "line 1: no column 'item' among: user, thing"),
        ("likes.csv", "user,item,user\na,b,c\n", "line 1: more than one column 'user'"),
        ("likes.csv", "", "line 1: no column 'user'"),
        ("likes.csv", "user,item\n", "nobody likes anything"),
        ("likes.csv", "user,item\na,b\n\na,b,c\n", "line 4: 3 fields, the header has 2"),
        ("likes.csv", "user,item\na, \n", "line 2: item is ' ', which is no name"),
        ("likes.csv", f"user,item\na,{'b' * 201}\n", "line 2: item is 'bbbb"),
        ("tags.csv", 'item,tag\na,"b\n', r"tags\.csv, line 2: unexpected end of data"),
        ("friends.csv", b"user,friend\na,\xff\n", r"friends\.csv, line 2: not UTF-8"),
    ],
)
def test_bad_tables_are_refused_with_file_and_line(tmp_path, name, text, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, CSV | {name: text})


def test_a_missing_table_is_named(tmp_path):
    with pytest.raises(DataError, match=r"0 of friends\.csv and friends\.tsv"):
        read(tmp_path, {name: CSV[name] for name in ("likes.csv", "tags.csv")})


def test_two_forms_of_a_table_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"2 of likes\.csv and likes\.tsv"):
        read(tmp_path, CSV | TSV)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    name=st.sampled_from(sorted(CSV)),
    rest=st.binary(max_size=200) | st.text('ab,"\n\r\0\t ', max_size=100).map(str.encode),
)
def test_any_bytes_give_tables_or_a_data_error(tmp_path, name, rest):
    header = CSV[name].encode().split(b"\n")[0] + b"\n"
    for data in (rest, header + rest):
        try:
            found, _ = read(tmp_path, CSV | {name: data})
        except DataError:
            continue
        assert isinstance(found, Tables)
