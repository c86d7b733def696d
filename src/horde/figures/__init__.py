"""The figures, drawn from summary tables only."""
