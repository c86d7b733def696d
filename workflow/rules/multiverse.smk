# The multiverse: the claims on regret under every listed combination of choices that the paper leaves open.
# A job plays a part: the specifications with the same data and seeds. Nothing but `multiverse` asks for it.
from horde.experiments import specifications

SPECIFICATIONS = f"{workflow.basedir}/workflow/multiverse.csv"
with without_traceback():
    PARTS = specifications.parts(
        specifications.read(SPECIFICATIONS, config["multiverse"]["specifications"]),
        [name for name in config["multiverse"]["datasets"] if name in DATASETS],
    )
PART = f"{RESULTS}/multiverse/{{dataset}}/{{part}}.csv"
MULTIVERSE = {
    "runs": f"{RESULTS}/summary/multiverse.csv",
    "verdicts": f"{RESULTS}/summary/multiverse_verdicts.csv",
    "claims": f"{RESULTS}/summary/multiverse_claims.csv",
    "effects": f"{RESULTS}/summary/multiverse_effects.csv",
}


rule multiverse_part:
    input:
        unpack(prepared_from),
    output:
        PART,
    log:
        f"{RESULTS}/logs/multiverse/{{dataset}}/{{part}}.log",
    benchmark:
        f"{RESULTS}/timing/jobs/multiverse/{{dataset}}/{{part}}.tsv"
    wildcard_constraints:
        dataset=one_of(dataset for dataset, _ in PARTS),
        part=one_of(part for _, part in PARTS),
    # Parts that learn graphs take longest, so they start first.
    priority: lambda wildcards: int(claims_of_part(wildcards) == "L")
    conda:
        "../envs/horde.yml"
    params:
        specifications=lambda wildcards: PARTS[wildcards.dataset, wildcards.part],
        dimension=config["features"]["dimension"],
        setup=multiverse_setup,
        code=lambda wildcards: code(
            "multiverse_part.py",
            *dict(multiverse_setup(wildcards)["fixed"]),
        ),
    script:
        "../scripts/multiverse_part.py"


rule multiverse_tables:
    input:
        claims=CLAIMS,
        specifications=SPECIFICATIONS,
        parts=multiverse_parts,
    output:
        **MULTIVERSE,
    log:
        f"{RESULTS}/logs/multiverse/tables.log",
    benchmark:
        f"{RESULTS}/timing/jobs/multiverse_tables/tables.tsv"
    conda:
        "../envs/horde.yml"
    params:
        names=config["multiverse"]["specifications"],
        code=code("multiverse_tables.py"),
    script:
        "../scripts/multiverse_tables.py"


rule multiverse_figure:
    input:
        claims=MULTIVERSE["claims"],
        effects=MULTIVERSE["effects"],
    output:
        **drawn(
            "figM_multiverse", "multiverse", "7. Multiverse", {"figure": "all claims"}
        ),
    log:
        f"{RESULTS}/logs/figures/figM_multiverse.log",
    benchmark:
        f"{RESULTS}/timing/jobs/multiverse_figure/multiverse.tsv"
    conda:
        "../envs/horde.yml"
    params:
        generated=GENERATED,
        code=code("multiverse_figure.py"),
    script:
        "../scripts/multiverse_figure.py"


# One specification curve per claim, and the page to explore them all.
rule multiverse_curves:
    input:
        verdicts=MULTIVERSE["verdicts"],
        specifications=SPECIFICATIONS,
        claims=CLAIMS,
    output:
        curves=report(
            directory(f"{FIGURES}/multiverse"),
            patterns=["{claim}.png"],
            caption="../report/multiverse.rst",
            category="7. Multiverse",
            labels={"figure": "{claim}"},
        ),
        page=report(
            f"{FIGURES}/multiverse.html",
            caption="../report/multiverse.rst",
            category="7. Multiverse",
            labels={"figure": "interactive, all claims"},
        ),
    log:
        f"{RESULTS}/logs/figures/multiverse_curves.log",
    benchmark:
        f"{RESULTS}/timing/jobs/multiverse_curves/curves.tsv"
    conda:
        "../envs/horde.yml"
    params:
        names=config["multiverse"]["specifications"],
        run=config["run"],
        generated=GENERATED,
        code=code("multiverse_curves.py"),
    script:
        "../scripts/multiverse_curves.py"


rule multiverse:
    input:
        rules.multiverse_tables.output,
        rules.multiverse_figure.output,
        rules.multiverse_curves.output,
