"""Read columns of tables in text (``.csv``, ``.tsv``, ``.dat``) or Parquet; errors name the line.

pyarrow reads. The standard library reads a text table row by row, and says on which line a fault
is, if pyarrow refuses the table or finds what may be a fault. It also reads tables with quotation
marks, since pyarrow reads ``"a"b`` as ``ab``.
"""

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from horde.errors import DataError

TAB = "\t"
# Bytes that pyarrow reads at a time; it refuses a longer line.
BLOCK = 16_000_000
# Rows that the standard library reads at a time.
ROWS = 10_000
TEXT = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True)
class Columns:
    """Some columns of a table.

    Attributes
    ----------
    texts : dict of pyarrow.DictionaryArray
        The columns of text: ``dictionary`` holds the different texts, ``indices`` the place of each
        row's text in it.
    numbers : ndarray of float64, shape (rows, number of other columns)
        The columns of numbers, finite.
    place : callable
        Where the row of a number, counted from 0, is: ``likes.csv, line 7``.
    """

    texts: dict[str, pa.DictionaryArray]
    numbers: np.ndarray
    place: Callable[[int], str]

    def refuse(self, column: str, wrong: np.ndarray, reason: str) -> None:
        """Raise DataError for the first row of a text column whose text is wrong.

        Parameters
        ----------
        column : str
            A key of `texts`.
        wrong : ndarray of bool
            For each of the column's different texts, whether it is wrong.
        reason : str
            What is wrong, the end of the message.
        """
        texts = self.texts[column]

        def fault(row: int) -> str:
            return f"{column} is {texts[row].as_py()[:40]!r}, {reason}"

        self.refuse_rows(wrong[texts.indices.to_numpy()], fault)

    def refuse_rows(self, wrong: np.ndarray, fault: Callable[[int], str]) -> None:
        """Raise DataError, with its fault, for the first row that is wrong, a bool for each row."""
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(f"{self.place(row)}: {fault(row)}")


def read_text(
    data: bytes,
    name: str,
    texts: Sequence[str],
    numbers: Sequence[str] | None = (),
    optional: Sequence[str] = (),
    *,
    separator: str = TAB,
) -> Columns:
    """Read named columns of a text table with a header line.

    Lines may end in LF, CRLF or CR, and a byte-order mark may come first. Blank lines and other
    columns are ignored. A row is one line. Fields may be quoted unless they are separated by tabs.

    Parameters
    ----------
    data : bytes
        The whole file, UTF-8 text.
    name : str
        Its name, for error messages.
    texts, numbers : sequence of str
        Names of the columns of text and of numbers to read. None asks for all columns that are not
        in `texts`.
    optional : sequence of str
        Further columns of numbers, which may be missing.
    separator : str
        Separator between two fields.

    Raises
    ------
    DataError
        If a column is missing or named twice, a row has too few or too many fields or a stray
        quotation mark, the header line is repeated, a number is none or not finite, or the text is
        not UTF-8; names the file and the line, counted from 1.
    """
    table = _Text(data, name, separator)
    table.require_utf8()
    line, header = next(table.rows(), (1, []))
    header = [title.strip() for title in header]
    where = f"(columns are separated by {'tabs' if separator == TAB else 'commas'})"
    numbers = _columns_of_numbers(header, texts, numbers, optional)
    _require_columns(f"{name}, line {line}", header, [*texts, *numbers], where)
    schema = pa.schema(dict.fromkeys(texts, TEXT) | dict.fromkeys(numbers, pa.float64()))

    def columns(found: pa.Table) -> Columns:
        values = [found.column(title) for title in numbers]
        encoded = {title: _encoded(found.column(title)) for title in texts}
        return Columns(encoded, _side_by_side(values, len(found)), table.place)

    if separator == TAB or b'"' not in data:
        with suppress(pa.ArrowInvalid):
            found = columns(table.read(line, header, schema))
            if not _may_be_faulty(found):
                return found
    return columns(table.read_by_row(header, schema, texts))


def _may_be_faulty(columns: Columns) -> bool:
    """Return whether a text is empty or the title of its column, or a number is not finite."""
    for title, column in columns.texts.items():
        stripped = pc.utf8_trim_whitespace(column.dictionary)
        if pc.any(pc.is_in(stripped, pa.array(["", title]))).as_py():
            return True
    return not np.isfinite(columns.numbers).all()


class _Text(NamedTuple):
    """A text table, read by pyarrow or row by row."""

    data: bytes
    name: str
    separator: str

    def require_utf8(self) -> None:
        offsets = pa.py_buffer(np.array([0, len(self.data)]))
        text = pa.LargeStringArray.from_buffers(1, offsets, pa.py_buffer(self.data))
        try:
            text.validate(full=True)
        except pa.ArrowInvalid:
            try:
                self.data.decode()
            except UnicodeDecodeError as error:
                line = len(re.findall(rb"\r\n?|\n", self.data[: error.start])) + 1
                raise DataError(
                    f"{self.name}, line {line}: not UTF-8 text; save the table as UTF-8"
                ) from None

    def read(self, header_line: int, header: list[str], schema: pa.Schema) -> pa.Table:
        """Read the columns of `schema` by pyarrow, without a meaning of quotation marks.

        Raises
        ------
        pyarrow.ArrowInvalid
            If there is no row, or pyarrow cannot read one.
        """
        # A copy in Arrow's own memory. Arrow's threads let go of what they read a little later. If
        # Python is about to end then, releasing an object of Python's would abort the process.
        stream = pa.BufferOutputStream()
        stream.write(self.data)
        return pa_csv.read_csv(
            pa.BufferReader(stream.getvalue()),
            pa_csv.ReadOptions(column_names=header, skip_rows=header_line, block_size=BLOCK),
            pa_csv.ParseOptions(delimiter=self.separator, quote_char=False),
            pa_csv.ConvertOptions(
                include_columns=schema.names, column_types=schema, check_utf8=False
            ),
        )

    def read_by_row(self, header: list[str], schema: pa.Schema, texts: Sequence[str]) -> pa.Table:
        """Read the columns of `schema`; raise DataError for the first fault."""
        rows, parts = self._checked(header, schema.names, texts), [schema.empty_table()]
        while some := list(islice(rows, ROWS)):
            fields = dict(zip(schema.names, zip(*some, strict=True), strict=True))
            parts.append(pa.table(fields, schema=schema))
        return pa.concat_tables(parts)

    def _checked(
        self, header: list[str], asked: list[str], texts: Sequence[str]
    ) -> Iterator[list[str | float]]:
        """Yield the fields `asked` for of each row below the header: `texts`, then numbers."""
        places = [header.index(title) for title in asked]
        for line, row in islice(self.rows(), 1, None):
            where = f"{self.name}, line {line}"
            if len(row) != len(header):
                raise DataError(f"{where}: fields: {len(row)}, in the header: {len(header)}")
            if row[0].strip() == header[0] and [field.strip() for field in row] == header:
                raise DataError(f"{where}: the header line is repeated; remove it")
            fields = [row[place] for place in places]
            if not any(map(str.strip, fields)):
                raise DataError(f"{where}: {' and '.join(asked)} are empty; remove the line")
            values = [_number(field) for field in fields[len(texts) :]]
            for place, value in enumerate(values, len(texts)):
                if not math.isfinite(value):
                    raise DataError(
                        f"{where}: {asked[place]} is {fields[place][:40]!r}, not a number"
                    )
            yield fields[: len(texts)] + values

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line number and the fields of each row that is not blank."""
        quoting = csv.QUOTE_NONE if self.separator == TAB else csv.QUOTE_MINIMAL
        # All line ends become LF.
        lines = io.TextIOWrapper(io.BytesIO(self.data), "utf-8-sig", newline=None)
        reader = csv.reader(lines, delimiter=self.separator, quoting=quoting, strict=True)
        line = 0
        try:
            for row in reader:
                line += 1
                if reader.line_num > line:
                    raise DataError(
                        f"{self.name}, line {line}: a quotation mark opens a field that goes on "
                        "over the line's end; remove the mark, or write the field on one line"
                    )
                if any(map(str.strip, row)):
                    yield line, row
        except csv.Error as error:
            raise DataError(f"{self.name}, line {line + 1}: {error}") from None

    def place(self, row: int) -> str:
        """Return the place of a row, counted from 0 below the header, as `Columns` has it."""
        return f"{self.name}, line {next(islice(self.rows(), row + 1, None))[0]}"


def parquet_extent(path: Path) -> tuple[int, int]:
    """Return the number of bytes of a Parquet file, uncompressed, and of its rows.

    Raises
    ------
    DataError
        If the file is no Parquet file.
    """
    try:
        metadata = pq.read_metadata(path)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from error
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return sum(group.total_byte_size for group in groups), metadata.num_rows


def read_parquet(
    path: Path,
    texts: Sequence[str],
    numbers: Sequence[str] | None = (),
    optional: Sequence[str] = (),
) -> Columns:
    """Read named columns of a Parquet file.

    Parameters
    ----------
    path : Path
        The file.
    texts, numbers, optional
        As `read_text` takes them. Columns of text may hold whole numbers; a single column of lists
        of numbers, all of one length, stands for as many columns.

    Raises
    ------
    DataError
        If the file is damaged, a column is missing or of another type, or a value is missing;
        names the file and the row, counted from 1.
    """
    try:
        header = pq.read_schema(path).names
        numbers = _columns_of_numbers(header, texts, numbers, optional)
        _require_columns(str(path), header, [*texts, *numbers])
        table = pq.read_table(path, columns=[*texts, *numbers])
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from error
    found = Columns({}, np.empty((len(table), 0)), lambda row: f"{path}, row {row + 1}")
    listed = len(numbers) == 1 and _is_list(table.column(numbers[0]).type)
    for title in table.column_names:
        column = table.column(title)
        kind = column.type.value_type if listed and title in numbers else column.type
        fit = _is_text if title in texts else _is_numeric
        if not fit(kind):
            wanted = "text or whole numbers" if title in texts else "numbers"
            raise DataError(f"{path}: {title} is of type {column.type}; store {wanted}")
        missing = pc.is_null(column).to_numpy()
        found.refuse_rows(missing, lambda row, title=title: f"{title} is missing")
    values = [table.column(title) for title in numbers]
    if listed:
        lengths = pc.list_value_length(values[0]).to_numpy()
        found.refuse_rows(
            lengths != lengths[:1],
            lambda row: f"{numbers[0]} has {lengths[row]} numbers, the first {lengths[0]}",
        )
        flat = pc.list_flatten(values[0])
        matrix = _side_by_side([flat], len(flat)).reshape(len(table), -1)
    else:
        matrix = _side_by_side(values, len(table))
    not_finite = ~np.isfinite(matrix).all(axis=1)
    found.refuse_rows(not_finite, lambda row: "a number is missing or not finite")
    encoded = {title: _encoded(table.column(title)) for title in texts}
    return replace(found, texts=encoded, numbers=matrix)


def _unreadable(path: Path, error: Exception) -> DataError:
    return DataError(f"{path} is no readable Parquet file ({error}); write it again")


def _columns_of_numbers(header, texts, numbers, optional) -> list[str]:
    if numbers is None:
        return [title for title in dict.fromkeys(header) if title not in texts]
    return [*numbers, *(title for title in optional if title in header)]


def _require_columns(where: str, header: list[str], asked: list[str], note: str = "") -> None:
    for column in asked:
        if header.count(column) != 1:
            fault = "no column" if column not in header else "more than one column"
            among = ", ".join(map(repr, header))[:200] or "nothing: the file is empty"
            raise DataError(f"{where}: {fault} {column!r} among: {among} {note}".rstrip())


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries().combine_chunks()
    return pa.DictionaryArray.from_arrays(column.indices, column.dictionary.cast("string"))


def _side_by_side(columns: list[pa.ChunkedArray], rows: int) -> np.ndarray:
    found = np.empty((rows, len(columns)))
    for place, column in enumerate(columns):
        found[:, place] = column.cast(pa.float64(), safe=False).to_numpy()
    return found


def _number(field: str) -> float:
    """Return the number that a field holds, or NaN."""
    try:
        return math.nan if "_" in field else float(field)
    except ValueError:
        return math.nan


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _is_list(kind: pa.DataType) -> bool:
    return (
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def _is_numeric(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)
