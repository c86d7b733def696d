"""Streams of rounds, and the loop in which a policy plays them."""
