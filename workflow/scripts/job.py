"""What every script of the workflow does around its call of the package."""

import errno
import json
import sys
import traceback
import warnings
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

# No room, over the quota, or a file system that only reads: the user can fix these.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


@contextmanager
def job(snakemake):
    """Pin the threads, open the log, and on failure leave the traceback and the params in it.

    Yields a function that writes a line to the log. Computes with one thread unless the rule's
    params say otherwise (``compute_threads``): what a job reserves may be more than it uses. A log
    that cannot be written stops no job, and hides no other error. A warning is one plain line.
    """
    from horde.errors import HordeError
    from horde.machine import pin

    pin(snakemake.params.get("compute_threads", 1))
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
