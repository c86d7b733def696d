# What a friend is worth: policies of a graph on other graphs, and policies without one (Figure C).
CONTROLS = [runs for runs in plan.control_runs(config) if runs[1] in config["policies"]]


def control_blocks(pattern, learners):
    """Return the files (pattern `CURVES` or `RECORDS`) of the runs that learn a graph, or of the others."""
    kind = "learners" if learners else "controls"
    return [
        path
        for dataset, policy, variant in CONTROLS
        if (policy in plan.LEARNERS) == learners
        for path in blocks_of(pattern, kind, [dataset], [policy], [variant])
    ]


rule control_tables:
    input:
        curves=control_blocks(CURVES, False),
        records=control_blocks(RECORDS, False),
        learner_curves=control_blocks(CURVES, True),
        learner_records=control_blocks(RECORDS, True),
    output:
        ratios=f"{RESULTS}/summary/controls.csv",
        gains=f"{RESULTS}/summary/control_gains.csv",
    log:
        f"{RESULTS}/logs/controls/tables.log",
    benchmark:
        f"{RESULTS}/timing/jobs/control_tables/tables.tsv"
    conda:
        "../envs/horde.yml"
    params:
        graphs=plan.control_graphs(config),
        seeds=plan.seeds(config, "controls"),
        learner_seeds=plan.seeds(config, "learners"),
        code=code("control_tables.py"),
    script:
        "../scripts/control_tables.py"


rule controls_figure:
    input:
        ratios=rules.control_tables.output.ratios,
        gains=rules.control_tables.output.gains,
    output:
        pdf=f"{FIGURES}/{plan.CONTROLS}.pdf",
        png=report(
            f"{FIGURES}/{plan.CONTROLS}.png",
            caption="../report/controls.rst",
            category="6. Controls",
            labels={"figure": "what a friend is worth"},
        ),
        caption=f"{FIGURES}/{plan.CONTROLS}.json",
        text=f"{FIGURES}/{plan.CONTROLS}.rst",
    log:
        f"{RESULTS}/logs/figures/{plan.CONTROLS}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/controls_figure/controls.tsv"
    conda:
        "../envs/horde.yml"
    params:
        labels={name: label_of(name) for name in DATASETS},
        generated=GENERATED,
        code=code("controls_figure.py"),
    script:
        "../scripts/controls_figure.py"


rule controls:
    input:
        rules.control_tables.output,
        figure_files(plan.CONTROLS),
