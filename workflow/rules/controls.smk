# What a friend is worth: policies of a graph on other graphs, and policies without one (Figure C).
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
        **drawn(
            plan.CONTROLS,
            "controls",
            "6. Controls",
            {"figure": "what a friend is worth"},
        ),
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
