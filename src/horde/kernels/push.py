"""Local repair of the mean: block Gauss-Seidel on the users whose correction matters.

The residual R = b/sigma^2 - P w is kept for ever. *Pushing* user i adds its correction
delta = M_i^-1 R_i to w_i, clears R_i and hands -Lambda_ik delta to every neighbour k. Corrections
below the threshold stay in R and are pushed once they have added up.

``bound[k]`` is an upper bound on |M_k^-1 R_k|: a push raises it by |Lambda_ik| |delta| / Lambda_kk,
since M_k is at least Lambda_kk I. The d^2 work of an exact correction is paid only where the bound
exceeds the threshold, so the thousands of neighbours of a hub cost d numbers each.

Arguments shared by these kernels:

state : tuple (w (n, d), r (n, d), bound (n,), totals (3,))
    `totals` holds the sum of |w_j|^2, the number of users whose w_j has left zero, and the number
    of pushes made.
local : tuple (slot (n,), inverses (m, d, d), prior, queue int32 (n,), queued bool (n,))
    M_i^-1 by slot, the prior (see `horde.kernels.precision`) and an empty queue.
"""

import numpy as np

from horde.kernels.jit import jit
from horde.kernels.precision import learn
from horde.kernels.small import add_symmetric_times, dot, downdate_inverse


@jit
def typical_norm(totals):
    """Return the rms of |w_j| over the users whose mean has left zero; 0 before the first."""
    return np.sqrt(totals[0] / totals[1]) if totals[1] > 0.0 else 0.0


@jit
def correction(user, state, local, delta):
    """Write M_i^-1 R_i into `delta` (d,), record its norm as the bound, and return it."""
    r, bound = state[1], state[2]
    slot, inverses, prior = local[0], local[1], local[2]
    if slot[user] >= 0:
        delta[:] = 0.0
        add_symmetric_times(delta, inverses[slot[user]], r[user])
    else:
        for k in range(len(delta)):
            delta[k] = r[user, k] / prior[0][user]
    bound[user] = np.sqrt(dot(delta, delta))
    return bound[user]


@jit
def move(user, state, delta):
    """Add `delta` to the user's mean, clear its residual and keep the totals."""
    w, r, bound, totals = state
    here = w[user]
    if not here.any():
        totals[1] += 1.0
    before = dot(here, here)
    for k in range(len(delta)):
        here[k] += delta[k]
        r[user, k] = 0.0
    totals[0] += dot(here, here) - before
    totals[2] += 1.0
    bound[user] = 0.0


@jit
def hand_on(user, state, local, delta, norm, threshold, tail):
    """Hand -Lambda_ik delta to the neighbours k, queue those now above the threshold.

    `tail` is the number of users ever put into the (circular) queue; returned, updated.
    """
    r, bound = state[1], state[2]
    prior, queue, queued = local[2], local[3], local[4]
    diagonal, indptr, indices, weights = prior
    for e in range(indptr[user], indptr[user + 1]):
        j, weight = indices[e], weights[e]
        row = r[j]
        for k in range(len(delta)):
            row[k] -= weight * delta[k]
        bound[j] += abs(weight) * norm / diagonal[j]
        if bound[j] > threshold and not queued[j]:
            queued[j] = True
            queue[tail % len(queue)] = j
            tail += 1
    return tail


@jit
def drain(head, tail, state, local, delta, threshold):
    """Push queued users, and those whom that queues, until every bound is within the threshold."""
    queue, queued = local[3], local[4]
    while head < tail:
        user = queue[head % len(queue)]
        head += 1
        queued[user] = False
        norm = correction(user, state, local, delta)
        if norm > threshold:
            move(user, state, delta)
            tail = hand_on(user, state, local, delta, norm, threshold, tail)


@jit
def push_one(user, state, local, tolerance):
    """Push one user whatever its correction, then whom that lifts above the threshold."""
    delta = np.empty(state[0].shape[1])
    norm = correction(user, state, local, delta)
    move(user, state, delta)
    # After the move, so that the very first observation already has a typical norm.
    threshold = tolerance * typical_norm(state[3])
    tail = hand_on(user, state, local, delta, norm, threshold, 0)
    drain(0, tail, state, local, delta, threshold)


@jit
def push_all(state, local, tolerance):
    """Push every user whose correction exceeds the threshold (after a change of the prior)."""
    delta = np.empty(state[0].shape[1])
    queue, queued = local[3], local[4]
    for i in range(len(queue)):
        queue[i] = i
        queued[i] = True
    drain(0, len(queue), state, local, delta, tolerance * typical_norm(state[3]))


@jit
def learn_locally(user, row, x, reward, sigma2, blocks, rhs, state, local, tolerance):
    """Add the observation (x, reward) of `user`, whose slot is `row`, and repair the mean.

    Returns what the observation adds to |b|^2 / sigma^4 (see `horde.kernels.precision.learn`).
    """
    added = learn(user, row, x, reward, sigma2, blocks, rhs, state[0], state[1])
    downdate_inverse(local[1][row], x, sigma2)
    push_one(user, state, local, tolerance)
    return added


@jit
def push_if_above(user, bar, state, local, delta, threshold, tail):
    """Push `user` if its correction's norm exceeds `bar`; return `tail`, see `hand_on`."""
    if state[2][user] <= bar:
        return tail
    norm = correction(user, state, local, delta)
    if norm <= bar:
        return tail
    move(user, state, delta)
    return hand_on(user, state, local, delta, norm, threshold, tail)


@jit
def refine(user, state, local, tolerance, fine, floor):
    """Repair the mean of `user` before a choice for it, up to two hops around.

    A neighbour j, or a neighbour k of one, is pushed where its correction may move w_i by more than
    `fine` times |w_i|, or times the typical norm if that is smaller; a push of j moves w_i by at
    most |Lambda_ij| / Lambda_ii times its norm, one of k by that times |Lambda_jk| / Lambda_jj.
    For a mean that is almost zero, `floor` times the typical norm stands in for |w_i|.
    """
    w = state[0]
    diagonal, indptr, indices, weights = local[2]
    delta = np.empty(w.shape[1])
    typical = typical_norm(state[3])
    threshold = tolerance * typical
    own = np.sqrt(dot(w[user], w[user]))
    wanted = fine * min(typical, max(own, floor * typical))
    tail = 0
    for e in range(indptr[user], indptr[user + 1]):
        j = indices[e]
        bar = wanted * diagonal[user] / abs(weights[e])
        # Pushes have left the bounds within the threshold: beyond it there is nothing to find.
        if bar < threshold:
            for f in range(indptr[j], indptr[j + 1]):
                k_bar = bar * diagonal[j] / abs(weights[f])
                tail = push_if_above(indices[f], k_bar, state, local, delta, threshold, tail)
            tail = push_if_above(j, bar, state, local, delta, threshold, tail)
    drain(0, tail, state, local, delta, threshold)
    if state[2][user] > 0.0:
        push_one(user, state, local, tolerance)
