# Stage 2: tuning, simulation, and averages over seeds.


# A checkpoint, so that runs depend only on the chosen values: a wider grid with the same choice reruns
# no run.
checkpoint tune:
    input:
        dataset=prepared_data,
    output:
        choice=f"{RESULTS}/tuning/{{dataset}}/{{policy}}.json",
    log:
        f"{RESULTS}/logs/tune/{{dataset}}/{{policy}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/tune/{{dataset}}/{{policy}}.tsv"
    # The longest jobs wait for tuning. Snakemake knows of them only after the checkpoint.
    priority: 2
    conda:
        "../envs/horde.yml"
    params:
        validation=lambda wildcards: plan.validation(
            config, wildcards.policy, wildcards.dataset
        ),
        grids=lambda wildcards: plan.grids(config, wildcards.policy),
        name=lambda wildcards: plan.preparation(config, wildcards.dataset)["name"],
        code=code_of_policy("tune.py"),
    script:
        "../scripts/tune.py"


rule simulate:
    input:
        dataset=run_data,
    output:
        curves=CURVES,
        record=RECORDS,
    log:
        f"{RESULTS}/logs/simulate/{{dataset}}/{{policy}}/{{variant}}/{{block}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/simulate/{{dataset}}/{{policy}}/{{variant}}/{{block}}.tsv"
    wildcard_constraints:
        variant=one_of(["tuned", *config["alternatives"]]),
    priority: lambda wildcards: int(is_long(wildcards))
    conda:
        "../envs/horde.yml"
    params:
        experiment=run_experiment,
        seeds=block_seeds,
        name=lambda wildcards: plan.preparation(config, wildcards.dataset)["name"],
        code=code_of_policy("simulate.py"),
    script:
        "../scripts/simulate.py"


# Separate rules, because a cluster profile can group only jobs that wait for the same tuning.
use rule simulate as simulate_paper with:
    wildcard_constraints:
        variant="paper",


use rule simulate as simulate_as_given with:
    wildcard_constraints:
        variant="as-given",


rule average:
    input:
        lambda wildcards: averaged(wildcards.table, wildcards.dataset),
    output:
        f"{RESULTS}/summary/{{table}}_{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/average/{{table}}_{{dataset}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/average/{{table}}_{{dataset}}.tsv"
    wildcard_constraints:
        table=one_of(AVERAGED),
        dataset=one_of(DATASETS),
    conda:
        "../envs/horde.yml"
    params:
        seeds=plan.seeds(config, "figure"),
        code=code("average.py"),
    script:
        "../scripts/average.py"


rule collect:
    input:
        lambda wildcards: [
            f"{RESULTS}/summary/{wildcards.table}_{dataset}.csv"
            for dataset in COLLECTED[wildcards.table]
        ],
    output:
        f"{RESULTS}/summary/{{table}}.csv",
    log:
        f"{RESULTS}/logs/collect/{{table}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/collect/{{table}}.tsv"
    wildcard_constraints:
        table=one_of(COLLECTED),
    conda:
        "../envs/horde.yml"
    params:
        datasets=lambda wildcards: COLLECTED[wildcards.table],
        regret=lambda wildcards: wildcards.table in AVERAGED,
        code=code("collect.py"),
    script:
        "../scripts/collect.py"


rule final:
    input:
        f"{RESULTS}/summary/{{table}}.csv",
    output:
        f"{RESULTS}/summary/final_{{table}}.csv",
    log:
        f"{RESULTS}/logs/final/{{table}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/final/{{table}}.tsv"
    wildcard_constraints:
        table=one_of(AVERAGED),
    conda:
        "../envs/horde.yml"
    params:
        datasets=lambda wildcards: COLLECTED[wildcards.table],
        code=code("final.py"),
    script:
        "../scripts/final.py"


rule timings:
    input:
        lambda wildcards: TIMED[wildcards.table],
    output:
        f"{RESULTS}/timing/{{table}}.csv",
    log:
        f"{RESULTS}/logs/timings/{{table}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/timings/{{table}}.tsv"
    wildcard_constraints:
        table=one_of(TIMED),
    conda:
        "../envs/horde.yml"
    params:
        code=code("timings.py"),
    script:
        "../scripts/timings.py"
