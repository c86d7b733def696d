"""From archives to canonical tables: acquisition, checks, loaders, generated data."""
