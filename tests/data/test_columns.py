import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from horde.data.columns import read_text


@given(
    rows=st.lists(st.tuples(st.integers(), st.text("ab é'\"", max_size=5)), max_size=20),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_columns_are_read_as_they_were_written(rows, end, mark):
    lines = [f"{mark}x\tid\ttext", *(f"\t{i}\t{t}" for i, t in rows)]
    columns = read_text(end.join(lines).encode(), "file", ["text"], ["id"])
    assert columns.texts["text"].to_pylist() == [text for _, text in rows]
    np.testing.assert_array_equal(columns.numbers[:, 0], [float(number) for number, _ in rows])
