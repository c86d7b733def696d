"""Download of one archive: https, bounded in time and size, nothing half left behind."""

import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from horde import files
from horde.data.archive import LARGEST_ARCHIVE
from horde.errors import DataError

ATTEMPTS = 3
# Seconds without an answer; after GIVE_UP of trying, no further attempt is begun.
TIMEOUT = 10
GIVE_UP = 25
# A transfer slower than this after TIMEOUT seconds is given up, in bytes a second.
SLOWEST = 5_000
PROGRESS_EVERY = 2
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@contextmanager
def downloaded(urls: tuple[str, ...], target: Path, log: Callable[[str], None]):
    """Download the first of `urls` that answers, beside `target`.

    Yields the path of the temporary file; if the body of the ``with`` statement succeeds (it is
    the place to verify the content) the file takes the name `target`, else it is deleted.

    Raises
    ------
    DataError
        If none can be had within a minute; says why for each.
    """
    files.make_folder(target.parent)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _first_of(urls, part, log)
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _first_of(urls: tuple[str, ...], part: Path, log: Callable[[str], None]) -> None:
    began = time.monotonic()
    failures = []
    for url in urls:
        for attempt in range(ATTEMPTS):
            try:
                return _fetch(url, part, log)
            except (OSError, ValueError, HTTPException, DataError) as error:
                failures.append(f"{url}: {error}")
                log(f"download failed: {failures[-1]}")
                spent = time.monotonic() - began
                if not _may_pass(error) or spent > GIVE_UP or attempt == ATTEMPTS - 1:
                    break
            time.sleep(2**attempt)
    raise DataError("cannot download: " + "; ".join(dict.fromkeys(failures)))


def _may_pass(error: Exception) -> bool:
    """Tell whether a failure may be gone at the next attempt."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code >= 500 or error.code in (408, 429)
    return isinstance(error, OSError) and "CERTIFICATE_VERIFY_FAILED" not in str(error)


def _fetch(url: str, part: Path, log: Callable[[str], None]) -> None:
    _require_https(url)
    log(f"downloading {url}")
    request = urllib.request.Request(url, headers={"User-Agent": "horde"})
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer, part.open("wb") as stream:
        _require_https(answer.geturl())
        expected = int(answer.headers.get("Content-Length") or 0)
        received = _copy(answer, stream, expected, log)
    if expected and received != expected:
        raise OSError(f"{received} of {expected} bytes received")


def _copy(answer, stream, expected: int, log: Callable[[str], None]) -> int:
    began = told = time.monotonic()
    received = 0
    while chunk := answer.read1(1 << 16):
        received += len(chunk)
        if received > LARGEST_ARCHIVE:
            raise DataError(f"more than {LARGEST_ARCHIVE} bytes")
        stream.write(chunk)
        now = time.monotonic()
        if now - began > TIMEOUT and received < SLOWEST * (now - began):
            raise TimeoutError(f"only {received} bytes in {now - began:.0f} s")
        if now - told > PROGRESS_EVERY:
            told = now
            log(f"received {received:,} of {f'{expected:,}' if expected else 'unknown'} bytes")
    return received


def _require_https(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise DataError("only https is used")
