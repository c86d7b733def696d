"""``horde``: the package's functions without the workflow."""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from horde import files, machine
from horde.checks import nearest
from horde.data import dataset as datasets
from horde.errors import ConfigError, DataError, HordeError, OutputError
from horde.experiments import choices, plan
from horde.experiments import config as configuration
from horde.timing import command

EXIT_CODES = {ConfigError: 2, DataError: 3, OutputError: 4}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        In place of the command line's.

    Returns
    -------
    int
        0; 2 for a mistake in the command or the configuration; 3 for missing or damaged data; 4
        where a result cannot be written.
    """
    given = _parser().parse_args(arguments)
    machine.pin(1)
    _log.cache_clear()
    try:
        given.command(given)
    except HordeError as error:
        if given.debug:
            raise
        print(f"horde: {error}", file=sys.stderr)
        return EXIT_CODES.get(type(error), 1)
    return 0


def generate(given: argparse.Namespace) -> None:
    """Write the look-alikes of the archives that the configuration describes."""
    config = _config(given)
    for archive in ("lastfm", "delicious"):
        _generated(config, archive, Path(given.to))


def prepare(given: argparse.Namespace) -> None:
    """Acquire and prepare one dataset."""
    _prepared(_config(given), given)


def run(given: argparse.Namespace) -> None:
    """Run one experiment: the digits of the workflow's job of the same name."""
    from horde.experiments.experiment import Experiment, run_to_files

    config = _config(given)
    _check_name("policies", given.policy, config["policies"])
    dataset = _prepared_before(given) if given.prepared else _prepared(config, given)
    tunes = given.variant == "tuned" and plan.grids(config, given.policy)
    chosen = _tuned(config, given, dataset) if tunes else {}
    experiment = plan.experiment(config, given.policy, given.variant, given.seed, chosen)
    folder = Path(given.to) / "runs" / given.dataset / given.policy / given.variant
    files.make_folder(folder)
    names = {"curve": "npz", "record": "json", "timing": "timing.json"}
    paths = {name: folder / f"{given.seed}.{ending}" for name, ending in names.items()}
    code = plan.code("horde.experiments.experiment", given.policy)
    run_to_files(Experiment(**experiment), dataset, code, **paths, log=_log)
    final = files.read_json(paths["record"])["final"]
    ratio = final["regret"] / final["random_regret"]
    print(f"regret over the random policy's after {config['rounds']} rounds: {ratio:.6g}")


def publish(given: argparse.Namespace) -> None:
    """Copy a finished figure's part of a run to where reference results are kept."""
    from horde import publish as publishing
    from horde.experiments.finished import require_finished

    output = Path(given.output)
    results, figures = output / "results" / given.run, output / "figures" / given.run
    config = publishing.publishable_config(given.part, results)
    if Path(config["output"]).resolve() != output.resolve():
        raise ConfigError(
            f"{results} was made with output: {config['output']}, or in another folder. Start this "
            "in the repository that made it, with --output as it was made with."
        )
    require_finished(given.part, config, Path())
    for path in publishing.publish(given.part, results, figures, given.to):
        print(path)


def _prepared_before(given: argparse.Namespace) -> Path:
    """Return the file given as prepared, if it holds the dataset that was asked for."""
    name = datasets.load(given.prepared).name
    if name != given.dataset:
        raise ConfigError(
            f"{given.prepared} holds the dataset {name!r}, but --dataset is {given.dataset!r}: "
            "give the file or the name that belongs to the other."
        )
    return given.prepared


def bench(given: argparse.Namespace) -> None:
    """Measure seconds a round, and how exactly each solver picks."""
    config = _config(given)
    command.bench(given, config, lambda: _prepared(config, given))


def verify(given: argparse.Namespace) -> None:
    """Compare a run's tables and figures with the checksums that were kept of them."""
    from horde.results import checksums as reproduced

    if given.update:
        found = reproduced.checksums(given.output, given.run)
        files.write_json(given.kept, found)
        print(f"{given.kept} holds the checksums of {len(found)} tables and figures")
    else:
        compared = reproduced.verify(given.output, given.run, given.kept)
        print(f"{compared} tables and figures are the same as those of {given.kept}")


def _prepared(config: dict, given: argparse.Namespace) -> Path:
    """Acquire and prepare a dataset; return the prepared file."""
    from horde.data.acquire import acquire
    from horde.data.features import prepare as prepare_tables

    _check_name("datasets", given.dataset, config["datasets"])
    folder = Path(given.to) / "data" / given.dataset
    params = plan.data_source(config, given.dataset)
    archives = Path(given.to) / "archives"
    if params["entry"]["kind"] == "generated":
        _generated(config, params["entry"]["archive"], archives)
    tables, source = acquire(
        **params,
        hetrec_dir=os.environ.get("HETREC_DIR") or config["hetrec_dir"],
        generated_dir=archives,
        log=_log,
    )
    dataset, summary = prepare_tables(tables, given.dataset, source, **config["features"])
    files.write_json(folder / "source.json", source)
    files.write_json(folder / "summary.json", summary)
    dataset.save(folder / "dataset.npz")
    _log(f"prepared {folder / 'dataset.npz'}")
    return folder / "dataset.npz"


def _generated(config: dict, archive: str, folder: Path) -> None:
    from horde.data.lookalike import generate as write

    sizes = config["generate"]
    write(folder, archive, seed=sizes["seed"], **sizes[archive], log=_log)


def _tuned(config: dict, given: argparse.Namespace, dataset: Path) -> dict:
    """Tune as the workflow does; return what was chosen."""
    from horde.experiments.validation import Validation, tune

    folder = Path(given.to) / "tuning"
    choice = tune(
        Validation(**plan.validation(config, given.policy)),
        plan.grids(config, given.policy),
        dataset,
        plan.code("horde.experiments.validation", given.policy),
        folder / "points",
        _log,
    )
    choices.write(folder / given.dataset / f"{given.policy}.json", choice)
    return choice.params


def _config(given: argparse.Namespace) -> dict:
    return configuration.load(*given.config)


def _check_name(kind: str, name: str, known: dict) -> None:
    if name not in known:
        hint = nearest(name, known)
        raise ConfigError(f"{name!r} is not among the configuration's {kind}.{hint}")


@cache
def _log(message: object) -> None:
    """Tell a message once in a command: a download that is tried again says the same again."""
    print(message, file=sys.stderr, flush=True)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 0 to {2**32 - 1}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="horde", description=__doc__)
    parser.add_argument("--debug", action="store_true", help="show tracebacks")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_generate(commands)
    _add_prepare(commands)
    _add_run(commands)
    command.add_arguments(_add_command(commands, "bench", bench))
    _add_verify(commands)
    _add_publish(commands)
    return parser


def _add_parser(commands, name: str, function) -> argparse.ArgumentParser:
    help_text = function.__doc__.splitlines()[0]
    command = commands.add_parser(name, help=help_text, description=help_text)
    command.set_defaults(command=function)
    return command


def _add_command(commands, name: str, function) -> argparse.ArgumentParser:
    command = _add_parser(commands, name, function)
    command.add_argument(
        "--config",
        nargs="+",
        default=["config.yaml"],
        metavar="FILE",
        help="a whole configuration, and files to lay over it (default: config.yaml)",
    )
    command.add_argument(
        "--to",
        default="horde-results",
        metavar="FOLDER",
        help="where to write (default: %(default)s)",
    )
    return command


def _add_generate(commands) -> None:
    _add_command(commands, "generate", generate)


def _add_data(command: argparse.ArgumentParser) -> None:
    command.add_argument("--dataset", required=True, help="a name in the configuration's datasets")


def _add_prepare(commands) -> None:
    _add_data(_add_command(commands, "prepare", prepare))


def _add_run(commands) -> None:
    command = _add_command(commands, "run", run)
    _add_data(command)
    command.add_argument("--policy", required=True, help="a name in the configuration's policies")
    command.add_argument("--seed", type=_seed, default=0, help="at least 0 (default: 0)")
    command.add_argument("--variant", choices=("tuned", "paper"), default="tuned")
    command.add_argument(
        "--prepared", type=Path, metavar="FILE", help="a dataset.npz to take instead of preparing"
    )


def _add_verify(commands) -> None:
    command = _add_parser(commands, "verify", verify)
    command.add_argument(
        "output", nargs="?", default=".", help="folder of the results (default: .)"
    )
    command.add_argument("--run", default="demo", help="name of the run (default: %(default)s)")
    command.add_argument(
        "--kept",
        default="workflow/checksums.json",
        metavar="FILE",
        help="the checksums (default: %(default)s)",
    )
    command.add_argument("--update", action="store_true", help="keep those of these results")


def _add_publish(commands) -> None:
    command = _add_parser(commands, "publish", publish)
    command.add_argument("part", help="fig1, fig2a, fig2b, fig3, figB, sensitivity or verdict")
    command.add_argument("--output", default=".", help="folder of the results (default: .)")
    command.add_argument("--run", default="paper", help="name of the run (default: %(default)s)")
    command.add_argument(
        "--to", default="docs/results", metavar="FOLDER", help="where to (default: %(default)s)"
    )


if __name__ == "__main__":
    sys.exit(main())
