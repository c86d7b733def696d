"""From the curves of finished runs to the tables for figures, verdicts and readers.

The ratio of a run at a round is its cumulative regret over the expected cumulative regret of the
random policy (Section 5.2). A table's ratio is the mean of the per-seed ratios.
"""

import io
import os
import statistics
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from horde import files
from horde.errors import DataError
from horde.results import runs as run_files
from horde.results.runs import REMEDY
from horde.results.statistics import t_interval

RUN_COLUMNS = [*run_files.RUN, "round", "regret", "random_regret"]
_GROUP = run_files.RUN[:3]
REGRET_COLUMNS = [*_GROUP, "round", "ratio_mean", "ratio_low", "ratio_high", "seeds"]
TUNED = ["lam", "alpha", "alpha2", "scale"]
TUNING_COLUMNS = ["dataset", "policy", *TUNED, "ratio", "chosen", "flat", "edge", "greedy"]
# The columns of single validation streams follow: STREAM0, STREAM1, ...
STREAM = "stream"
# Time and memory of a run, in the order of the table.
MEASURED = ["started", "rounds", "seconds", "cpu_seconds", "seconds_per_round", "peak_mb"]
TIMING_COLUMNS = [*_GROUP, "solver", "seed", *MEASURED]
_FLOAT_FORMAT = "%.6g"


def read_runs(paths: Iterable[str | os.PathLike]) -> pd.DataFrame:
    """Read the curves of finished runs.

    Parameters
    ----------
    paths : iterable of path
        Files ``.../{dataset}/{policy}/{variant}/{block}.npz``, as `horde.results.runs.save` wrote
        them.

    Returns
    -------
    DataFrame
        Columns `RUN_COLUMNS`, one row per run and checkpoint, in the order of `paths`.

    Raises
    ------
    DataError
        If no file is given, or one is missing, damaged, or holds other runs than its path says.
    """
    tables = [_curves(path) for path in paths]
    if not tables:
        raise DataError("no finished runs were given; run the simulations first")
    return pd.concat(tables, ignore_index=True)


def _curves(path: str | os.PathLike) -> pd.DataFrame:
    arrays = run_files.load(path)
    seeds, rounds = arrays["seeds"], arrays["rounds"]
    columns = {
        "seed": np.repeat(seeds, len(rounds)),
        "round": np.tile(rounds, len(seeds)),
        "regret": arrays["regret"].ravel(),
        "random_regret": arrays["random_regret"].ravel(),
    }
    return pd.DataFrame(columns).assign(**run_files.name(path))[RUN_COLUMNS]


def require_seeds(runs: pd.DataFrame, seeds: Iterable[int]) -> None:
    """Check that every (dataset, policy, variant) has exactly the requested seeds.

    Raises
    ------
    DataError
        If seeds are missing or surplus; names the first such group and these seeds.
    """
    wanted = set(seeds)
    for group, run in runs.groupby(_GROUP, sort=False):
        found = set(run["seed"])
        name = "/".join(group)
        if wanted - found:
            raise DataError(
                f"{name}: seeds {sorted(wanted - found)} of {sorted(wanted)} are missing; "
                "run them, or ask for fewer seeds"
            )
        if found - wanted:
            raise DataError(f"{name}: seeds {sorted(found - wanted)} were not asked for")


def regret_table(runs: pd.DataFrame, seeds: Iterable[int]) -> pd.DataFrame:
    """Average regret ratios over seeds at every checkpoint, as plotted.

    Parameters
    ----------
    runs : DataFrame
        As `read_runs` returns it.
    seeds : iterable of int
        The seeds to average over; every (dataset, policy, variant) must have all of them.

    Returns
    -------
    DataFrame
        Columns `REGRET_COLUMNS`. ``ratio_low`` and ``ratio_high`` are the ends of the 95 %
        Student's t-interval over seeds, NaN for one seed; ``seeds`` is their number. Groups keep
        the order of `runs`, and rounds ascend.

    Raises
    ------
    DataError
        If a seed is missing or surplus, the seeds have different checkpoints, or the random policy
        has no regret at a checkpoint.
    """
    require_seeds(runs, seeds)
    tables = [
        _average(run, "/".join(group)).assign(**dict(zip(_GROUP, group, strict=True)))
        for group, run in runs.groupby(_GROUP, sort=False)
    ]
    return pd.concat(tables, ignore_index=True)[REGRET_COLUMNS]


def _average(run: pd.DataFrame, name: str) -> pd.DataFrame:
    """Average one (dataset, policy, variant) over its seeds."""
    if (run["random_regret"] <= 0).any():
        raise DataError(
            f"{name}: the random policy has no regret at the first checkpoint, so there is no "
            "ratio; put the first checkpoint later"
        )
    ratios = run.assign(ratio=run["regret"] / run["random_regret"])
    wide = ratios.pivot(index="round", columns="seed", values="ratio")
    if wide.isna().to_numpy().any():
        raise DataError(f"{name}: its seeds have different checkpoints; run them again")
    intervals = [t_interval(row) for row in wide.to_numpy()]
    table = pd.DataFrame(intervals, columns=["ratio_mean", "ratio_low", "ratio_high"])
    return table.assign(round=wide.index.to_numpy(), seeds=wide.shape[1])


def final_rounds(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the last round of every run, with its ratio: NaN if the random policy has no regret.

    `curves` has the columns `RUN_COLUMNS`; others stay.
    """
    curves = curves.reset_index(drop=True)
    last = curves.groupby(run_files.RUN, sort=False)["round"].idxmax()
    final = curves.loc[last].reset_index(drop=True)
    ratio = final["regret"] / final["random_regret"].where(final["random_regret"] > 0)
    return final.assign(ratio=ratio)


def final_table(regret: pd.DataFrame) -> pd.DataFrame:
    """Return the last round of every (dataset, policy, variant) of a regret table."""
    last = regret.groupby(_GROUP, sort=False)["round"].idxmax()
    return regret.loc[last].reset_index(drop=True)


def timing_table(records: Iterable[str | os.PathLike]) -> pd.DataFrame:
    """Collect time and memory of finished runs.

    Parameters
    ----------
    records : iterable of path
        Files ``.../{dataset}/{policy}/{variant}/{block}.json``, as
        `horde.experiments.run.run_block` wrote them.

    Returns
    -------
    DataFrame
        Columns `TIMING_COLUMNS`, one row per run, in the order of `records`; ``solver`` is empty
        for policies without one. `horde.machine.Stopwatch.record` describes the other columns.

    Raises
    ------
    DataError
        If a file is missing, damaged, or holds something else.
    """
    rows = [row for path in records for row in _measured(Path(path))]
    return pd.DataFrame(rows, columns=TIMING_COLUMNS)


def _measured(path: Path) -> list[dict]:
    record = files.read_json(path)
    try:
        solver = record["experiment"]["params"].get("solver")
        named = {**run_files.name(path), "solver": solver}
        return [
            named | {name: run[name] for name in ("seed", *MEASURED)} for run in record["measured"]
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path} does not say what runs took ({error}); {REMEDY}") from error


def tuning_table(paths: Iterable[str | os.PathLike]) -> pd.DataFrame:
    """Collect the validation scores of all tried hyper-parameters.

    Parameters
    ----------
    paths : iterable of path
        Files ``.../{dataset}/{policy}.json``, as `horde.experiments.choice.write` wrote them.

    Returns
    -------
    DataFrame
        Columns `TUNING_COLUMNS` and one for each validation stream, one row per grid point.
        ``ratio`` is the mean regret ratio over the streams. Hyper-parameters that a policy does not
        have are NaN. ``chosen`` marks the choice, and in its row ``flat``, ``edge`` and ``greedy``
        say what `horde.experiments.choice.Choice` does; ``edge`` lists hyper-parameters.

    Raises
    ------
    DataError
        If a file is missing, damaged, or holds something else.
    """
    rows = [row for path in paths for row in _tried(Path(path))]
    streams = dict.fromkeys(name for row in rows for name in row if name not in TUNING_COLUMNS)
    table = pd.DataFrame(rows, columns=[*TUNING_COLUMNS, *streams])
    return table.astype(dict.fromkeys(TUNED, float))


def _tried(path: Path) -> list[dict]:
    choice = files.read_json(path)
    named = {"dataset": path.parent.name, "policy": path.stem}
    try:
        return [
            {
                **named,
                **params,
                "ratio": statistics.fmean(scores),
                "chosen": (chosen := params == choice["params"]),
                "flat": chosen and choice["flat"],
                "edge": " ".join(choice["edges"]) if chosen else "",
                "greedy": chosen and choice["greedy"],
                **{f"{STREAM}{place}": score for place, score in enumerate(scores)},
            }
            for params, scores in choice["scores"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path} holds no tuning ({error}); make it again") from error


def write_csv(table: pd.DataFrame, path: str | os.PathLike) -> None:
    """Write a table atomically, with the same digits on every run.

    Floats have six significant digits; NaN is an empty field.
    """
    files.write_text(path, _csv_text(table))


def as_written(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the digits that it has after `write_csv` and `read_csv`."""
    return pd.read_csv(io.StringIO(_csv_text(table)))


def _csv_text(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, float_format=_FLOAT_FORMAT, lineterminator="\n")


def read_csv(path: str | os.PathLike, columns: Iterable[str] = ()) -> pd.DataFrame:
    """Read a table that `write_csv` wrote.

    Raises
    ------
    DataError
        If the file is missing or damaged, or lacks one of `columns`.
    """
    try:
        text = Path(path).read_text("utf-8")
        table = pd.read_csv(io.StringIO(text))
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path} is missing or is no table ({error}); delete it and start again"
        ) from error
    if not text.endswith("\n"):
        raise DataError(f"{path} is cut in its last line; delete it and start again")
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise DataError(f"{path} lacks the columns {', '.join(missing)}; delete it and start again")
    return table


def read_regret(path: str | os.PathLike, *datasets: str) -> pd.DataFrame:
    """Read a table of regret on these datasets, written by `write_csv`.

    Raises
    ------
    DataError
        If the file is missing or damaged, has other datasets, or has incomplete curves.
    """
    table = read_csv(path, REGRET_COLUMNS)
    for fault, found in _regret_faults(table, datasets):
        if found:
            raise DataError(
                f"{path} is not the regret on {', '.join(datasets)} ({fault}); delete it and "
                "start again"
            )
    return table


def _regret_faults(table: pd.DataFrame, datasets: tuple[str, ...]):
    """Yield (message, whether it applies); each check assumes that the earlier ones passed."""
    yield "it has no row", table.empty
    yield "its rows are of other datasets", set(table["dataset"]) != set(datasets)
    for column in ("policy", "variant"):
        yield f"a {column} is missing", table[column].isna().any()
    for column in ("round", "seeds"):
        whole = table[column].dtype.kind == "i"
        yield f"a number of {column} is missing", not whole or (table[column] < 1).any()
    single = table["seeds"] == 1
    for column in ("ratio_low", "ratio_mean", "ratio_high"):
        yield f"{column} has a text instead of a number", table[column].dtype.kind not in "fi"
        missing = table[column].isna() & ~(single & (column != "ratio_mean"))
        yield f"a {column} is missing", missing.any()
    mean, low, high = (table[f"ratio_{name}"] for name in ("mean", "low", "high"))
    yield "a mean is outside its interval", ((low > mean) | (mean > high)).any()
    rounds = {tuple(curve) for _, curve in table.groupby(_GROUP, sort=False)["round"]}
    yield "its curves have different rounds", len(rounds) != 1
    yield "rounds do not ascend", (np.diff(next(iter(rounds))) < 1).any()
