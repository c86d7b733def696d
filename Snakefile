# The whole replication. `snakemake --cores 2 fig2` draws Figure 2; README.md lists the targets.
from pathlib import Path

from snakemake.utils import min_version

min_version("9.10")


# Where the user started, before the working directory changes: HETREC_DIR may be relative to it.
if folder := os.environ.get("HETREC_DIR"):
    os.environ.update(HETREC_DIR=str(Path(folder).expanduser().absolute()))


# Results lie in the repository, from wherever it is started; `--directory` overrides this.
workdir: workflow.basedir


configfile: f"{workflow.basedir}/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/scalability.smk"
include: "workflow/rules/theory.smk"
include: "workflow/rules/verdict.smk"


# Seconds of work that wait for several tunings, so that no cluster profile can group them: done
# where the workflow was started.
localrules:
    tuning_table,
    regret_figure,
    learning_figure,


rule all:
    default_target: True
    input:
        REGRET_FILES,
        LEARNING_FILES,
        rules.fig1.input,
        rules.figB.input,
        rules.sensitivity.input if ALTERNATIVES else [],
        rules.verdict.input,


def place_of(wildcards):
    """Say where a file of this run lies, when one of another run or folder is asked for."""
    kind, _, name = wildcards.misplaced.split("/", 2)
    place = FIGURES if kind == "figures" else RESULTS
    raise WorkflowError(
        f"{wildcards.misplaced} is not a file of run {config['run']!r} with output "
        f"{config['output']!r}; ask for {place}/{name}, or set `run` or `output`."
    )


rule misplaced:
    input:
        place_of,
    output:
        "{misplaced}",
    wildcard_constraints:
        misplaced=rf"(?!({one_of([RESULTS, FIGURES])})/)(figures|results)/[^/]+/.+",


onstart:
    # Without what says nothing about the results.
    files.write_json(
        f"{RESULTS}/config.json",
        {key: config[key] for key in config if key != "allow_other_scale"},
    )
