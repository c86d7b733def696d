# Figure B: the theorems, on synthetic data that meet their assumptions.
THEORY = {round(100 * share): share for share in config["theory"]["isolated"]}
THEORY_SETTINGS = plan.theory(config)
# The figure's runs, and those that judge the claims.
THEORY_RUNS = {
    kind: expand(
        f"{RESULTS}/summary/theory/{kind}/theory-isolated-{{isolated}}/{{policy}}.csv",
        isolated=THEORY,
        policy=THEORY_SETTINGS,
    )
    for kind in ("exploration", "verdict")
}


rule theory_runs:
    output:
        f"{RESULTS}/summary/theory/{{kind}}/theory-isolated-{{isolated}}/{{policy}}.csv",
    log:
        f"{RESULTS}/logs/theory/{{kind}}/{{isolated}}/{{policy}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/theory_runs/{{kind}}/{{isolated}}/{{policy}}.tsv"
    wildcard_constraints:
        isolated=one_of(map(str, THEORY)),
        kind=one_of(THEORY_RUNS),
    conda:
        "../envs/horde.yml"
    params:
        setup=plan.theory_setup(config),
        isolated=lambda wildcards: THEORY[int(wildcards.isolated)],
        params=lambda wildcards: THEORY_SETTINGS[wildcards.policy],
        seeds=lambda wildcards: plan.seeds(config, wildcards.kind),
        checkpoints=config["checkpoints"],
        code=code_of_policy("theory_runs.py"),
    script:
        "../scripts/theory_runs.py"


rule counterparts:
    output:
        f"{RESULTS}/summary/counterparts.csv",
    log:
        f"{RESULTS}/logs/theory/counterparts.log",
    benchmark:
        f"{RESULTS}/timing/jobs/counterparts/counterparts.tsv"
    conda:
        "../envs/horde.yml"
    params:
        setup=plan.theory_setup(config),
        params={"G-TS": {"scale": THEORY_SETTINGS["G-TS"]["scale"]}},
        seed=config["seeds"]["fresh"]["verdict"],
        pairs=plan.COUNTERPARTS,
        code=code("counterparts.py", *plan.COUNTERPARTS, *plan.COUNTERPARTS.values()),
    script:
        "../scripts/counterparts.py"


rule trace_bound:
    input:
        datasets=expand(f"{RESULTS}/data/{{dataset}}/dataset.npz", dataset=DATASETS),
    output:
        f"{RESULTS}/summary/trace_bound.csv",
    log:
        f"{RESULTS}/logs/theory/trace_bound.log",
    benchmark:
        f"{RESULTS}/timing/jobs/trace_bound/trace_bound.tsv"
    conda:
        "../envs/horde.yml"
    params:
        kronecker=config["theory"]["kronecker"],
        initiator=SCALABILITY["initiator"],
        seed=SCALABILITY["seed"],
        code=code("trace_bound.py"),
    script:
        "../scripts/trace_bound.py"


rule theory_figure:
    input:
        runs=THEORY_RUNS["exploration"],
        bound=f"{RESULTS}/summary/trace_bound.csv",
    output:
        **drawn("figB_theory", "theory", "5. Theory", {"figure": "figB_theory"}),
    log:
        f"{RESULTS}/logs/figures/figB_theory.log",
    benchmark:
        f"{RESULTS}/timing/jobs/theory_figure/figB_theory.tsv"
    conda:
        "../envs/horde.yml"
    params:
        setup=plan.theory_setup(config),
        isolated=config["theory"]["isolated"],
        demonstration=GENERATED,
        code=code("theory_figure.py"),
    script:
        "../scripts/theory_figure.py"


rule figB:
    input:
        figure_files("figB_theory"),
