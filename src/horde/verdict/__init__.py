"""Judge the paper's claims by rules fixed in advance."""
