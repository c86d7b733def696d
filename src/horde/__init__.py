"""Horde of Bandits: contextual bandits that share what they learn through a social graph."""

__version__ = "0.1.0"
