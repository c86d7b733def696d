"""From a configuration to results: the plan of jobs, simulations, tuning and their provenance."""
