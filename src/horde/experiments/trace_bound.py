"""The paper's bound on Tr(L^-1)/n by the second smallest eigenvalue (Section 4.1; claim B4).

The paper calls nu_2 an eigenvalue "of the Laplacian", which can be read in three ways.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from scipy import sparse

from horde.graph.precision import adjacency, laplacian

COLUMNS = ["graph", "n", "edges", "reading", "nu_2", "trace_over_n", "bound", "slack"]
READINGS = ("L", "L_G", "unnormalised")
# Eigenvalues are known to about 1e-14; what is printed must not depend on the linear algebra.
DECIMALS = 9


def table(graphs: Mapping[str, sparse.csr_matrix]) -> pd.DataFrame:
    """Hold Tr(L^-1)/n against (1 - 1/n)/nu_2 + 1/n.

    Parameters
    ----------
    graphs : mapping of str to scipy.sparse.csr_matrix
        Adjacency matrices of two users or more, small enough for dense eigenvalues.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, a row a graph and reading: ``nu_2`` is an eigenvalue of L = L_G + I, of
        L_G, or of the unnormalised Laplacian; ``slack`` is the bound less Tr(L^-1)/n, infinite
        where nu_2 is 0.
    """
    rows = [row for name, graph in graphs.items() for row in _rows(name, graph)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(name: str, graph: sparse.csr_matrix) -> Iterator[tuple]:
    n = graph.shape[0]
    eigenvalues = np.linalg.eigvalsh(laplacian(graph).to_scipy().toarray())
    trace = float((1 / eigenvalues).sum() / n)
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    unnormalised = np.linalg.eigvalsh(np.diag(degrees) - graph.toarray())
    second = (eigenvalues[1], eigenvalues[1] - 1, unnormalised[1])
    for reading, exact in zip(READINGS, second, strict=True):
        nu = round(max(float(exact), 0.0), DECIMALS)
        bound = (1 - 1 / n) / float(exact) + 1 / n if nu > 0 else np.inf
        numbers = (round(number, DECIMALS) + 0.0 for number in (nu, trace, bound, bound - trace))
        yield (name, n, graph.nnz // 2, reading, *numbers)


def examples() -> dict[str, sparse.csr_matrix]:
    """Return small graphs whose spectra are known: complete, star, ring, path, pairs, empty."""
    n = 20
    ring = np.column_stack([np.arange(n), (np.arange(n) + 1) % n])
    edges = {
        "complete": np.column_stack(np.triu_indices(n, k=1)),
        "star": np.column_stack([np.zeros(n - 1, dtype=int), np.arange(1, n)]),
        "ring": ring,
        "path": ring[:-1],
        "pairs": ring[::2],
        "empty": np.empty((0, 2), dtype=int),
    }
    return {f"{name} of {n}": adjacency(pairs, n) for name, pairs in edges.items()}
