"""Download an archive by https, from the first of several addresses that gives a complete file."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pooch
import requests
from tqdm import tqdm

from horde import files
from horde.data.sources import LARGEST_ARCHIVE
from horde.errors import DataError

ATTEMPTS = 3
# Seconds to wait for an answer; after GIVE_UP seconds no further attempt starts.
TIMEOUT = 10
GIVE_UP = 25
# Bytes per second; a slower transfer is stopped after TIMEOUT seconds.
SLOWEST = 5_000
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def download(
    urls: tuple[str, ...],
    target: Path,
    accept: Callable[[Path], Any],
    log: Callable[[str], None],
) -> Any:
    """Download a file from the first of `urls` that gives an acceptable one.

    Parameters
    ----------
    urls : tuple of str
        Addresses, in order of preference.
    target : Path
        Path of the accepted file.
    accept : callable
        Receives the path of a temporary file; raises DataError unless its content is right.
    log : callable
        Receives one line per attempt and failure.

    Returns
    -------
    object
        The result of `accept`.

    Raises
    ------
    DataError
        If no address gives an acceptable file within a minute; names the reason for each.
    """
    files.make_folder(target.parent)
    pooch.get_logger().setLevel("ERROR")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    left, failures, began = list(urls), {}, time.monotonic()
    try:
        for attempt in range(ATTEMPTS):
            for url in tuple(left):
                log(f"downloading {url}")
                try:
                    _retrieve(url, part)
                    accepted = accept(part)
                    part.replace(target)
                    return accepted
                except (OSError, ValueError, DataError) as error:  # OSError: also of requests.
                    # The reason, not requests' long message.
                    failures[url] = str(getattr(next(iter(error.args), None), "reason", error))
                    log(f"download failed: {failures[url]}")
                    if not _may_pass(error):
                        left.remove(url)
            if not left or attempt == ATTEMPTS - 1 or time.monotonic() - began > GIVE_UP:
                break
            time.sleep(2**attempt)
    finally:
        part.unlink(missing_ok=True)
    raise DataError("; ".join(f"{url}: {error}" for url, error in failures.items()))


def _may_pass(error: Exception) -> bool:
    """Return whether the next attempt may succeed after this failure."""
    if isinstance(error, requests.HTTPError):
        status = error.response.status_code
        return status >= 500 or status in (408, 429)
    return isinstance(error, OSError) and not isinstance(error, requests.exceptions.SSLError)


def _retrieve(url: str, part: Path) -> None:
    _require_https(url)
    part.unlink(missing_ok=True)
    with _BoundedBar(unit="B", unit_scale=True, disable=None) as bar:
        fetch = pooch.HTTPDownloader(
            progressbar=bar,
            timeout=TIMEOUT,
            hooks={"response": lambda answer, **_: _require_https(answer.url)},
        )
        # Check the content, not the archive's checksum, which differs after zipping it again.
        pooch.retrieve(url, known_hash=None, fname=part.name, path=part.parent, downloader=fetch)


class _BoundedBar(tqdm):
    """A progress bar, shown only on a terminal; it stops too large or too slow downloads."""

    def __init__(self, **options):
        super().__init__(**options)
        self.received, self.began = 0, time.monotonic()

    def __bool__(self):
        return True  # pooch tests the truth of the bar, but a bar of unknown length has none.

    def update(self, n=1):
        self.received += n
        spent = time.monotonic() - self.began
        if self.received > LARGEST_ARCHIVE:
            raise DataError(f"more than {LARGEST_ARCHIVE} bytes")
        if spent > TIMEOUT and self.received < SLOWEST * spent:
            raise TimeoutError(f"only {self.received} bytes in {spent:.0f} s")
        return super().update(n)

    def reset(self, total=None):
        self.received = 0
        super().reset(total)


def _require_https(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise DataError(f"only https is used, not {url}")
