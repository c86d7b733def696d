"""Columns of tab-separated files, by name, from any bytes: right, or refused with the line."""

from collections.abc import Sequence

import numpy as np

from horde.errors import DataError

TAB, NEWLINE, RETURN, ZERO = b"\t\n\r0"
# Enough for every id, and 10^18 - 1 fits an int64.
MOST_DIGITS = 18


def read_columns(
    data: bytes, name: str, integers: Sequence[str], texts: Sequence[str] = ()
) -> dict:
    """Read the named columns of a tab-separated file with a header line.

    Lines end in LF or CRLF; blank lines and other columns are ignored; there is no quoting.

    Parameters
    ----------
    data : bytes
        The whole file.
    name : str
        Its name, for error messages.
    integers, texts : sequence of str
        Columns of whole numbers of at most 18 digits, and of text (UTF-8; what is not valid
        UTF-8 becomes U+FFFD).

    Returns
    -------
    dict
        An int64 array for each of `integers`, a list of str for each of `texts`.

    Raises
    ------
    DataError
        If a column is missing or stands twice, a line has too few or too many fields, or
        a number is none; names the file and the line, counted from 1.
    """
    buffer = np.frombuffer(data.removeprefix(b"\xef\xbb\xbf"), dtype=np.uint8)
    if len(buffer) == 0:
        raise DataError(f"{name}, line 1: the file is empty; a header line is missing")
    starts, ends = _lines(buffer)
    header = bytes(buffer[starts[0] : ends[0]]).decode(errors="replace").split("\t")
    for column in (*integers, *texts):
        if column not in header:
            found = ", ".join(header)[:200]
            raise DataError(f"{name}, line 1: no column {column!r} among: {found}")
        if header.count(column) > 1:
            raise DataError(f"{name}, line 1: column {column!r} stands twice")
    fields = _fields(buffer, starts, ends, len(header), name)
    columns = {}
    for column in integers:
        columns[column] = _whole_numbers(buffer, *fields(header.index(column)), name, column)
    for column in texts:
        bounds = zip(*(bound.tolist() for bound in fields(header.index(column))[:2]), strict=True)
        columns[column] = [bytes(buffer[a:b]).decode(errors="replace") for a, b in bounds]
    return columns


def _lines(buffer: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where each line starts and ends, without its line end."""
    newlines = np.flatnonzero(buffer == NEWLINE)
    ends = np.append(newlines, len(buffer))
    starts = np.append(0, newlines + 1)
    return starts, ends - ((ends > starts) & (buffer[ends - 1] == RETURN))


def _fields(buffer, starts, ends, width: int, name: str):
    """Return a function from a column's position to (start, end, line number) of its fields."""
    lines = np.arange(1, len(starts) + 1)
    used = (ends > starts) & (lines > 1)
    starts, ends, lines = starts[used], ends[used], lines[used]
    tabs = np.flatnonzero(buffer == TAB)
    first = np.searchsorted(tabs, starts)
    counts = np.searchsorted(tabs, ends) - first + 1
    wrong = np.flatnonzero(counts != width)
    if len(wrong):
        raise DataError(
            f"{name}, line {lines[wrong[0]]}: {counts[wrong[0]]} fields, the header has {width}"
        )

    def bounds(position: int):
        start = starts if position == 0 else tabs[first + position - 1] + 1
        end = ends if position == width - 1 else tabs[first + position]
        return start, end, lines

    return bounds


def _whole_numbers(buffer, start, end, lines, name: str, column: str) -> np.ndarray:
    digits = end - start
    bad = (digits < 1) | (digits > MOST_DIGITS)
    numbers = np.zeros(len(start), dtype=np.int64)
    for place in range(min(digits.max(initial=0), MOST_DIGITS)):
        active = digits > place
        digit = buffer[start[active] + place] - np.uint8(ZERO)
        numbers[active] = numbers[active] * 10 + digit
        bad[active] |= digit > 9
    wrong = np.flatnonzero(bad)
    if len(wrong):
        i = wrong[0]
        found = bytes(buffer[start[i] : end[i]][:40]).decode(errors="replace")
        raise DataError(f"{name}, line {lines[i]}: {column} is {found!r}, not a whole number")
    return numbers
