"""Compiled kernels: small pure functions over arrays. Every compiled function lives here."""
