import os
from pathlib import Path

from job import job

with job(snakemake) as log:
    from horde.data.acquire import acquire
    from horde.files import write_json

    tables, source = acquire(
        **snakemake.params.settings,
        hetrec_dir=os.environ.get("HETREC_DIR"),
        generated_dir=Path(snakemake.input[0]).parent if snakemake.input else None,
        log=log,
    )
    write_json(snakemake.output.source, source)
    tables.save(snakemake.output.tables)
