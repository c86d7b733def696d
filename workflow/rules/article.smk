# The article on the published results. It reads docs/results and nothing of a run, and its PDF stands there.
PUBLISHED = f"{workflow.basedir}/docs/results"
ARTICLE = f"{workflow.basedir}/docs/article"


rule article:
    input:
        results=published_files,
        template=f"{ARTICLE}/article.typ",
        parts=[
            f"{ARTICLE}/{name}"
            for name in ("style.typ", "remarks.yaml", "references.bib")
        ],
    output:
        f"{PUBLISHED}/article.pdf",
    log:
        f"{RESULTS}/logs/article.log",
    benchmark:
        f"{RESULTS}/timing/jobs/article/article.tsv"
    conda:
        "../envs/horde.yml"
    params:
        code=code("article.py"),
    script:
        "../scripts/article.py"
