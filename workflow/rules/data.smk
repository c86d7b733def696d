# From archives to prepared datasets.


rule generate:
    output:
        zip=f"{RESULTS}/archives/{{archive}}.zip",
        declaration=f"{RESULTS}/archives/{{archive}}.json",
    log:
        f"{RESULTS}/logs/generate/{{archive}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/generate/{{archive}}.tsv"
    conda:
        "../envs/horde.yml"
    params:
        seed=config["generate"]["seed"],
        size=lambda wildcards: config["generate"][wildcards.archive],
        code=code("generate.py"),
    script:
        "../scripts/generate.py"


rule acquire:
    input:
        tables_source,
    output:
        tables=f"{RESULTS}/data/{{dataset}}/tables.npz",
        source=f"{RESULTS}/data/{{dataset}}/source.json",
    log:
        f"{RESULTS}/logs/acquire/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/acquire/{{dataset}}.tsv"
    conda:
        "../envs/horde.yml"
    params:
        params=lambda wildcards: plan.data_source(config, wildcards.dataset),
        known=lambda wildcards: plan.known_source(config, wildcards.dataset),
        code=code("acquire.py"),
    script:
        "../scripts/acquire.py"


rule prepare:
    input:
        tables=f"{RESULTS}/data/{{dataset}}/tables.npz",
        source=f"{RESULTS}/data/{{dataset}}/source.json",
    output:
        dataset=f"{RESULTS}/data/{{dataset}}/dataset.npz",
        summary=f"{RESULTS}/data/{{dataset}}/summary.json",
    log:
        f"{RESULTS}/logs/prepare/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/prepare/{{dataset}}.tsv"
    conda:
        "../envs/horde.yml"
    params:
        features=config["features"],
        code=code("prepare.py"),
    script:
        "../scripts/prepare.py"
