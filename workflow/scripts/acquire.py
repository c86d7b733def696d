import os
import sys
from pathlib import Path

from job import job

with job(snakemake) as log:
    from horde.data.acquire import acquire
    from horde.data.tables import save

    tables, source = acquire(
        **snakemake.params.entry,
        hetrec_dir=os.environ.get("HETREC_DIR"),
        root=Path(snakemake.scriptdir).resolve().parents[1],
        generated_dir=Path(snakemake.input[0]).parent if snakemake.input else None,
        log=log,
    )
    for warning in source.get("warnings", ()):
        print(f"warning: {snakemake.wildcards.dataset}: {warning}", file=sys.stderr)
    save(tables, source, snakemake.output.tables, snakemake.output.source)
