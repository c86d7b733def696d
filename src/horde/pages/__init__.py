"""Self-contained HTML pages made from summary tables only."""
