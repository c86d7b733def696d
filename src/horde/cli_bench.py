"""``horde bench``: seconds a round, and how exactly each solver picks."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from horde.errors import ConfigError, HordeError
from horde.policies import registry

_SYNTHETIC = {"n": int, "d": int, "density": float}


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the flags of ``horde bench``."""
    played_on = command.add_mutually_exclusive_group(required=True)
    played_on.add_argument("--dataset", help="a name in the configuration's datasets")
    played_on.add_argument("--prepared", type=Path, metavar="FILE", help="a dataset.npz")
    played_on.add_argument(
        "--synthetic", type=synthetic, metavar="n=N,d=D,density=P", help="a Kronecker graph"
    )
    command.add_argument("--policies", type=names, required=True, help="names, with commas between")
    command.add_argument("--solvers", type=names, default=["local"], help="cg,pcg,local,dense")
    command.add_argument("--rounds", type=int, default=5000, help="default: %(default)s")
    command.add_argument(
        "--set",
        type=value,
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="a hyper-parameter in place of the paper's value, such as lam=0.1",
    )
    command.add_argument(
        "--alone", action="store_true", help="do not compare picks with the exact reference"
    )
    command.add_argument(
        "--picks",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="fail where fewer picks equal the reference's",
    )
    command.add_argument("--csv", type=Path, metavar="FILE", help="write the table here as well")


def bench(given: argparse.Namespace, config: dict, prepare: Callable[[], Path]) -> None:
    """Measure, and print the table; `prepare` makes the file of ``--dataset``."""
    from horde import bench as benchmark

    if given.rounds < 1:
        raise ConfigError(f"--rounds {given.rounds}: must be at least 1")
    if given.synthetic:
        played_on = benchmark.Synthetic(**given.synthetic, rounds=given.rounds)
    else:
        path = given.prepared or prepare()
        played_on = benchmark.Prepared(path, given.rounds, offered=config["offered"])
    values = config["paper_values"] | dict(given.set)
    settings = {
        policy: {name: values[name] for name in registry.entry(policy).tunes}
        for policy in given.policies
    }
    rows = benchmark.bench(
        played_on,
        given.policies,
        given.solvers,
        settings,
        compare=not given.alone,
        log=lambda message: print(message, file=sys.stderr, flush=True),
    )
    if given.csv:
        benchmark.write_csv(given.csv, rows)
    for row in (dict(zip(benchmark.COLUMNS, benchmark.COLUMNS, strict=True)), *rows):
        print(",".join(str(row[column]) for column in benchmark.COLUMNS))
    short = [row for row in rows if row["picks_equal"] != "" and row["picks_equal"] < given.picks]
    if short:
        found = ", ".join(f"{row['policy']} {row['solver']} {row['picks_equal']}" for row in short)
        raise HordeError(f"fewer than {given.picks} of the reference's picks: {found}")


def names(text: str) -> list[str]:
    """Split a list of names at commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def value(text: str) -> tuple[str, float]:
    """Read ``NAME=NUMBER``."""
    name, _, number = text.partition("=")
    return name, float(number)


def synthetic(text: str) -> dict[str, float]:
    """Read ``n=N,d=D,density=P``; ValueError if it says anything else."""
    pairs = dict(part.split("=", 1) for part in names(text))
    if set(pairs) != set(_SYNTHETIC):
        raise ValueError(text)
    return {name: kind(pairs[name]) for name, kind in _SYNTHETIC.items()}
