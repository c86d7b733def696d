# Stage 2: tuning, simulation, and averages over seeds.

# Datasets and policies of each table of regret.
AVERAGED = {
    "regret": (DATASETS, config["figures"]["regret"]),
    "learning": (
        [*plan.learning_figures(config).values()],
        {"variants": ["tuned"], **config["figures"]["learning"]},
    ),
}
# Tables that are collected from one part per dataset, and these datasets.
COLLECTED = {
    **{table: datasets for table, (datasets, _) in AVERAGED.items()},
    "learned_graph": AVERAGED["learning"][0],
    "picks": [name for name in ("lastfm", "delicious") if name in DATASETS],
}
LEARNERS = plan.learners(config)


def tuned_choice(dataset, policy):
    """Return the tuned hyper-parameters of a policy; empty if the policy has none."""
    grids = plan.grids(config, policy)
    if not grids:
        return {}
    chosen = checkpoints.tune.get(dataset=dataset, policy=policy).output.choice
    try:
        return tuning.read(chosen, grids).params
    except DataError as error:
        raise WorkflowError(str(error))


def run_data(wildcards):
    """Return the prepared dataset, after waiting for the tuned hyper-parameters."""
    if wildcards.variant != "paper":
        tuned_choice(wildcards.dataset, wildcards.policy)
    return f"{RESULTS}/data/{wildcards.dataset}/dataset.npz"


def run_experiment(wildcards):
    """Return the arguments of horde.experiments.run.Experiment for these runs."""
    policy, variant = wildcards.policy, wildcards.variant
    chosen = tuned_choice(wildcards.dataset, policy) if variant != "paper" else {}
    return plan.experiment(config, policy, variant, chosen)


def is_long(wildcards):
    """Return whether a block takes long. Long blocks start first, so that none runs alone at the end."""
    return wildcards.policy in plan.LEARNERS or (
        plan.all_params(config, wildcards.policy, wildcards.variant, {}).get("solver")
        == "cg"
    )


def averaged(table, dataset, pattern=CURVES):
    """Return the files of the runs that a table of regret averages on a dataset."""
    wanted = AVERAGED[table][1]
    return blocks_of(
        pattern, "figure", [dataset], wanted["policies"], wanted["variants"]
    )


def timed_learning(pattern):
    """Return the runs whose seconds per round are compared (claim L8): the figure's, and fresh ones."""
    compared = [*LEARNERS, "G-EG"]
    if "delicious" not in DATASETS or not LEARNERS:
        return []
    fresh = {
        variant: [
            policy
            for policy in config["alternatives"].get(variant, {}).get("policies", {})
            if policy in compared
        ]
        for variant in ("five-cg", "five-cg-1000")
    }
    return blocks_of(pattern, "figure", ["delicious"], compared, ["tuned"]) + [
        path
        for variant, policies in fresh.items()
        for path in blocks_of(pattern, "learning", ["delicious"], policies, [variant])
    ]


TIMED = {
    "runs": [
        path for dataset in DATASETS for path in averaged("regret", dataset, RECORDS)
    ],
    "graph_learning": timed_learning(RECORDS),
}


# A checkpoint, so that runs depend only on the chosen values: a wider grid with the same choice reruns
# no run.
checkpoint tune:
    input:
        dataset=f"{RESULTS}/data/{{dataset}}/dataset.npz",
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
        validation=lambda wildcards: plan.validation(config, wildcards.policy),
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
        seeds=lambda wildcards: run_files.block_seeds(wildcards.block),
        name=lambda wildcards: plan.preparation(config, wildcards.dataset)["name"],
        code=code_of_policy("simulate.py"),
    script:
        "../scripts/simulate.py"


# A separate rule, because a cluster profile can group only jobs that wait for the same tuning.
use rule simulate as simulate_paper with:
    wildcard_constraints:
        variant="paper",


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
