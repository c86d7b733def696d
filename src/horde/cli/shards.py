"""The command ``horde shards``: what a round would send between machines."""

from pathlib import Path

import click

from horde.checks import choice
from horde.cli.bench import environment_of, into_csv, names, on_dataset, on_synthetic, show
from horde.cli.common import configured, load_config, log, prepare_dataset
from horde.errors import ConfigError


def numbers(text: str) -> list[int]:
    """Read whole numbers of at least 1, separated by commas."""
    found = [int(name) for name in names(text)]
    if not found or min(found) < 1:
        raise ValueError(text)
    return found


@click.command()
@configured
@on_dataset
@on_synthetic
@click.option("--cuts", type=names, default="random,metis", help="How users are cut into shards.")
@click.option("--counts", type=numbers, default="2,4,16,64,256", help="Numbers of shards.")
@click.option("--rounds", type=click.IntRange(min=1), default=2000, help="Rounds to count.")
@click.option(
    "--skip", type=click.IntRange(min=0), default=5000, help="Observations before these rounds."
)
@click.option("--lam", type=click.FloatRange(min=0, min_open=True), default=0.01)
@click.option(
    "--latency", type=click.FloatRange(min=0), default=50, help="Of the network, microseconds."
)
@click.option(
    "--bandwidth",
    type=click.FloatRange(min=0, min_open=True),
    default=10,
    help="Of the network, gigabits a second.",
)
@click.option(
    "--delays",
    type=numbers,
    metavar="ROUNDS",
    help="Instead, let messages arrive so many rounds late, and compare the picks of --rounds "
    "rounds with those of one machine.",
)
@into_csv
def shards(
    overlays: tuple[Path, ...],
    to: Path,
    dataset: str | None,
    synthetic: dict | None,
    cuts: list[str],
    counts: list[int],
    rounds: int,
    skip: int,
    lam: float,
    latency: float,
    bandwidth: float,
    delays: list[int] | None,
    csv: Path | None,
) -> None:
    """Count what G-EG's rounds would send between shards of the users, each on a machine."""
    if (dataset is None) == (synthetic is None):
        raise click.UsageError("give one of --dataset, --synthetic")
    from horde.timing import sharding

    for how in cuts:
        choice("--cuts", how, sharding.CUTS)
    config = load_config(overlays)
    skip = 0 if delays else skip
    environment = environment_of(
        config, synthetic, lambda: prepare_dataset(config, dataset, to), skip + rounds
    )
    n = environment.precision.n_users
    if max(counts) > n:
        raise ConfigError(f"--counts {max(counts)}: there are only {n:,} users.")
    assigned = {
        (how, count): sharding.cut(environment.precision, how, count)
        for how in cuts
        for count in counts
    }
    params = {"lam": lam}
    if delays:
        table = sharding.delays(environment, params, assigned, delays, log)
    else:
        network = sharding.Network(latency / 1e6, bandwidth * 1e9 / 8)
        table = sharding.traffic(environment, params, assigned, skip, network, log)
    show(table, csv, float_format="%.4g")
