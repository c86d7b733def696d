# One job a run: a dataset, a policy, its settings, a seed.


def run_data(wildcards):
    """The prepared dataset, once the settings are known."""
    if wildcards.setting == "tuned":
        tuned_choice(wildcards.dataset, wildcards.policy)
    return f"{RESULTS}/data/{wildcards.dataset}/dataset.npz"


def run_experiment(wildcards):
    """What makes the run, as horde.experiment.Experiment takes it."""
    policy, setting, seed = wildcards.policy, wildcards.setting, int(wildcards.seed)
    chosen = tuned_choice(wildcards.dataset, policy) if setting == "tuned" else {}
    return plan.experiment(config, policy, setting, seed, chosen)


rule simulate:
    input:
        dataset=run_data,
    output:
        curve=f"{RESULTS}/runs/{{dataset}}/{{policy}}/{{setting}}/{{seed}}.npz",
        record=f"{RESULTS}/runs/{{dataset}}/{{policy}}/{{setting}}/{{seed}}.json",
        timing=f"{RESULTS}/timing/runs/{{dataset}}/{{policy}}/{{setting}}/{{seed}}.json",
    log:
        f"{RESULTS}/logs/simulate/{{dataset}}/{{policy}}/{{setting}}/{{seed}}.log",
    conda:
        "../envs/horde.yml"
    params:
        experiment=run_experiment,
        code=lambda wildcards: code("simulate.py", wildcards.policy),
    script:
        "../scripts/simulate.py"


def runs(kind, datasets, policies, settings, seeds):
    """Files of one kind (curve or timing) of all these runs."""
    folder = {"curve": "runs", "timing": "timing/runs"}[kind]
    ending = {"curve": "npz", "timing": "json"}[kind]
    return [
        f"{RESULTS}/{folder}/{dataset}/{policy}/{setting}/{seed}.{ending}"
        for dataset in datasets
        for policy in policies
        for setting in plan.settings_of(policy, settings)
        for seed in range(seeds)
    ]
