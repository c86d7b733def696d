"""What finished runs left: run files, tables, statistics."""
