# One job a run: a dataset, a policy, its params, a seed.
OTHER_SETTINGS = ["tuned", *config["alternatives"]]


rule simulate:
    input:
        dataset=run_data,
    output:
        curve=f"{RESULTS}/runs/{{dataset}}/{{policy}}/{{variant}}/{{seed}}.npz",
        record=f"{RESULTS}/runs/{{dataset}}/{{policy}}/{{variant}}/{{seed}}.json",
        timing=f"{RESULTS}/timing/runs/{{dataset}}/{{policy}}/{{variant}}/{{seed}}.json",
    log:
        f"{RESULTS}/logs/simulate/{{dataset}}/{{policy}}/{{variant}}/{{seed}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/simulate/{{dataset}}/{{policy}}/{{variant}}/{{seed}}.tsv"
    wildcard_constraints:
        variant=one_of(OTHER_SETTINGS),
    conda:
        "../envs/horde.yml"
    params:
        experiment=run_experiment,
        code=lambda wildcards: code("simulate.py", wildcards.policy),
    script:
        "../scripts/simulate.py"


# With the paper's values a run waits for no tuning: a rule of its own, so that a cluster's profile
# can group what is ready together.
use rule simulate as simulate_paper with:
    wildcard_constraints:
        variant="paper",
