"""Seconds per round and memory: Figure 1 and `horde bench`."""
