# What the open choices do to final ratios and to verdicts: one job for an alternative and a dataset.


ALTERNATIVES = plan.alternative_runs(config)
OF_DATA = [name for name in config["alternatives"] if plan.changes_data(config, name)]


rule prepare_alternative:
    input:
        unpack(alternative_tables),
    output:
        dataset=f"{RESULTS}/alternatives/{{alternative}}/{{dataset}}.npz",
        summary=f"{RESULTS}/alternatives/{{alternative}}/{{dataset}}.json",
    log:
        f"{RESULTS}/logs/alternatives/{{alternative}}/{{dataset}}_data.log",
    benchmark:
        f"{RESULTS}/timing/jobs/prepare_alternative/{{alternative}}/{{dataset}}_data.tsv"
    conda:
        "../envs/horde.yml"
    params:
        features=lambda wildcards: (
            config["features"]
            | config["alternatives"][wildcards.alternative].get("features", {})
        ),
        code=code("prepare.py"),
    script:
        "../scripts/prepare.py"


rule alternative:
    input:
        unpack(alternative_input),
    output:
        f"{RESULTS}/summary/alternatives/{{alternative}}/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/alternatives/{{alternative}}/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/alternative/{{alternative}}/{{dataset}}.tsv"
    wildcard_constraints:
        alternative=one_of({*config["alternatives"]} - {*OF_DATA}),
    # The longest jobs first: those of the policies that learn the graph.
    priority: learners_in_alternative
    conda:
        "../envs/horde.yml"
    params:
        tasks=alternative_tasks,
        seeds=plan.fresh_seeds(config, "verdict")[: config["sensitivity"]["seeds"]],
        # Scores and runs are kept, and made again only if their own params, data or code change.
        folders=lambda wildcards: {
            "points": f"{RESULTS}/tuning/points",
            "runs": f"{RESULTS}/fresh/{wildcards.dataset}/POLICY/{wildcards.alternative}",
            "timing": f"{RESULTS}/timing/fresh/{wildcards.dataset}/POLICY/{wildcards.alternative}",
        },
    script:
        "../scripts/alternative.py"


# Other data wait for no tuning but their own: a rule of its own, as for `simulate_paper`.
use rule alternative as alternative_of_data with:
    wildcard_constraints:
        alternative=one_of(OF_DATA),


SENSITIVITY_BASELINE = dict.fromkeys(
    f"{RESULTS}/summary/fresh/{dataset}/{policy}/tuned.csv"
    for name, datasets in {
        None: config["sensitivity"]["datasets"],
        **ALTERNATIVES,
    }.items()
    for dataset in datasets
    for policy in (
        plan.alternative_policies(config, name)
        if name
        else config["sensitivity"]["policies"]
    )
)


rule sensitivity_table:
    input:
        claims=CLAIMS,
        baseline=sensitivity_baseline,
        alternatives=[
            f"{RESULTS}/summary/alternatives/{name}/{dataset}.csv"
            for name, datasets in ALTERNATIVES.items()
            for dataset in datasets
        ],
    output:
        f"{RESULTS}/summary/sensitivity.csv",
    log:
        f"{RESULTS}/logs/sensitivity/table.log",
    benchmark:
        f"{RESULTS}/timing/jobs/sensitivity_table/table.tsv"
    conda:
        "../envs/horde.yml"
    params:
        data={name: plan.changes_data(config, name) for name in ALTERNATIVES},
        seeds=plan.fresh_seeds(config, "verdict")[: config["sensitivity"]["seeds"]],
        code=code("sensitivity_table.py"),
    script:
        "../scripts/sensitivity_table.py"


rule sensitivity_figure:
    input:
        table=f"{RESULTS}/summary/sensitivity.csv",
        claims=CLAIMS,
    output:
        pdf=f"{FIGURES}/sensitivity.pdf",
        png=report(
            f"{FIGURES}/sensitivity.png",
            caption="../report/sensitivity.rst",
            category="6. Sensitivity",
            labels={"figure": "sensitivity"},
        ),
        caption=f"{FIGURES}/sensitivity.json",
        text=f"{FIGURES}/sensitivity.rst",
    log:
        f"{RESULTS}/logs/figures/sensitivity.log",
    benchmark:
        f"{RESULTS}/timing/jobs/sensitivity_figure/sensitivity.tsv"
    conda:
        "../envs/horde.yml"
    params:
        labels={
            name: entry["label"]
            for entries in (config["datasets"], config["alternatives"])
            for name, entry in entries.items()
            if "label" in entry
        },
        generated=GENERATED,
        code=code("sensitivity_figure.py"),
    script:
        "../scripts/sensitivity_figure.py"


rule sensitivity:
    input:
        figure_files("sensitivity"),
        rules.sensitivity_table.output,
