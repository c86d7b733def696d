"""What every script of the workflow does around its call of the package."""

import json
import sys
import traceback
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path


@contextmanager
def job(snakemake):
    """Pin the threads, open the log, and on failure leave the traceback and the settings in it.

    Yields a function that writes a line to the log. Computes with one thread unless the rule's
    params say otherwise (``compute_threads``): what a job reserves may be more than it uses.
    """
    from horde.errors import HordeError
    from horde.machine import pin

    pin(snakemake.params.get("compute_threads", 1))
    path = Path(snakemake.log[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", buffering=1) as stream:

        def log(message):
            stream.write(f"{datetime.now():%H:%M:%S} {message}\n")

        try:
            yield log
            log("done")
        except BaseException as error:
            told = {
                "wildcards": dict(snakemake.wildcards.items()),
                "params": dict(snakemake.params.items()),
                "input": list(snakemake.input),
            }
            stream.write(f"{traceback.format_exc()}\n{json.dumps(told, indent=1, default=str)}\n")
            if not isinstance(error, HordeError):
                raise
            sys.exit(f"{snakemake.rule}: {error}\n(log: {path})")
