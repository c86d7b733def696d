# The picture of each dataset, Figures 2 and 3, the same figures for other datasets, the page of all curves, and
# the learned graphs.


rule describe:
    input:
        dataset=f"{RESULTS}/data/{{dataset}}/dataset.npz",
        summary=f"{RESULTS}/data/{{dataset}}/summary.json",
    output:
        f"{RESULTS}/summary/data_{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/describe/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/describe/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(DATASETS),
    conda:
        "../envs/horde.yml"
    params:
        code=code("describe.py"),
    script:
        "../scripts/describe.py"


rule data_figure:
    input:
        table=f"{RESULTS}/summary/data_{{dataset}}.csv",
        source=f"{RESULTS}/data/{{dataset}}/source.json",
    output:
        **drawn(
            "{dataset}_data",
            "data",
            "0. The data",
            lambda wildcards: {"figure": report_text(label_of(wildcards.dataset))},
        ),
    log:
        f"{RESULTS}/logs/figures/{{dataset}}_data.log",
    benchmark:
        f"{RESULTS}/timing/jobs/data_figure/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(DATASETS),
    conda:
        "../envs/horde.yml"
    params:
        title=lambda wildcards: label_of(wildcards.dataset),
        code=code("data_figure.py"),
    script:
        "../scripts/data_figure.py"


rule regret_figure:
    input:
        unpack(curve_inputs),
    output:
        **drawn(
            "{figure}",
            "regret",
            regret_category,
            lambda wildcards: {"figure": report_text(curve_title(wildcards.figure))},
        ),
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/regret_figure/{{figure}}.tsv"
    wildcard_constraints:
        figure=one_of(REGRET_FIGURES),
    conda:
        "../envs/horde.yml"
    params:
        dataset=lambda wildcards: CURVE_FIGURES[wildcards.figure][1],
        title=lambda wildcards: curve_title(wildcards.figure),
        variants=lambda wildcards: curve_policies(wildcards)[1],
        paper_values=paper_values,
        code=code("regret_figure.py"),
    script:
        "../scripts/regret_figure.py"


use rule regret_figure as learning_figure with:
    output:
        **drawn(
            "{figure}",
            "learning",
            "4. Figure 3: learned graphs",
            lambda wildcards: {"figure": report_text(curve_title(wildcards.figure))},
        ),
    benchmark:
        f"{RESULTS}/timing/jobs/learning_figure/{{figure}}.tsv"
    wildcard_constraints:
        figure=one_of(LEARNING_FIGURES),


# Panels of the page of all curves: table, dataset, label. Figure 3 takes longest; it is there if it is asked for.
PAGE_PANELS = [
    (table, dataset, curve_title(figure))
    for figure, (table, dataset) in CURVE_FIGURES.items()
    if table == "regret" or "learning" in config["targets"]
]


rule regret_page:
    input:
        tables=[
            f"{RESULTS}/summary/{table}_{dataset}.csv"
            for table, dataset, _ in PAGE_PANELS
        ],
        sources=[
            f"{RESULTS}/data/{dataset}/source.json" for _, dataset, _ in PAGE_PANELS
        ],
    output:
        report(
            f"{FIGURES}/regret.html",
            caption="../report/interactive.rst",
            category="3. All regret curves",
            labels={"page": "interactive, all curves"},
        ),
    log:
        f"{RESULTS}/logs/figures/regret_page.log",
    benchmark:
        f"{RESULTS}/timing/jobs/regret_page/regret_page.tsv"
    conda:
        "../envs/horde.yml"
    params:
        panels=PAGE_PANELS,
        run=config["run"],
        generated=GENERATED,
        code=code("regret_page.py"),
    script:
        "../scripts/regret_page.py"


rule learned_graph:
    input:
        dataset=f"{RESULTS}/data/{{dataset}}/dataset.npz",
        curves=lambda wildcards: blocks_of(
            CURVES, "figure", [wildcards.dataset], LEARNERS, ["tuned"]
        ),
    output:
        f"{RESULTS}/summary/learned_graph_{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/learned_graph/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/learned_graph/{{dataset}}.tsv"
    conda:
        "../envs/horde.yml"
    params:
        code=code("learned_graph.py"),
    script:
        "../scripts/learned_graph.py"


rule learned_graph_figure:
    input:
        f"{RESULTS}/summary/learned_graph.csv",
    output:
        **drawn(
            plan.LEARNED_GRAPH,
            "learned_graph",
            "4. Figure 3: learned graphs",
            {"figure": "learned graphs, compared"},
        ),
    log:
        f"{RESULTS}/logs/figures/{plan.LEARNED_GRAPH}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/learned_graph_figure/{plan.LEARNED_GRAPH}.tsv"
    conda:
        "../envs/horde.yml"
    params:
        labels={name: label_of(name) for name in LEARNING_FIGURES.values()},
        generated=GENERATED,
        code=code("learned_graph_figure.py"),
    script:
        "../scripts/learned_graph_figure.py"


REGRET_FILES = [
    *figure_files(*REGRET_FIGURES),
    f"{FIGURES}/regret.html",
    f"{RESULTS}/summary/final_regret.csv",
    f"{RESULTS}/timing/runs.csv",
]
LEARNING_FILES = [
    *figure_files(*LEARNING_FIGURES),
    *([f"{RESULTS}/summary/final_learning.csv"] if LEARNING_FIGURES else []),
    *(figure_files(plan.LEARNED_GRAPH) if LEARNING_FIGURES and LEARNERS else []),
    *([f"{RESULTS}/timing/graph_learning.csv"] if TIMED["graph_learning"] else []),
]


rule data:
    input:
        figure_files(*(f"{dataset}_data" for dataset in DATASETS)),
        f"{RESULTS}/summary/data.csv",


# Short target names of the paper's figures that the configuration has: fig1a, fig2a, ...
for figure in [
    *SCALABILITY_FIGURES,
    *({"fig2a_lastfm_regret", "fig2b_delicious_regret"} & REGRET_FIGURES.keys()),
    *LEARNING_FIGURES,
]:

    rule:
        name:
            figure.partition("_")[0]
        input:
            figure_files(figure),


rule fig2:
    input:
        figure_files(*(name for name in REGRET_FIGURES if name.startswith("fig2"))),


rule fig3:
    input:
        LEARNING_FILES,
