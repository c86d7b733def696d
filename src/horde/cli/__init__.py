"""Prepare data, run and time policies, and publish results, without the workflow."""

import math
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

from horde import checks, files, machine
from horde.cli import bench, common, shards
from horde.cli.common import PATH, configured, load_config
from horde.errors import ConfigError, DataError, HordeError, OutputError
from horde.experiments import plan
from horde.results.statistics import t_interval

EXIT_CODES = {ConfigError: 2, DataError: 3, OutputError: 4}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments to use instead of the command line's.

    Returns
    -------
    int
        0 on success; 1 after Ctrl-C; 2 for a mistake in the command or the configuration; 3 for
        missing or damaged data; 4 if a result cannot be written.
    """
    machine.pin(1)
    common.log.cache_clear()
    try:
        return commands.main(arguments, "horde", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        print("horde: interrupted", file=sys.stderr)
        return 1


class _Commands(click.Group):
    """A group whose commands print one line and return an exit code for fixable errors."""

    def invoke(self, context: click.Context) -> None:
        try:
            super().invoke(context)
        except HordeError as error:
            if context.params["debug"]:
                raise
            print(f"horde: {error}", file=sys.stderr)
            context.exit(EXIT_CODES.get(type(error), 1))


@click.group(cls=_Commands, help=__doc__, context_settings={"show_default": True})
@click.option("--debug", is_flag=True, help="Show tracebacks.")
@click.version_option(machine.package_version("horde"))
def commands(debug: bool) -> None:  # noqa: D103
    pass


commands.add_command(bench.bench)
commands.add_command(shards.shards)
_DATASET = click.option("--dataset", required=True, help="A name in the configuration's datasets.")


_COUNT = click.IntRange(min=1)


@commands.command()
@configured
@click.option("--users", type=_COUNT, help="Write tables with so many users instead.")
@click.option("--items", type=_COUNT, help="Number of items; by default as many as users.")
@click.option("--likes", type=_COUNT, help="Number of likes; by default 10 per user.")
@click.option("--friends", type=_COUNT, help="Number of friendships; by default 8 per user.")
@click.option("--tags", type=_COUNT, help="Number of tags of all items; by default 5 per item.")
@click.option(
    "--active", type=_COUNT, help="Users who like something; by default one in 50, at least 1,000."
)
@click.option("--format", "form", type=click.Choice(["parquet", "csv"]), default="parquet")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0)
def generate(
    overlays: tuple[Path, ...],
    to: Path,
    users: int | None,
    form: str,
    seed: int,
    **sizes: int | None,
) -> None:
    """Write the look-alikes of the archives that the configuration describes.

    With --users, write tables of any size instead, in the form of your own data: likes, friends
    and tags, with tastes planted along the friendships.
    """
    if users is None:
        if any(sizes.values()):
            raise click.UsageError("these sizes need --users")
        config = load_config(overlays)
        for archive in ("lastfm", "delicious"):
            common.generate_archive(config, archive, to)
        return
    from horde.data.planted import generate_tables

    items = sizes["items"] or users
    usual = {
        "items": items,
        "likes": 10 * users,
        "friends": 8 * users,
        "tags": 5 * items,
        "active": min(users, max(-(-users // 50), 1_000)),
    }
    asked = {name: size for name, size in sizes.items() if size}
    generate_tables(to, users=users, **usual | asked, form=form, seed=seed, log=common.log)


@commands.command()
@configured
@_DATASET
def prepare(overlays: tuple[Path, ...], to: Path, dataset: str) -> None:
    """Acquire and prepare one dataset."""
    common.prepare_dataset(load_config(overlays), dataset, to)


@commands.command()
@configured
@_DATASET
@click.option("--policy", required=True, help="A name in the configuration's policies.")
@click.option("--variant", type=click.Choice(["tuned", "paper"]), default="tuned")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, help="The first seed.")
@click.option("--seeds", type=click.IntRange(1, 1000), default=1, help="Number of seeds.")
@click.option("--prepared", type=PATH, metavar="FILE", help="A prepared dataset.npz.")
def run(
    overlays: tuple[Path, ...],
    to: Path,
    dataset: str,
    policy: str,
    variant: str,
    seed: int,
    seeds: int,
    prepared: Path | None,
) -> None:
    """Run one policy; gives the same digits as the workflow's runs of the same names."""
    from horde.data import dataset as datasets
    from horde.experiments import choice, tuning
    from horde.experiments.code import job_digest
    from horde.experiments.run import Experiment, run_block
    from horde.results import runs as run_files

    config = load_config(overlays)
    checks.choice("--policy", policy, config["policies"])
    if prepared and (name := datasets.load(prepared).name) != dataset:
        raise ConfigError(
            f"{prepared} holds the dataset {name!r}, but --dataset is {dataset!r}: "
            "change one of the two."
        )
    data = prepared or common.prepare_dataset(config, dataset, to)
    chosen = {}
    if variant == "tuned" and (grids := plan.grids(config, policy)):
        validation = tuning.Validation(**plan.validation(config, policy, dataset))
        tuned = tuning.tune(validation, grids, data, common.log)
        choice.write(to / "tuning" / dataset / f"{policy}.json", tuned)
        chosen = tuned.params
    experiment = Experiment(**plan.experiment(config, policy, variant, chosen, dataset))
    block = range(seed, seed + seeds)
    curves = to / "runs" / dataset / policy / variant / f"{run_files.block_name(block)}.npz"
    record = curves.with_suffix(".json")
    files.make_folder(curves.parent)
    code = job_digest("horde.experiments.run", policy)
    run_block(experiment, block, data, code, curves, record, common.log)
    params = "".join(f", {name}={value:g}" for name, value in chosen.items())
    seconds = sum(measured["seconds"] for measured in files.read_json(record)["measured"])
    print(f"{policy} ({variant}{params}) on {dataset}: {config['rounds']} rounds, {seconds:.3g} s")
    found = run_files.load(curves)
    print(_final_regret(found["regret"][:, -1], found["random_regret"][:, -1]))
    print(f"Open {curves} with numpy.load; {record} describes its provenance")


def _final_regret(regrets: np.ndarray, random_regrets: np.ndarray) -> str:
    """Return a line with the mean final regret and, if defined, its ratio to Random's."""
    text = f"Final regret {np.mean(regrets):.6g}, Random's {np.mean(random_regrets):.6g}"
    if not random_regrets.all():
        return f"{text}; no ratio: Random's regret is 0, since all picks are equally good"
    ratio = t_interval(regrets / random_regrets)
    interval = f" (95 % CI {ratio.low:.4g} to {ratio.high:.4g}, {len(regrets)} seeds)"
    return f"{text}; ratio {ratio.value:.6g}{interval if math.isfinite(ratio.low) else ''}"


@commands.command()
@click.argument("output", type=PATH, default=".")
@click.option("run_name", "--run", default="demo", help="Name of the run.")
@click.option(
    "--kept",
    type=PATH,
    default="workflow/checksums.json",
    metavar="FILE",
    help="File of the stored checksums.",
)
@click.option("--update", is_flag=True, help="Store the checksums of these results.")
def verify(output: Path, run_name: str, kept: Path, update: bool) -> None:
    """Compare the tables and figures of a run in the folder OUTPUT with stored checksums."""
    from horde.results import checksums

    if update:
        found = checksums.checksums(output, run_name)
        files.write_json(kept, found)
        print(f"{kept} holds the checksums of {len(found)} tables and figures")
    else:
        compared = checksums.verify(output, run_name, kept)
        print(f"{compared} tables and figures are the same as those of {kept}")


@commands.command()
@click.argument("part")
@click.option("--output", type=PATH, default=".", metavar="FOLDER", help="Folder of results/.")
@click.option("run_name", "--run", default="paper", help="Name of the run.")
@click.option("--to", type=PATH, default="docs/results", metavar="FOLDER", help="Where to write.")
@click.option("--force", is_flag=True, help="Replace results of another run or configuration.")
def publish(part: str, output: Path, run_name: str, to: Path, force: bool) -> None:
    """Copy a finished part of a run to the folder of reference results.

    PART is data, fig1, fig2a, fig2b, fig3, figB, controls, sensitivity, multiverse or verdict.
    """
    from horde import publish as publishing
    from horde.experiments.finished import require_finished

    results, figures = output / "results" / run_name, output / "figures" / run_name
    config = publishing.publishable_config(part, results)
    if Path(config.get("output", ".")).resolve() != output.resolve():
        raise ConfigError(
            f"{results} was made with output: {config['output']}, or in another folder. Run this "
            "in the repository that made it, with the same --output."
        )
    require_finished(part, config, Path())
    for path in publishing.publish(part, results, figures, to, force):
        print(path)
