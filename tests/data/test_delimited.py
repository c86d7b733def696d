from hypothesis import given
from hypothesis import strategies as st

from horde.data.delimited import read_columns


@given(
    rows=st.lists(st.tuples(st.integers(), st.text("ab é'\"", max_size=5)), max_size=20),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_columns_are_read_as_they_were_written(rows, end, mark):
    lines = [f"{mark}x\tid\ttext", *(f"\t{i}\t{t}" for i, t in rows)]
    columns = read_columns(end.join(lines).encode(), "file", {"id": int, "text": str})
    assert columns == {"id": [i for i, _ in rows], "text": [t for _, t in rows]}
