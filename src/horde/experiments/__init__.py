"""From a configuration to results: plan the jobs, tune, run and record the provenance."""
