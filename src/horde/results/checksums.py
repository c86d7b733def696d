"""Checksums of results that must be the same on every run and machine."""

import csv
import hashlib
import os
from pathlib import Path

from matplotlib import image

from horde import files
from horde.errors import DataError

# Compared columns of tables of measurements: those that identify a row, and whether it fitted into
# memory. All other columns differ between runs, and so do their figures.
MEASURED_KEYS = (
    *("figure", "policy", "solver", "n", "d", "edges", "fits"),
    *("dataset", "variant", "seed", "claim"),
)
MEASURED_FIGURES = "fig1"


def checksums(output: str | os.PathLike, run: str) -> dict[str, str]:
    """Return checksums of a run's results.

    Parameters
    ----------
    output : path
        Folder that holds ``results`` and ``figures``.
    run : str
        Name of the run.

    Returns
    -------
    dict of str
        Path relative to `output` -> SHA-256 of the bytes of a table, of the columns `MEASURED_KEYS`
        of a table of measurements, or of the pixels of a figure. Figures of measurements are left
        out.

    Raises
    ------
    DataError
        If there are no results, or a figure is damaged.
    """
    output = Path(output)
    results, figures = output / "results" / run, output / "figures" / run
    found = {path: files.file_digest(path) for path in results.glob("*.csv")}
    found |= {path: files.file_digest(path) for path in (results / "summary").rglob("*.csv")}
    found |= {path: _rows(path) for path in (results / "timing").glob("*.csv")}
    drawn = [path for path in figures.glob("*.png") if not path.name.startswith(MEASURED_FIGURES)]
    found |= {path: _pixels(path) for path in drawn}
    if not found:
        raise DataError(f"{output} holds no results of the run {run!r}: run the workflow first")
    return {path.relative_to(output).as_posix(): found[path] for path in sorted(found)}


def differences(kept: dict[str, str], found: dict[str, str]) -> list[str]:
    """Return one line for each path whose checksum differs from the expected one."""
    reasons = {
        **dict.fromkeys(kept.keys() - found.keys(), "is missing"),
        **dict.fromkeys(found.keys() - kept.keys(), "is new"),
        **{path: "differs" for path in kept.keys() & found.keys() if kept[path] != found[path]},
    }
    return [f"{path} {reasons[path]}" for path in sorted(reasons)]


def verify(output: str | os.PathLike, run: str, kept: str | os.PathLike) -> int:
    """Compare a run's results with the checksums in the file `kept`; return the number compared.

    Raises
    ------
    DataError
        If any differ; names each.
    """
    found = checksums(output, run)
    different = differences(files.read_json(kept), found)
    if different:
        raise DataError(
            f"{len(different)} of the results in {output} differ from {kept}:\n  "
            + "\n  ".join(different)
            + "\nIf the change is intended, store the new checksums: make verify-update"
        )
    return len(found)


def _rows(path: Path) -> str:
    with path.open(newline="", encoding="utf-8") as stream:
        rows = [[row[key] for key in MEASURED_KEYS if key in row] for row in csv.DictReader(stream)]
    return files.digest(rows)


def _pixels(path: Path) -> str:
    try:
        pixels = image.imread(path)
    # The reader raises half a dozen kinds of exception for a damaged file.
    except Exception as error:
        raise DataError(f"{path} is damaged ({error}): delete it and draw it again") from error
    return hashlib.sha256(f"{pixels.shape} {pixels.dtype} ".encode() + pixels.tobytes()).hexdigest()
