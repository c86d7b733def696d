from job import job

with job(snakemake) as log:
    from horde.data import source_files
    from horde.data.features import prepare
    from horde.files import write_json

    tables, source = source_files.load(snakemake.input.tables, snakemake.input.source)
    dataset, summary = prepare(
        tables,
        snakemake.wildcards.dataset,
        source,
        **snakemake.params.features,
    )
    write_json(snakemake.output.summary, summary)
    dataset.save(snakemake.output.dataset)
