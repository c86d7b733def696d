# Hyper-parameters, chosen on the validation stream: one job for a dataset and a policy. A
# checkpoint, so that runs depend on what was chosen and not on how: a wider grid that changes no
# choice reruns no run.


checkpoint tune:
    input:
        dataset=f"{RESULTS}/data/{{dataset}}/dataset.npz",
    output:
        choice=f"{RESULTS}/tuning/{{dataset}}/{{policy}}.json",
    log:
        f"{RESULTS}/logs/tune/{{dataset}}/{{policy}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/tune/{{dataset}}/{{policy}}.tsv"
    # The longest jobs wait for it, which Snakemake learns only when it is done.
    priority: 2
    conda:
        "../envs/horde.yml"
    params:
        validation=lambda wildcards: plan.validation(config, wildcards.policy),
        grids=lambda wildcards: plan.grids(config, wildcards.policy),
        code=lambda wildcards: code("tune.py", wildcards.policy),
        # Each point's score is kept here by its content, and is not computed again.
        points=subpath(output.choice, ancestor=2),
    script:
        "../scripts/tune.py"
