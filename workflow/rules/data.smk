# Stage 1: from archives or tables to prepared datasets.


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
    wildcard_constraints:
        dataset=one_of(DATASETS),
    conda:
        "../envs/horde.yml"
    params:
        entry=lambda wildcards: plan.data_source(config, wildcards.dataset),
        known=lambda wildcards: plan.known_source(config, wildcards.dataset),
        # Time stamps of files do not matter.
        content=lambda wildcards: sources.content_digest(
            config["datasets"][wildcards.dataset],
            os.environ.get("HETREC_DIR"),
            root=workflow.basedir,
        ),
        code=code("acquire.py"),
    script:
        "../scripts/acquire.py"


rule prepare:
    input:
        unpack(prepared_from),
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
        preparation=lambda wildcards: plan.preparation(config, wildcards.dataset),
        code=code("prepare.py"),
    script:
        "../scripts/prepare.py"
