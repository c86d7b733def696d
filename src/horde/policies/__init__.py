"""Bandit policies; `registry` finds them by name."""
