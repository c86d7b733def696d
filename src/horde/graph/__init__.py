"""Graphs of users: precision matrices, statistics, generators, the graphical lasso."""
