"""The command ``horde bench``: its options, and the problem and hyper-parameters they select."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from horde import checks, files
from horde.cli.common import PATH, configured, load_config, log, prepare_dataset
from horde.errors import ConfigError
from horde.experiments import choice, plan
from horde.policies import registry

SOLVERS = ("cg", "pcg", "local", "dense")
# Default number of compared rounds of a synthetic problem, whose reference is slow.
COMPARED = 100
PROBLEMS = ("dataset", "prepared", "synthetic", "glasso")
# Sizes of a generated problem: type, smallest and largest value.
SYNTHETIC = {"n": (int, 2, 2**30), "d": (int, 1, 1000), "density": (float, 1e-9, 1)}
GLASSO = {
    "n": (int, 2, 2**30),
    "rank": (int, 1, 1000),
    "density": (float, 1e-9, 1),
    "signal": (float, 1e-9, 1e9),
}


def names(text: str) -> list[str]:
    """Split a list of names at commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def number(text: str) -> tuple[str, float]:
    """Read ``NAME=NUMBER``."""
    name, _, value = text.partition("=")
    return name, float(value)


def sizes(kinds: Mapping[str, tuple], **defaults: float) -> Callable[[str], dict[str, float]]:
    """Return a reader of ``n=N,d=D,...``.

    Parameters
    ----------
    kinds : mapping
        Type, smallest and largest value of each size.
    **defaults : float
        Defaults of optional sizes.

    Returns
    -------
    callable
        Raises `click.BadParameter` for any other text.
    """

    def mistake(what: str) -> click.BadParameter:
        return click.BadParameter(f"{what} Give {', '.join(kinds)}, each as NAME=NUMBER.")

    def read(text: str) -> dict[str, float]:
        found = {name.strip(): value for name, _, value in (p.partition("=") for p in names(text))}
        for name in found:
            if name not in kinds:
                raise mistake(f"there is no key {name!r}.{checks.nearest(name, kinds)}")
        if missing := [name for name in kinds if name not in found | defaults]:
            raise mistake(f"{', '.join(missing)} is missing.")
        for name, (kind, least, most) in kinds.items():
            value = found.get(name, defaults.get(name))
            try:
                found[name] = kind(value)
            except ValueError:
                what = "whole number" if kind is int else "number"
                raise mistake(f"{name}={value} is no {what}.") from None
            if not least <= found[name] <= most:
                raise mistake(f"{name}={value} is not between {least} and {most}.")
        return {name: found[name] for name in kinds}

    return read


# Options and steps that `horde shards` has, too.
on_dataset = click.option("--dataset", help="A name in the configuration's datasets.")
on_synthetic = click.option(
    "--synthetic",
    type=sizes(SYNTHETIC),
    metavar="n=N,d=D,density=P",
    help="A problem on a Kronecker graph.",
)
into_csv = click.option(
    "--csv", type=PATH, metavar="FILE", help="Also write the table to this file."
)


def environment_of(config: dict, synthetic: dict | None, data: Callable[[], Path], rounds: int):
    """Draw a synthetic problem, or take the prepared dataset `data()`, with `rounds` rounds."""
    from horde.simulation.environment import dataset_environment
    from horde.simulation.synthetic import kronecker_environment

    if synthetic:
        return kronecker_environment(**synthetic, rounds=rounds, offered=config["offered"])
    return dataset_environment(data(), rounds, config["offered"])


def show(table, csv: Path | None, **form: str) -> None:
    """Print a table as CSV, and write it to the file `csv` if one is given."""
    text = table.to_csv(index=False, lineterminator="\n", **form)
    if csv:
        files.write_text(csv, text)
    print(text, end="")


@click.command()
@configured
@on_dataset
@click.option("--prepared", type=PATH, metavar="FILE", help="A dataset.npz.")
@on_synthetic
@click.option(
    "--glasso",
    type=sizes(GLASSO, signal=0.3),
    metavar="n=N,rank=D,density=P[,signal=S]",
    help="Time the graphical lasso instead, as L-EG and U-EG use it: the matrix is the identity "
    "plus one of rank D and mean diagonal S (0.3 if not given). Up to n = 500 it is compared with "
    "scikit-learn's.",
)
@click.option("--policies", type=names, default="", metavar="NAMES", help="Separated by commas.")
@click.option(
    "--solvers", type=names, default="local", metavar="NAMES", help=f"Of {', '.join(SOLVERS)}."
)
@click.option("--rounds", type=click.IntRange(min=1), default=5000)
@click.option(
    "--skip",
    type=click.IntRange(min=0),
    default=0,
    metavar="ROUNDS",
    help="First rounds to learn from without timing or comparing them.",
)
@click.option(
    "--compare",
    type=click.IntRange(min=0),
    metavar="ROUNDS",
    help="Number of first rounds to compare with the exact reference's picks: by default all, or "
    f"{COMPARED} of a synthetic problem.",
)
@click.option(
    "values",
    "--set",
    type=number,
    multiple=True,
    metavar="NAME=NUMBER",
    help="A hyper-parameter, such as lam=0.1; replaces the tuned value, or the paper's if "
    "nothing was tuned. Can be repeated.",
)
@into_csv
def bench(
    overlays: tuple[Path, ...],
    to: Path,
    dataset: str | None,
    prepared: Path | None,
    synthetic: dict | None,
    glasso: dict | None,
    policies: list[str],
    solvers: list[str],
    rounds: int,
    skip: int,
    compare: int | None,
    values: tuple[tuple[str, float], ...],
    csv: Path | None,
) -> None:
    """Measure seconds per round, and the share of exact picks of each solver."""
    if sum(given is not None for given in (dataset, prepared, synthetic, glasso)) != 1:
        raise click.UsageError(f"give one of {', '.join(f'--{name}' for name in PROBLEMS)}")
    import pandas as pd

    from horde.timing import bench as timing
    from horde.timing.glasso import measure

    if glasso:
        table = pd.DataFrame([{**glasso, **measure(**glasso)}])
    else:
        config = load_config(overlays)
        params = _params(config, policies, dataset, to, dict(values))
        for name in solvers:
            checks.choice("--solvers", name, SOLVERS)
        compared = _compared(rounds, skip, compare, synthetic is not None)
        environment = environment_of(
            config, synthetic, lambda: prepared or prepare_dataset(config, dataset, to), rounds
        )
        table = timing.bench(environment, policies, solvers, params, skip, compared, log)
    show(table, csv)


def _compared(rounds: int, skip: int, compare: int | None, synthetic: bool) -> int:
    """Check the numbers of rounds; return the number of compared rounds."""
    if skip >= rounds:
        raise ConfigError(f"--skip {skip}: must be below --rounds {rounds}")
    if compare is None:
        return min(skip + COMPARED, rounds) if synthetic else rounds
    if compare != 0 and not skip < compare <= rounds:
        raise ConfigError(f"--compare {compare}: must be 0, or above --skip and up to --rounds")
    return compare


def _params(
    config: dict, policies: Sequence[str], dataset: str | None, to: Path, given: dict[str, float]
) -> dict[str, dict[str, float]]:
    """Return each policy's hyper-parameters: given ones, else tuned ones, else the paper's.

    Tuning on `dataset` may come from `horde run` (in `to`) or from the workflow.
    """
    if not policies:
        raise ConfigError("say what to measure: --policies G-EG,GOBLIN for instance")
    params = {}
    for policy in policies:
        tunes = registry.entry(policy).tunes
        tuned = _tuned(config, policy, dataset, to) if tunes else {}
        known = config["paper_values"] | tuned | given
        params[policy] = {name: known[name] for name in tunes}
        if tunes:
            message = ", ".join(f"{name}={value:g}" for name, value in params[policy].items())
            log(f"{policy}: {message}{' (tuned, except values of --set)' if tuned else ''}")
    known = {name for chosen in params.values() for name in chosen}
    for name in given:
        if name not in known:
            hint = checks.nearest(name, known)
            raise ConfigError(f"--set {name}: none of the policies tunes that.{hint}")
    return params


def _tuned(config: dict, policy: str, dataset: str | None, to: Path) -> dict[str, float]:
    policy = policy.removesuffix("++")  # GOBLIN++ is GOBLIN with another solver.
    for folder in (to, Path(config["output"]) / "results" / config["run"]):
        path = folder / "tuning" / str(dataset) / f"{policy}.json"
        if path.exists():
            lam = plan.paper_lam(config, policy)
            return choice.read(path, plan.grids(config, policy), lam).params
    return {}
