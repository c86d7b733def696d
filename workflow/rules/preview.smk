# A preview of the claims on regret, from the first seed of the figures. It is no verdict.


rule preview:
    input:
        claims=CLAIMS,
        curves=preview_curves,
        sources=rules.verdict_page.input.sources,
    output:
        table=f"{RESULTS}/summary/preview.csv",
        page=report(
            f"{RESULTS}/preview.html",
            caption="../report/preview.rst",
            category="1. Preview, no verdict",
            labels={"page": "the claims on regret"},
        ),
    log:
        f"{RESULTS}/logs/verdict/preview.log",
    benchmark:
        f"{RESULTS}/timing/jobs/preview/preview.tsv"
    conda:
        "../envs/horde.yml"
    params:
        asked=config["verdict"]["claims"],
        page={
            "run": config["run"],
            "generated": GENERATED,
            "rounds": config["rounds"],
            "seed": plan.seeds(config, "figure")[0],
        },
        code=code("preview.py"),
    script:
        "../scripts/preview.py"
