# The paper's claims, judged on fresh seeds by the rules of workflow/claims.yaml.
from horde.verdict import claims as paper_claims
from horde.verdict import history, needs

CLAIMS = f"{workflow.basedir}/workflow/claims.yaml"
try:
    ASKED = needs.select(paper_claims.load(CLAIMS), config["verdict"]["claims"])
except ConfigError as error:
    raise WorkflowError(str(error))

VERDICT_TABLES = {name: f"{RESULTS}/{place}" for name, place in needs.TABLES.items()}
# Made from datasets that a configuration may leave out; the claims on them are "not run" then.
OPTIONAL_TABLES = {"graph_learning": timed_learning("timing"), "picks": PICKED}
ASKED_TABLES = [
    name
    for name in needs.tables(ASKED)
    if name in VERDICT_TABLES and OPTIONAL_TABLES.get(name, True)
]
ASKED_THEORY = any(runs.variant == "theory" for runs in needs.runs(ASKED))
FRESH = {
    runs: seeds
    for runs, seeds in needs.runs(ASKED).items()
    if runs.dataset in config["datasets"] and runs.policy in config["policies"]
}


rule fresh:
    input:
        dataset=run_data,
    output:
        f"{RESULTS}/summary/fresh/{{dataset}}/{{policy}}/{{variant}}.csv",
    log:
        f"{RESULTS}/logs/fresh/{{dataset}}/{{policy}}/{{variant}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/fresh/{{dataset}}/{{policy}}/{{variant}}.tsv"
    # The longest jobs first, so that none is left alone at the end.
    priority: 1
    conda:
        "../envs/horde.yml"
    params:
        experiment=run_experiment,
        seeds=fresh_seeds_of,
        code=lambda wildcards: code("fresh.py", wildcards.policy),
        # Each seed's run is kept, and made again only if its own params, data or code change.
        runs=lambda wildcards: f"{RESULTS}/fresh/{'/'.join(wildcards)}",
        timing=lambda wildcards: f"{RESULTS}/timing/fresh/{'/'.join(wildcards)}",
    script:
        "../scripts/fresh.py"


rule tuning_table:
    input:
        [
            f"{RESULTS}/tuning/{dataset}/{policy}.json"
            for dataset, policy in needs.tuned(ASKED)
            if dataset in config["datasets"] and policy in config["policies"]
        ],
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


rule picks_of_dataset:
    input:
        dataset=run_data,
    output:
        f"{RESULTS}/picks/{{dataset}}/{{policy}}/{{variant}}.csv",
    log:
        f"{RESULTS}/logs/picks/{{dataset}}/{{policy}}/{{variant}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/picks_of_dataset/{{dataset}}/{{policy}}/{{variant}}.tsv"
    conda:
        "../envs/horde.yml"
    params:
        experiment=run_experiment,
        code=lambda wildcards: code("picks.py", wildcards.policy),
    script:
        "../scripts/picks.py"


rule picks:
    input:
        PICKED,
    output:
        f"{RESULTS}/summary/picks.csv",
    log:
        f"{RESULTS}/logs/picks/all.log",
    benchmark:
        f"{RESULTS}/timing/jobs/picks/all.tsv"
    conda:
        "../envs/horde.yml"
    params:
        code=code("concatenate.py"),
    script:
        "../scripts/concatenate.py"


rule judge:
    input:
        **{name: VERDICT_TABLES[name] for name in ASKED_TABLES},
        claims=CLAIMS,
        runs=[f"{RESULTS}/summary/fresh/{'/'.join(runs)}.csv" for runs in FRESH]
        + (THEORY_RUNS if ASKED_THEORY else []),
    output:
        verdict=f"{RESULTS}/verdict.csv",
        timing=f"{RESULTS}/timing/verdict_timing.csv",
        beside=f"{RESULTS}/timing/verdict_beside.csv",
        runs=f"{RESULTS}/summary/verdict_runs.csv",
        curves=f"{RESULTS}/summary/verdict_curves.csv",
    log:
        f"{RESULTS}/logs/verdict/judge.log",
    benchmark:
        f"{RESULTS}/timing/jobs/judge/judge.tsv"
    conda:
        "../envs/horde.yml"
    params:
        asked=config["verdict"]["claims"],
        seeds={kind: plan.fresh_seeds(config, kind) for kind in ("verdict", "learning")},
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
        beside=rules.judge.output.beside,
        runs=rules.judge.output.runs,
        curves=rules.judge.output.curves,
        sources=[
            f"{RESULTS}/data/{dataset}/source.json"
            for dataset in dict.fromkeys(runs.dataset for runs in FRESH)
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
        told=lambda wildcards: {
            "run": config["run"],
            "generated": GENERATED,
            "seeds": {
                kind: plan.fresh_seeds(config, kind)
                for kind in ("verdict", "learning")
            },
            "changes": history.changes(CLAIMS),
        },
        tables=ASKED_TABLES,
        figures=FIGURES,
        code=code("verdict_page.py"),
    script:
        "../scripts/verdict_page.py"


rule verdict:
    input:
        rules.judge.output,
        rules.verdict_page.output,
