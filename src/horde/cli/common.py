"""Options and steps that several commands share."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import click

from horde import files
from horde.checks import choice
from horde.errors import ConfigError
from horde.experiments import config, plan

PATH = click.Path(path_type=Path)


def configured(command: Callable) -> Callable:
    """Declare the options of every command that reads the configuration."""
    command = click.option(
        "--to", type=PATH, default="horde-results", metavar="FOLDER", help="Where to write."
    )(command)
    return click.option(
        "overlays",
        "--configfile",
        type=PATH,
        multiple=True,
        metavar="FILE",
        help="A file that overrides parts of this folder's config.yaml. Can be repeated.",
    )(command)


def load_config(overlays: Sequence[Path]) -> dict:
    """Merge files into this folder's config.yaml; without it, the first file is complete."""
    base = Path("config.yaml")
    if not base.exists() and not overlays:
        raise ConfigError(
            f"{base} is not in {Path.cwd()}; start the command in the clone of the "
            "project, or give a complete configuration: --configfile FILE"
        )
    return config.load(*[base] * base.exists(), *overlays)


def generate_archive(config: dict, archive: str, folder: Path) -> None:
    """Write the look-alike of an archive into `folder`."""
    from horde.data.lookalike import generate

    sizes = config["generate"]
    generate(folder, archive, seed=sizes["seed"], **sizes[archive], log=log)


def prepare_dataset(config: dict, name: str, to: Path) -> Path:
    """Acquire and prepare a dataset; return the prepared file."""
    from horde.data.acquire import acquire
    from horde.data.features import prepare

    choice("--dataset", name, config["datasets"])
    folder, archives = to / "data" / name, to / "archives"
    params = plan.data_source(config, name)
    if params["entry"]["kind"] == "generated":
        generate_archive(config, params["entry"]["archive"], archives)
    tables, source = acquire(
        **params,
        hetrec_dir=os.environ.get("HETREC_DIR") or config["hetrec_dir"],
        generated_dir=archives,
        log=log,
    )
    dataset, summary = prepare(tables, name, source, **config["features"])
    for warning in summary["warnings"]:
        log(f"warning: {warning}")
    files.write_json(folder / "source.json", source)
    files.write_json(folder / "summary.json", summary)
    dataset.save(folder / "dataset.npz")
    log(f"prepared {folder / 'dataset.npz'}")
    return folder / "dataset.npz"


@cache
def log(message: object) -> None:
    """Print each message once per command, since repeated downloads repeat their messages."""
    print(message, file=sys.stderr, flush=True)
