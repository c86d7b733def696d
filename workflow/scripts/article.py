from job import job

with job(snakemake):
    from pathlib import Path

    from horde import files
    from horde.article import typeset

    (path,) = map(Path, snakemake.output)
    files.write_bytes(path, typeset(snakemake.input.template, path.parent))
