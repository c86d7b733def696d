# Figures 1a, 1b and 1c: seconds per round on synthetic problems.


rule measure_scalability:
    output:
        f"{RESULTS}/timing/scalability/{{which}}.json",
    log:
        f"{RESULTS}/logs/scalability/{{which}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/measure_scalability/{{which}}.tsv"
    # Before all other jobs: later, these never leave all cores free at once until the end.
    priority: 3
    conda:
        "../envs/horde.yml"
    # Reserve all cores, so that nothing else runs meanwhile: Snakemake lowers this number to --cores. The
    # job itself computes with one thread.
    threads: 4096
    params:
        sweeps=lambda wildcards: SCALABILITY["sweeps"][wildcards.which],
        params={
            key: SCALABILITY[key]
            for key in SCALABILITY
            if key not in ("sweeps", "capacity")
        },
        values=config["paper_values"],
        offered=config["offered"],
        code=lambda wildcards: code(
            "measure_scalability.py",
            *measured_policies(SCALABILITY["sweeps"][wildcards.which]),
        ),
    script:
        "../scripts/measure_scalability.py"


rule scalability:
    input:
        expand(
            f"{RESULTS}/timing/scalability/{{which}}.json",
            which=SCALABILITY_FIGURES.values(),
        ),
    output:
        points=f"{RESULTS}/timing/scalability.csv",
        slopes=f"{RESULTS}/timing/scalability_slopes.csv",
        graphs=f"{RESULTS}/summary/kronecker_graphs.csv",
        degrees=f"{RESULTS}/summary/kronecker_degrees.csv",
    log:
        f"{RESULTS}/logs/scalability/tables.log",
    benchmark:
        f"{RESULTS}/timing/jobs/scalability/tables.tsv"
    conda:
        "../envs/horde.yml"
    params:
        sweeps=SCALABILITY["sweeps"],
        code=code("scalability.py"),
    script:
        "../scripts/scalability.py"


rule capacity:
    output:
        f"{RESULTS}/summary/capacity.csv",
    log:
        f"{RESULTS}/logs/scalability/capacity.log",
    benchmark:
        f"{RESULTS}/timing/jobs/capacity/capacity.tsv"
    conda:
        "../envs/horde.yml"
    params:
        sweeps=sum(SCALABILITY["sweeps"].values(), []),
        capacity=SCALABILITY["capacity"],
        values=config["paper_values"],
        rounds=config["rounds"],
        code=code(
            "capacity.py", *measured_policies(sum(SCALABILITY["sweeps"].values(), []))
        ),
    script:
        "../scripts/capacity.py"


rule scalability_figure:
    input:
        lambda wildcards: (
            f"{RESULTS}/timing/scalability/"
            f"{SCALABILITY_FIGURES[wildcards.figure]}.json"
        ),
    output:
        **drawn(
            "{figure}",
            "scalability",
            "2. Figure 1: seconds per round",
            {"figure": "{figure}"},
        ),
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/scalability_figure/{{figure}}.tsv"
    wildcard_constraints:
        figure=one_of(SCALABILITY_FIGURES),
    conda:
        "../envs/horde.yml"
    params:
        which=lambda wildcards: SCALABILITY_FIGURES[wildcards.figure],
        sweeps=lambda wildcards: SCALABILITY["sweeps"][
            SCALABILITY_FIGURES[wildcards.figure]
        ],
        demonstration=GENERATED,
        code=code("scalability_figure.py"),
    script:
        "../scripts/scalability_figure.py"


rule fig1:
    input:
        figure_files(*SCALABILITY_FIGURES),
        f"{RESULTS}/timing/scalability.csv",
        f"{RESULTS}/summary/capacity.csv",
