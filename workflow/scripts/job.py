"""Threads, log and error messages, shared by all scripts of the workflow."""

import errno
import json
import sys
import traceback
import warnings
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

# The user can fix these errors: a full disk, an exceeded quota, a read-only file system.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


@contextmanager
def job(snakemake):
    """Set the number of threads and open the log; on failure, log the traceback and the params.

    Yields a function that writes a line to the log. The job computes with one thread; it may
    reserve more threads than it uses. If the log cannot be written, the job continues, and other
    errors are still shown. Warnings are printed as one line.
    """
    from horde.errors import HordeError
    from horde.machine import collect_rarely, pin

    collect_rarely()
    pin(1)
    path = Path(snakemake.log[0])
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")

    def append(text):
        with suppress(OSError), path.open("a", encoding="utf-8") as stream:
            stream.write(f"{text}\n")

    def log(message):
        append(f"{datetime.now():%H:%M:%S} {message}")

    def warn(message, *_):
        log(f"warning: {message}")
        print(f"warning: {message}", file=sys.stderr)

    try:
        with warnings.catch_warnings():
            warnings.showwarning = warn
            yield log
        log("done")
    except BaseException as error:
        context = {
            "wildcards": dict(snakemake.wildcards.items()),
            "params": dict(snakemake.params.items()),
            "input": list(snakemake.input),
        }
        append(f"{traceback.format_exc()}\n{json.dumps(context, indent=1, default=str)}")
        if isinstance(error, HordeError):
            sys.exit(f"{snakemake.rule}: {error}\n(log: {path})")
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            place = error.filename or Path.cwd()
            sys.exit(
                f"{snakemake.rule}: {place} can't be written ({error.strerror}); make room there, "
                "then start again"
            )
        raise
