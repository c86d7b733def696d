"""Double-edge swaps, which change a graph and keep all degrees."""

from horde.kernels.jit import jit


@jit
def place_of(friend, row):
    """Return the place of `friend` in `row`, -1 if it is not there."""
    for k in range(len(row)):
        if row[k] == friend:
            return k
    return -1


@jit
def swap_edges(edges, indptr, friends, pairs, turned):
    """Swap the ends of pairs of edges wherever the graph stays simple; in place.

    Parameters
    ----------
    edges : int64 (m, 2)
        Edges between different users, each once.
    indptr, friends : int (n + 1,) and (2 m,)
        The same as compressed rows: user i's friends are ``friends[indptr[i]:indptr[i + 1]]``.
    pairs : int64 (s, 2)
        Numbers of the two edges of each swap.
    turned : bool (s,)
        Whether the second edge is read from its other end.
    """
    for s in range(len(pairs)):
        one, other = pairs[s, 0], pairs[s, 1]
        a, b = edges[one, 0], edges[one, 1]
        c, d = edges[other, 0], edges[other, 1]
        if turned[s]:
            c, d = d, c
        row = friends[indptr[a] : indptr[a + 1]]
        another = friends[indptr[c] : indptr[c + 1]]
        # One edge twice, or two with a common end, would give a loop or what is there already.
        if a == d or c == b or place_of(d, row) >= 0 or place_of(b, another) >= 0:
            continue
        row[place_of(b, row)] = d
        another[place_of(d, another)] = b
        row, another = friends[indptr[b] : indptr[b + 1]], friends[indptr[d] : indptr[d + 1]]
        row[place_of(a, row)] = c
        another[place_of(c, another)] = a
        edges[one, 1] = d
        edges[other, 0], edges[other, 1] = c, b
