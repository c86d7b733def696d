from job import job

with job(snakemake) as log:
    from horde.data import tables
    from horde.features import prepare
    from horde.files import read_json, write_json

    dataset, summary = prepare(
        tables.load(snakemake.input.tables),
        snakemake.wildcards.dataset,
        read_json(snakemake.input.source),
        **snakemake.params.features,
    )
    write_json(snakemake.output.summary, summary)
    dataset.save(snakemake.output.dataset)
