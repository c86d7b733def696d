"""Read columns of delimited text (``.csv``, ``.tsv``, HetRec's ``.dat``); errors name the line.

This uses the standard library's reader, since pandas accepts rows with too few fields (as empty
fields), and reads ``"a"b`` as ``ab``.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping

from horde.errors import DataError

TAB = "\t"


def read_columns(
    data: bytes,
    name: str,
    columns: Mapping[str, Callable],
    *,
    separator: str = TAB,
    errors: str = "strict",
) -> dict[str, list]:
    """Read the named columns of a table with a header line.

    Lines may end in LF, CRLF or CR, and a byte-order mark may come first. Blank lines and other
    columns are ignored. A row is one line. Fields may be quoted unless they are separated by tabs.

    Parameters
    ----------
    data : bytes
        The whole file, UTF-8 text.
    name : str
        Its name, for error messages.
    columns : mapping of str to callable
        For each column to read, the function that converts a field. It raises ValueError with a
        reason for a wrong field.
    separator : str
        Separator between two fields.
    errors : {"strict", "replace"}
        Whether bytes that are not UTF-8 raise an error, or become U+FFFD.

    Returns
    -------
    dict of list
        The converted fields of each column, in the order of the rows.

    Raises
    ------
    DataError
        If a column is missing or named twice, a row has too few or too many fields or a stray
        quotation mark, the header line is repeated, or a field is wrong; names the file and the
        line, counted from 1.
    """
    rows = _rows(_text(data, name, errors), name, separator)
    line, header = next(rows, (1, []))
    header = [title.strip() for title in header]
    for column in columns:
        if header.count(column) != 1:
            fault = "no column" if column not in header else "more than one column"
            among = ", ".join(map(repr, header))[:200] or "nothing: the file is empty"
            raise DataError(
                f"{name}, line {line}: {fault} {column!r} among: {among} (columns are separated by "
                f"{'tabs' if separator == TAB else 'commas'})"
            )
    found = {column: [] for column in columns}
    readers = [(header.index(column), columns[column], found[column]) for column in columns]
    for line, row in rows:
        if len(row) != len(header):
            raise DataError(f"{name}, line {line}: {len(row)} fields, the header has {len(header)}")
        if row[0].strip() == header[0] and [field.strip() for field in row] == header:
            raise DataError(f"{name}, line {line}: the header line is repeated; remove it")
        for place, convert, values in readers:
            try:
                values.append(convert(row[place]))
            except ValueError as error:
                raise DataError(
                    f"{name}, line {line}: {header[place]} is {row[place][:40]!r}, {error}"
                ) from None
    return found


def _text(data: bytes, name: str, errors: str) -> str:
    try:
        return data.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n?|\n", data[: error.start])) + 1
        raise DataError(f"{name}, line {line}: not UTF-8 text; save the table as UTF-8") from None


def _rows(text: str, name: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of each row that is not blank."""
    quoting = csv.QUOTE_NONE if separator == TAB else csv.QUOTE_MINIMAL
    # All line ends become LF.
    lines = io.StringIO(text, newline=None)
    reader = csv.reader(lines, delimiter=separator, quoting=quoting, strict=True)
    line = 0
    try:
        for row in reader:
            line += 1
            if reader.line_num > line:
                raise DataError(
                    f"{name}, line {line}: a quotation mark opens a field that goes on over the "
                    "line's end; remove the mark, or write the field on one line"
                )
            if any(map(str.strip, row)):
                yield line, row
    except csv.Error as error:
        raise DataError(f"{name}, line {line + 1}: {error}") from None
