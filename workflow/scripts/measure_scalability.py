from job import job

with job(snakemake) as log:
    from horde.files import write_json
    from horde.timing.scalability import measure_figure

    params = snakemake.params
    measured = measure_figure(
        snakemake.wildcards.which,
        params.sweeps,
        params.params,
        params.values,
        params.offered,
        log,
    )
    write_json(snakemake.output[0], measured)
