# Judge the paper's claims on fresh seeds by the rules of workflow/claims.yaml. The sensitivity analysis
# shows how choices that the paper leaves open change the verdicts.
from horde.verdict import context, history

VERDICT_TABLES = {
    name: f"{RESULTS}/{place}" for name, place in paper_claims.TABLES.items()
}
# These tables need datasets that a configuration may omit, or seeds that judge claims, which a draft must
# not run. Then the claims on them are "not run".
OPTIONAL_TABLES = {
    "graph_learning": TIMED["graph_learning"],
    "picks": COLLECTED["picks"] and not DRAFT,
    "counterparts": not DRAFT,
}
# Kinds of seeds that judge claims; none in a draft.
JUDGING_KINDS = () if DRAFT else ("verdict", "learning")
ASKED_TABLES = [
    name
    for name in paper_claims.needed_tables(ASKED)
    if name in VERDICT_TABLES and OPTIONAL_TABLES.get(name, True)
]
ASKED_THEORY = not DRAFT and any(
    runs.variant == "theory" for runs in paper_claims.needed_runs(ASKED)
)
# The runs on fresh seeds that the claims compare.
FRESH = [
    run_file(CURVES, *runs, block)
    for runs, kinds in paper_claims.needed_runs(READINGS).items()
    if runs.dataset in [*DATASETS, *DATA_VARIANTS] and runs.policy in config["policies"]
    for kind, number in kinds.items()
    for block in judging_blocks(kind, number)
]


# All policies that are drawn, tuned: readers see where scores are flat, an edge was chosen, or a policy is
# greedy. And those of the claims.
TUNED = [
    path
    for datasets, wanted in AVERAGED.values()
    if "tuned" in wanted["variants"]
    for dataset in datasets
    for path in tuning_of(dataset, wanted["policies"])
] + [
    path
    for dataset, policy in paper_claims.needed_tuning(ASKED)
    if dataset in DATASETS and policy in config["policies"]
    for path in tuning_of(dataset, [policy])
]


rule tuning_table:
    input:
        [*dict.fromkeys(TUNED)],
    output:
        f"{RESULTS}/summary/tuning.csv",
    log:
        f"{RESULTS}/logs/verdict/tuning.log",
    benchmark:
        f"{RESULTS}/timing/jobs/tuning_table/tuning.tsv"
    conda:
        "../envs/horde.yml"
    params:
        code=code("tuning_table.py"),
    script:
        "../scripts/tuning_table.py"


# Compare the picks of five CG iterations with those of the exact mean, at the tuned lambda and at the paper's
# (claim T2).
rule picks:
    input:
        dataset=picks_data,
    output:
        f"{RESULTS}/summary/picks_{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/picks/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/picks/{{dataset}}.tsv"
    conda:
        "../envs/horde.yml"
    params:
        experiments=lambda wildcards: [
            plan.experiment(config, "G-EG", variant, chosen, wildcards.dataset)
            for variant, chosen in (
                ("five-cg", tuned_choice(wildcards.dataset, "G-EG")),
                ("paper", {}),
            )
        ],
        seed=config["seeds"]["fresh"]["verdict"],
        code=code("picks.py", "G-EG"),
    script:
        "../scripts/picks.py"


rule judge:
    input:
        **{name: VERDICT_TABLES[name] for name in ASKED_TABLES},
        claims=CLAIMS,
        curves=FRESH,
        theory=THEORY_RUNS["verdict"] if ASKED_THEORY else [],
    output:
        verdict=f"{RESULTS}/verdict.csv",
        timing=f"{RESULTS}/timing/verdict_timing.csv",
        alternative=f"{RESULTS}/timing/verdict_alternative.csv",
        runs=f"{RESULTS}/summary/verdict_runs.csv",
        curves=f"{RESULTS}/summary/verdict_curves.csv",
        claims=f"{RESULTS}/claims.yaml",
    log:
        f"{RESULTS}/logs/verdict/judge.log",
    benchmark:
        f"{RESULTS}/timing/jobs/judge/judge.tsv"
    conda:
        "../envs/horde.yml"
    params:
        asked=config["verdict"]["claims"],
        seeds={kind: plan.seeds(config, kind) for kind in JUDGING_KINDS},
        tables=ASKED_TABLES,
        code=code("judge.py"),
    script:
        "../scripts/judge.py"


rule verdict_page:
    input:
        **{name: VERDICT_TABLES[name] for name in ASKED_TABLES},
        claims=CLAIMS,
        verdict=rules.judge.output.verdict,
        timing=rules.judge.output.timing,
        alternative=rules.judge.output.alternative,
        runs=rules.judge.output.runs,
        curves=rules.judge.output.curves,
        sources=[
            f"{RESULTS}/data/{dataset}/source.json"
            for dataset in dict.fromkeys(
                runs.dataset for runs in paper_claims.needed_runs(ASKED)
            )
            if dataset in DATASETS
        ],
    output:
        report(
            f"{RESULTS}/verdict.html",
            caption="../report/verdict.rst",
            category="1. Verdict",
            labels={"page": "the paper's claims"},
        ),
    log:
        f"{RESULTS}/logs/verdict/page.log",
    benchmark:
        f"{RESULTS}/timing/jobs/verdict_page/page.tsv"
    conda:
        "../envs/horde.yml"
    params:
        page=lambda wildcards: {
            "run": config["run"],
            "generated": GENERATED,
            "seeds": {kind: plan.seeds(config, kind) for kind in JUDGING_KINDS},
            "draft": RULES.draft,
        },
        # What the controls and the multiverse found, if they were run: nothing here makes them.
        others={
            name: files.content(f"{RESULTS}/{place}")
            for name, place in context.TABLES.items()
            if Path(RESULTS, place).exists()
        },
        # The job reads these versions of the claims from git.
        versions=lambda wildcards: history.versions(CLAIMS),
        tables=ASKED_TABLES,
        figures=FIGURES,
        code=code("verdict_page.py"),
    script:
        "../scripts/verdict_page.py"


rule verdict:
    input:
        rules.judge.output,
        rules.verdict_page.output,


rule sensitivity_table:
    input:
        claims=CLAIMS,
        baseline=sensitivity_baseline,
        alternatives=[
            path
            for name, datasets in ALTERNATIVES.items()
            for dataset in datasets
            for path in alternative_blocks(name, dataset)
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
        seeds=plan.seeds(config, "sensitivity"),
        code=code("sensitivity_table.py"),
    script:
        "../scripts/sensitivity_table.py"


rule sensitivity_figure:
    input:
        table=f"{RESULTS}/summary/sensitivity.csv",
        claims=CLAIMS,
    output:
        **drawn(
            "sensitivity", "sensitivity", "6. Sensitivity", {"figure": "sensitivity"}
        ),
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
