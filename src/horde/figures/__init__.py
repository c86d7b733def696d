"""Figures and pages, drawn from the tables of results."""

import os

# A notebook may set a backend that is not installed here; then importing matplotlib fails. Figures
# always use Agg and the PDF backend.
_backend = os.environ.pop("MPLBACKEND", None)
import matplotlib  # noqa: E402, F401

if _backend is not None:
    os.environ["MPLBACKEND"] = _backend
