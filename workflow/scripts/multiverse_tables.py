from job import job

with job(snakemake):
    import pandas as pd

    from horde.experiments.multiverse import CURVE_COLUMNS
    from horde.experiments.specifications import CHOICES, read
    from horde.results.tables import read_csv, write_csv
    from horde.verdict import claims, multiverse

    given, output = snakemake.input, snakemake.output
    specifications = pd.DataFrame(read(given.specifications, snakemake.params.names))
    curves = pd.concat([read_csv(path, CURVE_COLUMNS) for path in given.parts])
    asked = claims.load(given.claims).values()
    verdicts = multiverse.judged(asked, specifications, curves)
    write_csv(multiverse.final_ratios(curves), output.runs)
    write_csv(verdicts, output.verdicts)
    write_csv(multiverse.shares(asked, specifications, verdicts), output.claims)
    write_csv(multiverse.effects(specifications, verdicts, CHOICES), output.effects)
