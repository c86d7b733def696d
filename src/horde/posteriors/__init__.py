"""Gaussian posteriors over the users' preferences: what the policies choose with."""
