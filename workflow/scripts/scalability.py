from pathlib import Path

from job import job

with job(snakemake):
    import pandas as pd

    from horde.files import read_json
    from horde.results import tables
    from horde.timing import tables as timing_tables

    parts = {Path(path).stem: read_json(path) for path in snakemake.input}
    points, graphs, degrees = (
        pd.DataFrame([row for part in parts.values() for row in part[name]])
        for name in ("points", "graphs", "degrees")
    )
    slopes = [
        timing_tables.slopes_table(which, snakemake.params.sweeps[which], part["points"])
        for which, part in parts.items()
    ]
    tables.write_csv(timing_tables.points_table(points), snakemake.output.points)
    tables.write_csv(pd.concat(slopes, ignore_index=True), snakemake.output.slopes)
    tables.write_csv(graphs, snakemake.output.graphs)
    tables.write_csv(degrees, snakemake.output.degrees)
