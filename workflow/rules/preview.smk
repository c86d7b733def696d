# A preview of the claims on regret, from the first seed of the figures. It is no verdict.


def preview_curves(_):
    """Return the runs, on the first block of the figures' seeds, that the claims compare."""
    first = run_files.block_name(plan.blocks(config, "figure")[0])
    wanted = [
        CURVES.format(**runs._asdict(), block=first)
        for runs in paper_claims.needed_runs(ASKED)
        if runs.dataset in DATASETS and runs.policy in config["policies"]
    ]
    if not wanted:
        raise WorkflowError(
            "There is nothing to preview: no claim of verdict.claims compares runs on a configured "
            "dataset. Add R to verdict.claims, and lastfm or delicious to datasets."
        )
    return wanted


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
