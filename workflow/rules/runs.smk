# One job a run: a dataset, a policy, its settings, a seed.


rule simulate:
    input:
        dataset=run_data,
    output:
        curve=f"{RESULTS}/runs/{{dataset}}/{{policy}}/{{setting}}/{{seed}}.npz",
        record=f"{RESULTS}/runs/{{dataset}}/{{policy}}/{{setting}}/{{seed}}.json",
        timing=f"{RESULTS}/timing/runs/{{dataset}}/{{policy}}/{{setting}}/{{seed}}.json",
    log:
        f"{RESULTS}/logs/simulate/{{dataset}}/{{policy}}/{{setting}}/{{seed}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/simulate/{{dataset}}/{{policy}}/{{setting}}/{{seed}}.tsv"
    conda:
        "../envs/horde.yml"
    params:
        experiment=run_experiment,
        code=lambda wildcards: code("simulate.py", wildcards.policy),
    script:
        "../scripts/simulate.py"
