from job import job

with job(snakemake):
    from horde.verdict import claims, from_files

    from_files.judge_files(
        claims.load(snakemake.input.claims),
        snakemake.params.asked,
        snakemake.params.seeds,
        snakemake.input.get("runs", []),
        {name: snakemake.input[name] for name in snakemake.params.tables},
        from_files.Outputs(**snakemake.output),
    )
