from job import job

with job(snakemake) as log:
    from pathlib import Path

    from horde import files, tables
    from horde.data import source_files
    from horde.figures import regret

    params = snakemake.params
    source = source_files.read(snakemake.input.source)
    regret.draw(
        tables.read_regret(snakemake.input.table, params.dataset),
        params.dataset,
        snakemake.output.pdf,
        snakemake.output.png,
        label=params.label,
        settings=params.settings,
        generated=source["kind"] == "generated",
        caption={
            "data": source["statement"],
            "tuned_values": {
                Path(choice).stem: files.read_json(choice)["settings"]
                for choice in snakemake.input.tuning
            },
        },
    )
