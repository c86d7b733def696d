import sys

from job import job

with job(snakemake):
    from horde.data.features import prepare
    from horde.data.tables import load
    from horde.files import write_json

    tables, source = load(snakemake.input.tables, snakemake.input.source)
    preparation = snakemake.params.preparation
    dataset, summary = prepare(tables, preparation["name"], source, **preparation["features"])
    for warning in summary["warnings"]:
        if warning not in source.get("warnings", ()):
            print(f"warning: {preparation['name']}: {warning}", file=sys.stderr)
    write_json(snakemake.output.summary, summary)
    dataset.save(snakemake.output.dataset)
