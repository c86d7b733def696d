# Figures 3a and 3b: regret of the policies that learn the graph; what they learned; what it costs.
use rule regret_of_dataset as learning_of_dataset with:
    input:
        lambda wildcards: learning_runs("curve", wildcards.dataset),
    output:
        f"{RESULTS}/summary/learning_{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/learning/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/learning_of_dataset/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(LEARNING_FIGURES.values()),


use rule regret as learning with:
    input:
        expand(
            f"{RESULTS}/summary/learning_{{dataset}}.csv",
            dataset=LEARNING_FIGURES.values(),
        ),
    output:
        regret=f"{RESULTS}/summary/learning.csv",
        final=f"{RESULTS}/summary/learning_final.csv",
    log:
        f"{RESULTS}/logs/learning/all.log",
    benchmark:
        f"{RESULTS}/timing/jobs/learning/all.tsv"
    params:
        datasets=list(LEARNING_FIGURES.values()),
        code=code("regret.py"),


use rule regret_figure as learning_figure with:
    input:
        table=lambda wildcards: (
            f"{RESULTS}/summary/learning_{LEARNING_FIGURES[wildcards.figure]}.csv"
        ),
        source=lambda wildcards: (
            f"{RESULTS}/data/{LEARNING_FIGURES[wildcards.figure]}/source.json"
        ),
        tuning=lambda wildcards: tuning_of(
            LEARNING_FIGURES[wildcards.figure],
            config["figures"]["learning"]["policies"],
        ),
    output:
        pdf=f"{FIGURES}/{{figure}}.pdf",
        png=report(
            f"{FIGURES}/{{figure}}.png",
            caption="../report/learning.rst",
            category="4. Figure 3: learned graphs",
            labels={"figure": "{figure}"},
        ),
        caption=f"{FIGURES}/{{figure}}.json",
        text=f"{FIGURES}/{{figure}}.rst",
    wildcard_constraints:
        figure=one_of(LEARNING_FIGURES),
    params:
        dataset=lambda wildcards: LEARNING_FIGURES[wildcards.figure],
        label=lambda wildcards: learning_label(LEARNING_FIGURES[wildcards.figure]),
        variants=["tuned"],
        paper_values={},
        code=code("regret_figure.py"),


rule learned_graph_of_dataset:
    input:
        dataset=f"{RESULTS}/data/{{dataset}}/dataset.npz",
        runs=lambda wildcards: learned_runs(wildcards.dataset),
    output:
        f"{RESULTS}/summary/learned_graph_{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/learned_graph/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/learned_graph_of_dataset/{{dataset}}.tsv"
    conda:
        "../envs/horde.yml"
    params:
        code=code("learned_graph.py"),
    script:
        "../scripts/learned_graph.py"


rule learned_graph:
    input:
        expand(
            f"{RESULTS}/summary/learned_graph_{{dataset}}.csv",
            dataset=LEARNING_FIGURES.values(),
        ),
    output:
        f"{RESULTS}/summary/learned_graph.csv",
    log:
        f"{RESULTS}/logs/learned_graph/all.log",
    benchmark:
        f"{RESULTS}/timing/jobs/learned_graph/all.tsv"
    conda:
        "../envs/horde.yml"
    params:
        code=code("concatenate.py"),
    script:
        "../scripts/concatenate.py"


rule learned_graph_figure:
    input:
        f"{RESULTS}/summary/learned_graph.csv",
    output:
        pdf=f"{FIGURES}/{plan.LEARNED_GRAPH}.pdf",
        png=report(
            f"{FIGURES}/{plan.LEARNED_GRAPH}.png",
            caption="../report/learned_graph.rst",
            category="4. Figure 3: learned graphs",
            labels={"figure": "learned graphs, compared"},
        ),
        caption=f"{FIGURES}/{plan.LEARNED_GRAPH}.json",
        text=f"{FIGURES}/{plan.LEARNED_GRAPH}.rst",
    log:
        f"{RESULTS}/logs/figures/{plan.LEARNED_GRAPH}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/learned_graph_figure/{plan.LEARNED_GRAPH}.tsv"
    conda:
        "../envs/horde.yml"
    params:
        labels={
            name: config["datasets"][name]["label"]
            for name in LEARNING_FIGURES.values()
        },
        generated=GENERATED,
        code=code("learned_graph_figure.py"),
    script:
        "../scripts/learned_graph_figure.py"


rule time_of_learning:
    input:
        timed_learning("timing"),
    output:
        f"{RESULTS}/timing/graph_learning.csv",
    log:
        f"{RESULTS}/logs/time_of_learning.log",
    benchmark:
        f"{RESULTS}/timing/jobs/time_of_learning/time_of_learning.tsv"
    conda:
        "../envs/horde.yml"
    params:
        solvers={
            variant: {
                policy: plan.solver(config, policy, variant) for policy in policies
            }
            for variant, policies in TIMED_LEARNING.items()
        },
        code=code("time_of_learning.py"),
    script:
        "../scripts/time_of_learning.py"


LEARNING_FILES = [
    *figure_files(*LEARNING_FIGURES),
    *([f"{RESULTS}/summary/learning.csv"] if LEARNING_FIGURES else []),
    *(
        [
            *figure_files(plan.LEARNED_GRAPH),
            f"{RESULTS}/summary/learned_graph.csv",
        ]
        if LEARNING_FIGURES and LEARNERS
        else []
    ),
    *([f"{RESULTS}/timing/graph_learning.csv"] if timed_learning("timing") else []),
]


if "lastfm" in config["datasets"]:

    rule fig3a:
        input:
            figure_files("fig3a_lastfm_learning"),


if "delicious" in config["datasets"]:

    rule fig3b:
        input:
            figure_files("fig3b_delicious_learning"),


rule fig3:
    input:
        LEARNING_FILES,
