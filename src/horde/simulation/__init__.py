"""Streams of rounds, and the loop that plays a policy on them."""
