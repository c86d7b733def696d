"""Results of finished runs: run files, tables, statistics."""
