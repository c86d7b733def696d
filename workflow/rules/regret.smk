# Figures 2a and 2b, and their like for other datasets: regret over Random's.
rule regret_of_dataset:
    input:
        lambda wildcards: regret_runs("curve", wildcards.dataset),
    output:
        f"{RESULTS}/summary/regret_{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/regret/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/regret_of_dataset/{{dataset}}.tsv"
    conda:
        "../envs/horde.yml"
    params:
        seeds=config["seeds"]["figure"],
        code=code("regret_of_dataset.py"),
    script:
        "../scripts/regret_of_dataset.py"


rule regret:
    input:
        expand(
            f"{RESULTS}/summary/regret_{{dataset}}.csv",
            dataset=list(config["datasets"]),
        ),
    output:
        regret=f"{RESULTS}/summary/regret.csv",
        final=f"{RESULTS}/summary/final.csv",
    log:
        f"{RESULTS}/logs/regret/all.log",
    benchmark:
        f"{RESULTS}/timing/jobs/regret/all.tsv"
    conda:
        "../envs/horde.yml"
    params:
        datasets=list(config["datasets"]),
        code=code("regret.py"),
    script:
        "../scripts/regret.py"


rule time_of_runs:
    input:
        regret_runs("timing", *config["datasets"]),
    output:
        f"{RESULTS}/timing/runs.csv",
    log:
        f"{RESULTS}/logs/time_of_runs.log",
    benchmark:
        f"{RESULTS}/timing/jobs/time_of_runs/time_of_runs.tsv"
    conda:
        "../envs/horde.yml"
    params:
        code=code("time_of_runs.py"),
    script:
        "../scripts/time_of_runs.py"


rule regret_figure:
    input:
        table=lambda wildcards: (
            f"{RESULTS}/summary/regret_{REGRET_FIGURES[wildcards.figure]}.csv"
        ),
        source=lambda wildcards: (
            f"{RESULTS}/data/{REGRET_FIGURES[wildcards.figure]}/source.json"
        ),
        tuning=lambda wildcards: tuning_of(
            REGRET_FIGURES[wildcards.figure],
            REGRET["policies"] if "tuned" in REGRET["variants"] else [],
        ),
    output:
        pdf=f"{FIGURES}/{{figure}}.pdf",
        png=report(
            f"{FIGURES}/{{figure}}.png",
            caption="../report/regret.rst",
            category="3. Figure 2: regret",
            labels=lambda wildcards: numbered(wildcards.figure),
        ),
        caption=f"{FIGURES}/{{figure}}.json",
        text=f"{FIGURES}/{{figure}}.rst",
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/regret_figure/{{figure}}.tsv"
    wildcard_constraints:
        figure=one_of(REGRET_FIGURES),
    conda:
        "../envs/horde.yml"
    params:
        dataset=lambda wildcards: REGRET_FIGURES[wildcards.figure],
        label=lambda wildcards: config["datasets"][REGRET_FIGURES[wildcards.figure]][
            "label"
        ],
        variants=REGRET["variants"],
        paper_values=(
            paper_values(REGRET["policies"]) if "paper" in REGRET["variants"] else {}
        ),
        code=code("regret_figure.py"),
    script:
        "../scripts/regret_figure.py"


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
            category="3. Figure 2: regret",
            labels={"figure": "interactive, all curves"},
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


# One name a figure, where the configuration has the figure.
if "fig2a_lastfm_regret" in REGRET_FIGURES:

    rule fig2a:
        input:
            figure_files("fig2a_lastfm_regret"),


if "fig2b_delicious_regret" in REGRET_FIGURES:

    rule fig2b:
        input:
            figure_files("fig2b_delicious_regret"),


rule fig2:
    input:
        figure_files(*(name for name in REGRET_FIGURES if name.startswith("fig2"))),
