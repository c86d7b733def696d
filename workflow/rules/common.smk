# The checked configuration, names of files, and what several rules share. Paths are relative to the
# repository.
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
    from horde.data import sources
    from horde.errors import ConfigError, DataError
    from horde.experiments import config as configuration
    from horde.experiments import code as package_code
    from horde.experiments import plan, tuning
    from horde.experiments.finished import has_records
    from horde.results import runs as run_files
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

# How this run was configured when it was last started.
BEFORE = Path(RESULTS, "config.json")
if workflow.is_main_process and BEFORE.exists():
    try:
        differences = plan.scale_differences(files.read_json(BEFORE), config)
    except DataError as error:
        raise WorkflowError(str(error))
    if differences and not config["allow_other_scale"]:
        raise WorkflowError(
            f"{RESULTS} holds results of another scale:\n  "
            + "\n  ".join(differences)
            + "\nGive this run a name of its own (--config run=NAME), or replace the results that "
            "are there (--config allow_other_scale=true)."
        )
    # What Snakemake knows of how the results were made lies apart from them.
    if not has_records(Path()):
        logger.warning(
            f"{RESULTS} was made elsewhere, or its records in .snakemake are gone: results of "
            "other params, seeds or code will pass for finished. `--forceall`, once, makes all of "
            "them anew."
        )


GENERATED = plan.is_generated(config)
DATASETS = [*config["datasets"]]
DATA_VARIANTS = plan.data_variants(config)
# A block of seeds of one policy in one variant, and what its runs took.
CURVES = f"{RESULTS}/runs/{{dataset}}/{{policy}}/{{variant}}/{{block}}.npz"
RECORDS = f"{RESULTS}/timing/runs/{{dataset}}/{{policy}}/{{variant}}/{{block}}.json"


def one_of(names):
    """Constrain a wildcard to the given names; without any, to nothing at all."""
    return "|".join(map(re.escape, sorted(names))) or "(?!)"


wildcard_constraints:
    dataset=one_of([*DATASETS, *DATA_VARIANTS]),
    archive="lastfm|delicious",
    policy=one_of(config["policies"]),
    variant=one_of(["tuned", "paper", *config["alternatives"]]),
    block=r"\d+(-\d+)?",


def code(script, *policies):
    """Digest of a script, of the modules it imports, and of policies."""
    return package_code.job_digest(SCRIPTS / script, *policies)


def code_of_policy(script):
    """The same, for the policy that the job's wildcards name."""
    return lambda wildcards: code(script, wildcards.policy)


def figure_files(*names):
    """Both files of each named figure."""
    return [f"{FIGURES}/{name}.{kind}" for name in names for kind in ("pdf", "png")]


def blocks_of(pattern, kind, datasets, policies, variants):
    """Files (`CURVES` or `RECORDS`) of all runs of these, on the seeds of a kind."""
    return [
        pattern.format(
            dataset=dataset,
            policy=policy,
            variant=variant,
            block=run_files.block_name(block),
        )
        for dataset in datasets
        for policy in policies
        for variant in plan.variants_of(policy, variants)
        for block in plan.blocks(config, kind)
    ]


def tuning_of(dataset, policies):
    """Files of what tuning chose, for those policies that have something to choose."""
    return [
        f"{RESULTS}/tuning/{dataset}/{policy}.json"
        for policy in policies
        if plan.grids(config, policy)
    ]
