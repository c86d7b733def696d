"""Figures and pages that are made from the tables of results."""

import os

# A notebook's environment names a backend that need not be installed here; matplotlib then fails
# when it is imported. Figures are drawn by Agg and the PDF backend, whatever the variable says.
_backend = os.environ.pop("MPLBACKEND", None)
import matplotlib  # noqa: E402, F401

if _backend is not None:
    os.environ["MPLBACKEND"] = _backend
