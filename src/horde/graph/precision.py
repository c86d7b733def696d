"""Graphs of users, and the prior precision matrices made from them (Section 3.1)."""

import hashlib
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from horde.checks import outside
from horde.errors import ConfigError


@dataclass(frozen=True)
class Precision:
    """The n x n prior precision over users: L of eq. (org-loss), or a learned V.

    The prior over all preferences is N(0, (lambda L kron I_d)^-1). Stored as its diagonal and its
    off-diagonal part in compressed sparse rows, the layout that the kernels read.

    Attributes
    ----------
    diagonal : ndarray of float64, shape (n,)
        L_ii, positive.
    indptr : ndarray of int64, shape (n + 1,)
        Row i's entries are at ``indptr[i]:indptr[i + 1]``.
    indices : ndarray of int32, shape (nnz,)
        Columns, ascending within a row, never the row itself.
    weights : ndarray of float64, shape (nnz,)
        L_ij; symmetric. For a Laplacian, -a_ij/sqrt(deg_i deg_j), a_ij = 1 without weights.
    """

    diagonal: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray

    @property
    def n_users(self) -> int:
        """Number of users n."""
        return len(self.diagonal)

    @property
    def n_edges(self) -> int:
        """Number of undirected edges."""
        return len(self.indices) // 2

    def to_scipy(self) -> sparse.csr_matrix:
        """Return the whole matrix, diagonal included, as a scipy sparse matrix."""
        n = self.n_users
        off = sparse.csr_matrix((self.weights, self.indices, self.indptr), shape=(n, n))
        return off + sparse.diags(self.diagonal, format="csr")

    @classmethod
    def from_scipy(cls, matrix: sparse.spmatrix) -> "Precision":
        """Split a symmetric sparse matrix into diagonal and off-diagonal part.

        Raises
        ------
        ConfigError
            If the matrix is not square, finite and symmetric, or its diagonal not positive.
        """
        matrix = sparse.csr_matrix(matrix)
        if matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix.data).all():
            raise ConfigError(
                f"A precision matrix must be square and finite; this one has shape {matrix.shape}."
            )
        diagonal = np.asarray(matrix.diagonal(), dtype=np.float64)
        # Symmetric but for rounding.
        asymmetry = abs(matrix - matrix.T).max()
        if not (diagonal > 0).all() or asymmetry > 1e-9 * abs(matrix).max():
            raise ConfigError("A precision matrix must be symmetric, with a positive diagonal.")
        off = sparse.csr_matrix(matrix - sparse.diags(diagonal))
        off.eliminate_zeros()
        off.sort_indices()
        return cls(
            diagonal,
            off.indptr.astype(np.int64),
            off.indices.astype(np.int32),
            off.data.astype(np.float64),
        )

    @property
    def digest(self) -> str:
        """Return a digest of the matrix."""
        found = hashlib.sha256()
        for array in (self.diagonal, self.indptr, self.indices, self.weights):
            found.update(np.ascontiguousarray(array))
        return found.hexdigest()[:12]


def adjacency(
    edges: np.ndarray, n_users: int, weights: np.ndarray | None = None
) -> sparse.csr_matrix:
    """Build the symmetric adjacency matrix of an undirected graph.

    Parameters
    ----------
    edges : ndarray of int, shape (m, 2)
        Pairs of users; direction and self-loops are ignored.
    n_users : int
        Number of users n.
    weights : ndarray of float64, shape (m,), optional
        Positive weight of each pair. Those of a repeated pair add up; without weights, every entry
        is 1.

    Returns
    -------
    scipy.sparse.csr_matrix, shape (n, n)

    Raises
    ------
    ConfigError
        If an edge does not join two of the users.
    """
    edges = np.asarray(edges).reshape(-1, 2)
    if len(edges) and (edges.dtype.kind not in "iu" or outside(edges, n_users)):
        raise ConfigError(f"Edges must be pairs of whole numbers from 0 to {n_users - 1}: users.")
    entries = np.ones(len(edges)) if weights is None else np.asarray(weights, dtype=np.float64)
    proper = edges[:, 0] != edges[:, 1]
    if not proper.all():
        edges, entries = edges[proper], entries[proper]
    one, other = edges.T
    half = sparse.csr_matrix((entries, (one, other)), shape=(n_users, n_users))
    matrix = half + half.T.tocsr()
    if weights is None:
        matrix.data[:] = 1.0
    matrix.sort_indices()
    return matrix


def _fault(matrix: object) -> str:
    """Return why a matrix holds no friendships, or nothing."""
    if not sparse.issparse(matrix) or matrix.format != "csr":
        return "is no sparse matrix in CSR form"
    n, columns = matrix.shape
    if not ((matrix.data >= 0) & (matrix.data < np.inf)).all():
        return "has a weight that is no finite number from 0 on"
    if matrix.diagonal().any():
        return "makes a user a friend of himself"
    # A k and A^T k for different numbers k: a transpose would take as much memory as A.
    key = np.sqrt(np.arange(2.0, n + 2))
    if n != columns or not np.allclose(matrix @ key, matrix.T @ key, rtol=1e-9, atol=0):
        return f"({n} x {columns}) is not symmetric"
    return ""


def laplacian(adjacency: sparse.csr_matrix, *, normalised: bool = True) -> Precision:
    """Return L = L_G + I, with L_G the normalised Laplacian (footnote of Section 3.1), or D - A.

    A connected user has L_ii = 2 and L_ij = -a_ij/sqrt(deg_i deg_j), where a_ij is the weight of a
    friendship and deg_i = sum_j a_ij; an isolated user has a zero row in L_G, hence L_ii = 1.
    Unnormalised, L_ii = deg_i + 1 and L_ij = -a_ij.

    Parameters
    ----------
    adjacency : scipy.sparse.csr_matrix, shape (n, n)
        Symmetric, not negative, zero diagonal, as `adjacency` makes it.
    normalised : bool
        Whether to divide row and column i of D - A by sqrt(deg_i).

    Returns
    -------
    Precision
        Eigenvalues within [1, 3] if normalised, else at least 1.

    Raises
    ------
    ConfigError
        If the matrix is not of this kind.
    """
    if fault := _fault(adjacency):
        raise ConfigError(
            f"The matrix of friendships {fault}: make it with `adjacency(edges, n_users)`, which "
            "stores each friendship both ways."
        )
    n = adjacency.shape[0]
    friends = np.diff(adjacency.indptr)
    rows = np.repeat(np.arange(n), friends)
    # Without BLAS, as all that decides a pick.
    entries = adjacency.data.astype(np.float64, copy=False)
    degrees = np.bincount(rows, entries, minlength=n)
    if normalised:
        scale = 1.0 / np.sqrt(np.where(friends > 0, degrees, 1.0))
        diagonal = np.where(friends > 0, 2.0, 1.0)
        weights = -entries * (scale[rows] * scale[adjacency.indices])
    else:
        diagonal, weights = degrees + 1.0, -entries
    return Precision(
        diagonal,
        adjacency.indptr.astype(np.int64),
        adjacency.indices.astype(np.int32),
        weights,
    )


def identity(n_users: int) -> Precision:
    """Return the precision of the empty graph, L = I."""
    return Precision(
        np.ones(n_users),
        np.zeros(n_users + 1, dtype=np.int64),
        np.empty(0, dtype=np.int32),
        np.empty(0),
    )
