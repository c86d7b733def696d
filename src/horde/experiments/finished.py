"""Check whether a target of the workflow is finished under the configuration of its run."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from horde import files
from horde.errors import ConfigError, DataError
from horde.experiments.config import read

_DONE = "Nothing to be done"
# What a run has before its first result.
_BEFORE_RESULTS = ("archives", "data", "logs", "timing/jobs")


def has_records(repository: Path) -> bool:
    """Return whether Snakemake has records there; without records, all files count as finished."""
    return any((repository / ".snakemake" / "metadata").glob("*"))


def has_results(results: str | os.PathLike) -> bool:
    """Return whether a run has made anything beyond its data and logs."""
    before = [Path(results, name) for name in _BEFORE_RESULTS]
    return any(
        path.is_file() and not any(map(path.is_relative_to, before))
        for path in Path(results).glob("*/**/*")
    )


def require_finished(target: str, config: Mapping, repository: Path) -> None:
    """Ask Snakemake whether it would remake anything.

    Parameters
    ----------
    target : str
        A rule, or a file.
    config : mapping
        The complete configuration of the run, as stored with its results.
    repository : Path
        Folder of `Snakefile`, `config.yaml` and Snakemake's records.

    Raises
    ------
    ConfigError
        If this is no repository.
    DataError
        If a file is missing, or was made with another configuration, data or code. The message
        says what Snakemake would do.
    """
    if not (repository / "Snakefile").exists():
        raise ConfigError(f"{repository.absolute()} has no Snakefile; start it in the repository")
    if not has_records(repository):
        raise DataError(
            f"{repository.absolute()} has no records (.snakemake) of how its results were made; "
            f"make them again with `snakemake --cores all --forceall {target}`."
        )
    # Snakemake merges this into config.yaml, so remove datasets again that the run removed.
    left_out = dict.fromkeys(read(repository / "config.yaml")["datasets"])
    overlay = {
        **config,
        "datasets": left_out | config["datasets"],
        # A dry run replaces nothing.
        "allow_other_scale": True,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.json"
        files.write_json(path, overlay)
        command = [sys.executable, "-m", "snakemake", "--dry-run", "--configfile", path, "--"]
        done = subprocess.run(
            [*command, target], cwd=repository, capture_output=True, text=True, check=False
        )
    output = done.stdout + done.stderr
    if done.returncode:
        raise DataError(
            f"it could not be found out whether {target} is finished; fix this first:\n"
            f"{output.strip()}"
        )
    if _DONE not in output:
        raise DataError(
            f"{target} is not finished as {config['run']} is configured; make it with `snakemake "
            f"--cores all {target}` and that configuration. Snakemake says:\n"
            f"{output[output.rfind('Reasons:') :].strip()}"
        )
