"""``horde bench``: seconds a round, and how exactly each solver picks."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from horde import files
from horde.checks import nearest
from horde.errors import ConfigError
from horde.experiments import choices, plan
from horde.policies import registry

_SYNTHETIC = {"n": int, "d": int, "density": float}
_GLASSO = {"n": int, "rank": int, "density": float, "signal": float}
# What need not be given.
_DEFAULTS = {"signal": 0.3}
_RANGES = {
    "n": (2, 2**30),
    "d": (1, 1000),
    "rank": (1, 1000),
    "density": (1e-9, 1),
    "signal": (1e-9, 1e9),
}
_SOLVERS = ("cg", "pcg", "local", "dense")
# Rounds of a synthetic problem that are compared unless told: its reference takes long.
_COMPARED = 100


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the flags of ``horde bench``."""
    _add_problems(command.add_mutually_exclusive_group(required=True))
    command.add_argument("--policies", type=names, default=[], help="names, with commas between")
    command.add_argument("--solvers", type=names, default=["local"], help=",".join(_SOLVERS))
    command.add_argument("--rounds", type=int, default=5000, help="default: %(default)s")
    command.add_argument(
        "--skip",
        type=int,
        default=0,
        metavar="ROUNDS",
        help="first rounds that are learned from, but neither timed nor compared (default: 0)",
    )
    command.add_argument(
        "--compare",
        type=int,
        metavar="ROUNDS",
        help="compare picks with the exact reference's in so many of the first rounds "
        f"(default: all; of a synthetic problem {_COMPARED})",
    )
    command.add_argument(
        "--set",
        type=value,
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="a hyper-parameter, such as lam=0.1, in place of what tuning chose or, where nothing "
        "was tuned, of the paper's value",
    )
    command.add_argument("--csv", type=Path, metavar="FILE", help="write the table here as well")


def bench(given: argparse.Namespace, config: dict, prepare: Callable[[], Path]) -> None:
    """Measure, and print the table; `prepare` makes the file of ``--dataset``.

    Raises
    ------
    ConfigError
        If a flag, a policy or a setting is not as it must be.
    """
    rows = _time_glasso(given.glasso) if given.glasso else _bench(given, config, prepare)
    from horde.timing.harness import csv_text

    text = csv_text(rows)
    if given.csv:
        files.write_text(given.csv, text)
    print(text, end="")


def names(text: str) -> list[str]:
    """Split a list of names at commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def value(text: str) -> tuple[str, float]:
    """Read ``NAME=NUMBER``."""
    name, _, number = text.partition("=")
    return name, float(number)


def synthetic(text: str) -> dict[str, float]:
    """Read ``n=N,d=D,density=P``; `argparse.ArgumentTypeError` if it says anything else."""
    return _pairs(text, _SYNTHETIC)


def graphical_lasso(text: str) -> dict[str, float]:
    """Read ``n=N,rank=D,density=P`` and, if given, ``signal=S``.

    Raises
    ------
    argparse.ArgumentTypeError
        If it says anything else.
    """
    return _pairs(text, _GLASSO)


def _pairs(text: str, kinds: dict[str, type]) -> dict[str, float]:
    pairs = {name.strip(): number for name, _, number in (p.partition("=") for p in names(text))}
    for name in pairs:
        if name not in kinds:
            raise _mistake(f"there is no key {name!r}.{nearest(name, kinds)}", kinds)
    if missing := [name for name in kinds if name not in pairs | _DEFAULTS]:
        raise _mistake(f"{', '.join(missing)} is missing.", kinds)
    return {
        name: _number(name, pairs[name], kinds) if name in pairs else _DEFAULTS[name]
        for name in kinds
    }


def _number(name: str, text: str, kinds: dict[str, type]) -> float:
    try:
        number = kinds[name](text)
    except ValueError:
        what = "whole number" if kinds[name] is int else "number"
        raise _mistake(f"{name}={text} is no {what}.", kinds) from None
    least, most = _RANGES[name]
    if not least <= number <= most:
        raise _mistake(f"{name}={text} is not between {least} and {most}.", kinds)
    return number


def _mistake(what: str, kinds: dict[str, type]) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"{what} Give {', '.join(kinds)}, each as NAME=NUMBER.")


def _add_problems(problems) -> None:
    problems.add_argument("--dataset", help="a name in the configuration's datasets")
    problems.add_argument("--prepared", type=Path, metavar="FILE", help="a dataset.npz")
    problems.add_argument(
        "--synthetic", type=synthetic, metavar="n=N,d=D,density=P", help="a Kronecker graph"
    )
    problems.add_argument(
        "--glasso",
        type=graphical_lasso,
        metavar="n=N,rank=D,density=P[,signal=S]",
        help="time the graphical lasso instead, as L-EG and U-EG use it: S is of rank D, with a "
        f"diagonal of mean S (default: {_DEFAULTS['signal']}), plus the identity; up to n = 500 "
        "beside scikit-learn's",
    )


def _time_glasso(sizes: dict[str, float]) -> list[dict]:
    from horde.timing.glasso import measure

    return [{**sizes, **measure(**sizes)}]


def _bench(given: argparse.Namespace, config: dict, prepare: Callable[[], Path]) -> list[dict]:
    from horde.simulation.environment import dataset_environment
    from horde.simulation.synthetic import kronecker_environment
    from horde.timing import harness

    extent = harness.Extent(given.skip, _compared(given))
    params = {policy: _params(given, config, policy) for policy in given.policies}
    _check_names(given, params)
    _check_solvers(given.solvers)
    offered = config["offered"]
    if given.synthetic:
        environment = kronecker_environment(**given.synthetic, rounds=given.rounds, offered=offered)
    else:
        environment = dataset_environment(given.prepared or prepare(), given.rounds, offered)
    return harness.bench(environment, given.policies, given.solvers, params, extent, _log)


def _compared(given: argparse.Namespace) -> int:
    """Check the numbers of rounds; return how many are compared."""
    if given.rounds < 1:
        raise ConfigError(f"--rounds {given.rounds}: must be at least 1")
    if not 0 <= given.skip < given.rounds:
        raise ConfigError(f"--skip {given.skip}: must be at least 0 and below --rounds")
    compared = given.compare
    if compared is None:
        compared = min(given.skip + _COMPARED, given.rounds) if given.synthetic else given.rounds
    if compared != 0 and not given.skip < compared <= given.rounds:
        raise ConfigError(f"--compare {compared}: must be 0, or above --skip and up to --rounds")
    return compared


def _params(given: argparse.Namespace, config: dict, policy: str) -> dict:
    """Return the hyper-parameters of a policy: as set, else as tuned, else the paper's."""
    tunes = registry.entry(policy).tunes
    tuned = _tuned(given, config, policy) if tunes else {}
    values = config["paper_values"] | tuned | dict(given.set)
    chosen = {name: values[name] for name in tunes}
    if chosen:
        told = ", ".join(f"{name}={number:g}" for name, number in chosen.items())
        _log(f"{policy}: {told}{' (tuned, but for what was set)' if tuned else ''}")
    return chosen


def _tuned(given: argparse.Namespace, config: dict, policy: str) -> dict:
    """Return what a tuning of the policy on the dataset, here or in the workflow, has chosen."""
    workflow = Path(config["output"]) / "results" / config["run"]
    for folder in (Path(given.to), workflow):
        # GOBLIN++ is GOBLIN, computed otherwise.
        path = folder / "tuning" / str(given.dataset) / f"{policy.removesuffix('++')}.json"
        if path.exists():
            return choices.read(path, plan.grids(config, policy)).params
    return {}


def _check_names(given: argparse.Namespace, params: dict[str, dict]) -> None:
    if not given.policies:
        raise ConfigError("say what to measure: --policies G-EG,GOBLIN for instance")
    known = {name for chosen in params.values() for name in chosen}
    for name, _ in given.set:
        if name not in known:
            hint = nearest(name, known)
            raise ConfigError(f"--set {name}: none of the policies tunes that.{hint}")


def _check_solvers(solvers: list[str]) -> None:
    for name in solvers:
        if name not in _SOLVERS:
            hint = nearest(name, _SOLVERS)
            raise ConfigError(f"--solvers {name}: it must be one of {', '.join(_SOLVERS)}.{hint}")


def _log(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
