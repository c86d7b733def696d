# The checked configuration, names of files, and what several rules share.
import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

# The package of this checkout, here and in every job, wherever another one is installed.
SOURCES = f"{workflow.basedir}/src"
sys.path.insert(0, SOURCES)
os.environ.update(
    PYTHONPATH=os.pathsep.join([SOURCES, *filter(None, [os.environ.get("PYTHONPATH")])])
)

try:
    from horde import files
    from horde.errors import ConfigError, DataError
    from horde.experiments import config as configuration
    from horde.experiments import choices, plan
    from horde.experiments.finished import has_records
    from horde.timing.sweeps import policies as measured_policies
except ImportError as error:
    raise WorkflowError(
        f"{error}. The packages of requirements.lock are not installed for {sys.executable}: "
        "run `make demo`, or see README.md for your own environment."
    )

try:
    config = configuration.checked(config)
    # Jobs need not ask again.
    if workflow.is_main_process:
        configuration.check_against_code(config)
except ConfigError as error:
    raise WorkflowError(str(error))

if config["hetrec_dir"] is not None and not os.environ.get("HETREC_DIR"):
    os.environ.update(HETREC_DIR=config["hetrec_dir"])

SCRIPTS = Path(workflow.basedir) / "workflow" / "scripts"
OUTPUT = "" if config["output"] == "." else f"{config['output'].rstrip('/')}/"
RESULTS = f"{OUTPUT}results/{config['run']}"
FIGURES = f"{OUTPUT}figures/{config['run']}"

# What Snakemake knows of how the results were made lies apart from them.
if (
    workflow.is_main_process
    and Path(RESULTS, "config.json").exists()
    and not has_records(Path())
):
    logger.warning(
        f"{RESULTS} was made elsewhere, or its records in .snakemake are gone: results of other "
        "params, seeds or code will pass for finished. `--forceall`, once, makes all of them anew."
    )


def one_of(names):
    """Constrain a wildcard to the given names; without any, to nothing at all."""
    return "|".join(map(re.escape, sorted(names))) or "(?!)"


wildcard_constraints:
    dataset=one_of(config["datasets"]),
    archive="lastfm|delicious",
    policy=one_of(config["policies"]),
    variant=one_of(["tuned", "paper", *config["alternatives"]]),
    alternative=one_of(config["alternatives"]),
    seed=r"\d+",


def code(script, *policies):
    """Digest of a script, of the modules behind it, and of policies."""
    return plan.code(SCRIPTS / script, *policies)


def figure_files(*names):
    """Both files of each named figure."""
    return [f"{FIGURES}/{name}.{kind}" for name in names for kind in ("pdf", "png")]
