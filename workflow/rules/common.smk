# The checked configuration, file names, and functions that several rules share. Paths are relative to
# the repository.
import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

# This process and all jobs use the package of this checkout, even if another version is installed.
SOURCES = f"{workflow.basedir}/src"
sys.path.insert(0, SOURCES)
os.environ.update(
    PYTHONPATH=os.pathsep.join([SOURCES, *filter(None, [os.environ.get("PYTHONPATH")])])
)

try:
    from horde import files, machine

    machine.collect_rarely()
    from horde.data import sources
    from horde.errors import ConfigError, DataError
    from horde.experiments import config as configuration
    from horde.experiments import code as package_code
    from horde.experiments import choice, plan
    from horde.experiments.finished import has_records, has_results
    from horde.results import runs as run_files
    from horde.timing.sweeps import policies as measured_policies
except ImportError as error:
    raise WorkflowError(
        f"{error}. The packages of requirements.lock are not installed for {sys.executable}: "
        "run `make demo`, or see README.md for your own environment."
    )


@contextmanager
def without_traceback():
    """Let Snakemake show the message alone of an error that the user can fix."""
    try:
        yield
    except (ConfigError, DataError) as error:
        raise WorkflowError(str(error))


with without_traceback():
    config = configuration.checked(config)
    # Once per run is enough: jobs do not check again.
    if workflow.is_main_process:
        configuration.check_against_code(config)

if config["hetrec_dir"] is not None and not os.environ.get("HETREC_DIR"):
    os.environ.update(HETREC_DIR=config["hetrec_dir"])

SCRIPTS = Path(workflow.basedir) / "workflow" / "scripts"
OUTPUT = "" if config["output"] == "." else f"{config['output'].rstrip('/')}/"
RESULTS = f"{OUTPUT}results/{config['run']}"
FIGURES = f"{OUTPUT}figures/{config['run']}"

# The configuration of the last start of this run.
BEFORE = Path(RESULTS, "config.json")
if workflow.is_main_process and BEFORE.exists():
    with without_traceback():
        differences = plan.scale_differences(files.read_json(BEFORE), config)
    if differences and not config["allow_other_scale"] and has_results(RESULTS):
        raise WorkflowError(
            f"{RESULTS} holds results of another scale:\n  "
            + "\n  ".join(differences)
            + "\nGive this run another name (--config run=NAME), or replace the existing results "
            "(--config allow_other_scale=true)."
        )
    # Snakemake stores its records of how results were made in .snakemake, not next to the results.
    if not has_records(Path()):
        logger.warning(
            f"{RESULTS} was made elsewhere, or its records in .snakemake are gone. So results of "
            "other params, seeds or code count as finished. Run once with `--forceall` to make all "
            "of them again."
        )


GENERATED = plan.is_generated(config)
DATASETS = [*config["datasets"]]
DATA_VARIANTS = plan.data_variants(config)
# The runs of a block of seeds of one policy in one variant; their times and memory.
CURVES = f"{RESULTS}/runs/{{dataset}}/{{policy}}/{{variant}}/{{block}}.npz"
RECORDS = f"{RESULTS}/timing/runs/{{dataset}}/{{policy}}/{{variant}}/{{block}}.json"


def one_of(names):
    """Return a wildcard constraint that matches the given names; without names, it matches nothing."""
    return "|".join(map(re.escape, sorted(names))) or "(?!)"


wildcard_constraints:
    dataset=one_of([*DATASETS, *DATA_VARIANTS]),
    archive="lastfm|delicious",
    policy=one_of(config["policies"]),
    variant=one_of(["tuned", "paper", "as-given", *config["alternatives"]]),
    block=r"\d+(-\d+)?",


def code(script, *policies):
    """Return the digest of a script, of the modules it imports, and of the policies' code."""
    return package_code.job_digest(SCRIPTS / script, *policies)


def code_of_policy(script):
    """Return a function of the wildcards: the digest of a script and of the policy they name."""
    return lambda wildcards: code(script, wildcards.policy)


def figure_files(*names):
    """Return the PDF and PNG files of the named figures."""
    return [f"{FIGURES}/{name}.{kind}" for name in names for kind in ("pdf", "png")]


def drawn(name, caption, category, labels):
    """Return the outputs of a rule that draws a figure; the PNG goes into the report."""
    path = f"{FIGURES}/{name}"
    return {
        "pdf": f"{path}.pdf",
        "png": report(
            f"{path}.png",
            caption=f"../report/{caption}.rst",
            category=category,
            labels=labels,
        ),
        "caption": f"{path}.json",
        "text": f"{path}.rst",
    }


def run_file(pattern, dataset, policy, variant, block):
    """Return the file (pattern `CURVES` or `RECORDS`) of a block of seeds of a policy's runs."""
    return pattern.format(
        dataset=dataset,
        policy=policy,
        variant=variant,
        block=run_files.block_name(block),
    )


def blocks_of(pattern, kind, datasets, policies, variants):
    """Return the files (pattern `CURVES` or `RECORDS`) of all these runs on the seeds of a kind."""
    return [
        run_file(pattern, dataset, policy, variant, block)
        for dataset in datasets
        for policy in policies
        for variant in plan.variants_of(policy, variants)
        for block in plan.blocks(config, kind)
    ]


def tuning_of(dataset, policies):
    """Return the files of the tuned hyper-parameters of those policies that are tuned."""
    return [
        f"{RESULTS}/tuning/{dataset}/{policy}.json"
        for policy in policies
        if plan.grids(config, policy)
    ]
