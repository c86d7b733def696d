# Entry point of the workflow. `snakemake --cores 2 fig2` draws Figure 2; README.md lists the targets.
from pathlib import Path

from snakemake.utils import min_version

min_version("9.10")


# HETREC_DIR may be relative to the folder that the user started in. Resolve it before `workdir` changes.
if folder := os.environ.get("HETREC_DIR"):
    os.environ.update(HETREC_DIR=str(Path(folder).expanduser().absolute()))


# Results go to the repository, wherever Snakemake is started; `--directory` overrides this.
workdir: workflow.basedir


configfile: f"{workflow.basedir}/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/inputs.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/scalability.smk"
include: "workflow/rules/theory.smk"
include: "workflow/rules/verdict.smk"
include: "workflow/rules/controls.smk"
include: "workflow/rules/multiverse.smk"
include: "workflow/rules/preview.smk"
include: "workflow/rules/article.smk"


# These rules take seconds and wait for several tunings, so no cluster profile can group them. The head
# process runs them.
localrules:
    tuning_table,
    regret_figure,
    learning_figure,


# What each name of `targets` stands for.
TARGETS = {
    "data": rules.data.input,
    "fig1": rules.fig1.input,
    "regret": REGRET_FILES,
    "learning": LEARNING_FILES,
    "figB": rules.figB.input,
    "sensitivity": rules.sensitivity.input if ALTERNATIVES else [],
    "verdict": rules.verdict.input,
    "controls": rules.controls.input if config["controls"]["datasets"] else [],
    "multiverse": rules.multiverse.input,
    "preview": rules.preview.output,
}


rule all:
    default_target: True
    input:
        [TARGETS[name] for name in config["targets"]],


rule misplaced:
    input:
        place_of,
    output:
        "{misplaced}",
    wildcard_constraints:
        misplaced=rf"(?!({one_of([RESULTS, FIGURES])})/)(figures|results)/[^/]+/.+",


onstart:
    # By default Snakemake starts at most 100 jobs a second. To keep to it, 9.27 looks for jobs once more a second for
    # each job that has ended: after 130 jobs this took a fifth of a core. Jobs here take seconds and need no limit.
    limit = workflow.scheduler.job_rate_limiter
    if limit is not None and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None
    # `allow_other_scale` does not affect results, so it is not stored.
    files.write_json(
        f"{RESULTS}/config.json",
        {key: config[key] for key in config if key != "allow_other_scale"},
    )
