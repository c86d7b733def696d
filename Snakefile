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


onstart:
    files.write_json(f"{RESULTS}/config.json", config)
