"""Read columns of tables in text (``.csv``, ``.tsv``, ``.dat``) or Parquet; errors name the line.

pyarrow reads. The standard library's reader says on which line a fault is, row by row. It also
comes first where there are quotation marks, since pyarrow reads ``"a"b`` as ``ab``.
"""

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
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
# Bytes that pyarrow reads at a time, and so the longest line.
BLOCK = 16_000_000


class Texts(NamedTuple):
    """A column of text.

    Attributes
    ----------
    codes : ndarray of int32, shape (rows,)
        Place of each row's text in `values`.
    values : pyarrow.StringArray
        The different texts.
    """

    codes: np.ndarray
    values: pa.StringArray


@dataclass(frozen=True)
class Columns:
    """Some columns of a table.

    Attributes
    ----------
    name : str
        Name of the file, for error messages.
    texts : dict of Texts
        The columns of text.
    numbers : ndarray of float64, shape (rows, number of other columns)
        The columns of numbers, finite.
    place : callable
        Where the row of a number, counted from 0, is in the file: ``line 7``.
    """

    name: str
    texts: dict[str, Texts]
    numbers: np.ndarray
    place: Callable[[int], str]

    def refuse(self, column: str, wrong: np.ndarray, reason: str) -> None:
        """Raise DataError for the first row of a text column whose text is wrong.

        Parameters
        ----------
        column : str
            A key of `texts`.
        wrong : ndarray of bool
            For each of the column's values, whether it is wrong.
        reason : str
            What is wrong, the end of the message.
        """
        codes, values = self.texts[column]

        def fault(row: int) -> str:
            return f"{column} is {values[int(codes[row])].as_py()[:40]!r}, {reason}"

        self.refuse_rows(wrong[codes], fault)

    def refuse_rows(self, wrong: np.ndarray, fault: Callable[[int], str]) -> None:
        """Raise DataError, with its fault, for the first row that is wrong, a bool for each row."""
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(f"{self.name}, {self.place(row)}: {fault(row)}")


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
    asked = {title: header.index(title) for title in [*texts, *numbers]}
    if separator != TAB and b'"' in data:
        table.explain(header, asked, numbers)
    types = {str(asked[title]): pa.dictionary(pa.int32(), pa.string()) for title in texts}
    types |= {str(asked[title]): pa.float64() for title in numbers}
    try:
        found = table.read(line, len(header), types)
    except pa.ArrowInvalid as error:
        if table.explain(header, asked, numbers):
            raise DataError(f"{name}: {error}") from None
        found = pa.table({key: pa.array([], type=kind) for key, kind in types.items()})
    columns = Columns(
        name,
        {title: _texts(found.column(str(asked[title]))) for title in texts},
        _numbers([found.column(str(asked[title])) for title in numbers], len(found)),
        table.place,
    )
    return _checked(columns, table, header, asked, numbers)


def _checked(columns, table, header, asked, numbers) -> Columns:
    """Drop blank rows; explain what pyarrow accepts though it is a fault."""
    repeated, blank = np.True_, np.isnan(columns.numbers).all(axis=1)
    for title, (codes, values) in columns.texts.items():
        stripped = pc.utf8_trim_whitespace(values)
        blank = blank & _equal(stripped, "")[codes]
        repeated = repeated & _equal(stripped, title)[codes]
    if not (blank.any() or repeated.any() or np.isnan(columns.numbers).any()):
        return columns
    table.explain(header, asked, numbers)
    texts = {t: Texts(codes[~blank], values) for t, (codes, values) in columns.texts.items()}
    return replace(columns, texts=texts, numbers=columns.numbers[~blank])


class _Text(NamedTuple):
    """A text table, read by pyarrow or row by row."""

    data: bytes
    name: str
    separator: str

    def require_utf8(self) -> None:
        offsets = pa.py_buffer(np.array([0, len(self.data)]))
        try:
            pa.LargeStringArray.from_buffers(1, offsets, pa.py_buffer(self.data)).validate(
                full=True
            )
        except pa.ArrowInvalid:
            try:
                self.data.decode()
            except UnicodeDecodeError as error:
                line = len(re.findall(rb"\r\n?|\n", self.data[: error.start])) + 1
                raise DataError(
                    f"{self.name}, line {line}: not UTF-8 text; save the table as UTF-8"
                ) from None

    def read(self, header_line: int, width: int, types: dict[str, pa.DataType]) -> pa.Table:
        """Read the columns `types`, named by their places, from below the header line."""
        ends = re.finditer(rb"\r\n?|\n", self.data)
        end = next(islice(ends, header_line - 1, None), None)
        # A copy in Arrow's own memory. Arrow's threads let go of what they read a little later. If
        # Python is about to end then, releasing an object of Python's would abort the process.
        stream = pa.BufferOutputStream()
        stream.write(memoryview(self.data)[end.end() if end else len(self.data) :])
        body = stream.getvalue()

        def parsed(handler=None):
            return pa_csv.read_csv(
                pa.BufferReader(body),
                pa_csv.ReadOptions(column_names=list(map(str, range(width))), block_size=BLOCK),
                pa_csv.ParseOptions(
                    delimiter=self.separator,
                    quote_char=False if self.separator == TAB else '"',
                    invalid_row_handler=handler,
                ),
                pa_csv.ConvertOptions(
                    include_columns=list(types), column_types=types, check_utf8=False
                ),
            )

        try:
            return parsed()
        except pa.ArrowInvalid:
            # Rows with other numbers of fields: only blank ones may be left out.
            return parsed(lambda row: "skip" if self._is_blank(row.text) else "error")

    def _is_blank(self, line: str) -> bool:
        return not any(map(str.strip, next(self._reader([line]), [])))

    def _reader(self, lines):
        quoting = csv.QUOTE_NONE if self.separator == TAB else csv.QUOTE_MINIMAL
        return csv.reader(lines, delimiter=self.separator, quoting=quoting, strict=True)

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line number and the fields of each row that is not blank."""
        # All line ends become LF.
        reader = self._reader(io.TextIOWrapper(io.BytesIO(self.data), "utf-8-sig", newline=None))
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
        """Return the line of a row, counted from 0 below the header."""
        return f"line {next(islice(self.rows(), row + 1, None))[0]}"

    def explain(self, header: list[str], asked: dict[str, int], numbers: Sequence[str]) -> int:
        """Raise DataError for the first fault; return the number of rows if there is none."""
        count = 0
        for line, row in islice(self.rows(), 1, None):
            count += 1
            where = f"{self.name}, line {line}"
            if len(row) != len(header):
                raise DataError(f"{where}: fields: {len(row)}, in the header: {len(header)}")
            if row[0].strip() == header[0] and [field.strip() for field in row] == header:
                raise DataError(f"{where}: the header line is repeated; remove it")
            if not any(row[place].strip() for place in asked.values()):
                raise DataError(f"{where}: {' and '.join(asked)} are empty; remove the line")
            for title in numbers:
                if not _is_number(row[asked[title]]):
                    raise DataError(f"{where}: {title} is {row[asked[title]][:40]!r}, not a number")
        return count


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
    found = Columns(str(path), {}, np.empty((len(table), 0)), lambda row: f"row {row + 1}")
    for title in table.column_names:
        column = table.column(title)
        kind, lists = column.type, title in numbers and len(numbers) == 1
        if lists and _is_list(kind):
            kind = kind.value_type
        fit = _is_text if title in texts else _is_numeric
        if not fit(kind):
            wanted = "text or whole numbers" if title in texts else "numbers"
            raise DataError(f"{path}: {title} is of type {column.type}; store {wanted}")
        missing = pc.is_null(column).to_numpy()
        found.refuse_rows(missing, lambda row, title=title: f"{title} is missing")
    values = [table.column(title) for title in numbers]
    if len(values) == 1 and _is_list(values[0].type):
        lengths = pc.list_value_length(values[0]).to_numpy()
        found.refuse_rows(
            lengths != lengths[:1],
            lambda row: f"{numbers[0]} has {lengths[row]} numbers, the first {lengths[0]}",
        )
        flat = pc.list_flatten(values[0])
        matrix = _numbers([flat], len(flat)).reshape(len(table), -1)
    else:
        matrix = _numbers(values, len(table))
    not_finite = ~np.isfinite(matrix).all(axis=1)
    found.refuse_rows(not_finite, lambda row: "a number is missing or not finite")
    read = {title: _texts(table.column(title)) for title in texts}
    return replace(found, texts=read, numbers=matrix)


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


def _texts(column: pa.ChunkedArray) -> Texts:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries()
    values = column.chunk(0).dictionary if column.num_chunks else pa.array([], pa.string())
    codes = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in column.chunks]
    return Texts(
        np.concatenate([np.empty(0, np.int32), *codes]).astype(np.int32), values.cast("string")
    )


def _numbers(columns: list[pa.ChunkedArray], rows: int) -> np.ndarray:
    """Return columns side by side; what is missing or not finite becomes NaN."""
    found = np.empty((rows, len(columns)))
    for place, column in enumerate(columns):
        found[:, place] = column.cast(pa.float64()).to_numpy()
    found[~np.isfinite(found)] = np.nan
    return found


def _equal(values: pa.StringArray, text: str) -> np.ndarray:
    return pc.equal(values, text).to_numpy(zero_copy_only=False)


def _is_number(field: str) -> bool:
    try:
        return "_" not in field and math.isfinite(float(field))
    except ValueError:
        return False


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
