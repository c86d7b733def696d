"""Local repair of the mean: block Gauss-Seidel on the users whose correction matters.

The residual R = b/sigma^2 - P w is always kept. *Pushing* user i adds delta = OMEGA M_i^-1 R_i
to w_i, which leaves (1 - OMEGA) R_i, and adds -Lambda_ik delta to R_k of every neighbour k.
Corrections M_i^-1 R_i below the threshold stay in R and are pushed once they have added up.

OMEGA is successive over-relaxation's: the block-Jacobi iteration of L = L_G + I has a spectral
radius of at most 1/2, for which 2 / (1 + sqrt(1 - 1/4)) is the best factor. At the same number of
pushes it left half as many wrong picks as OMEGA = 1 on real data.

``bound[k]`` is an upper bound on |M_k^-1 R_k|: a push raises it by |Lambda_ik| |delta| / Lambda_kk,
since M_k is at least Lambda_kk I. The d^2 work of an exact correction is paid only where the bound
exceeds the threshold, so the thousands of neighbours of a hub cost d numbers each.

Arguments shared by these kernels:

state : tuple (w (n, d), r (n, d), bound (n,), totals (3,))
    `totals` holds the sum of |w_j|^2 over the observed users, their number, and the number of
    pushes made.
local : tuple (slot (n,), inverses (m, d, d), prior, queue int32 (n,), queued bool (n,))
    M_i^-1 by slot, the prior (see `horde.kernels.precision`) and an empty queue.
journal : tuple (place int32 (n,), users int32 (n,), kept (n, 2d + 1), count int64 (1,)), or None
    What `forget` puts back: the row of `kept` with a user's w, r and bound, or -1; whose each row
    is; and their number. With None, as by default, the compiled code has no trace of it.
"""

import numpy as np

from horde.kernels.jit import inline, jit
from horde.kernels.linalg import add_symmetric_times, dot, downdate_inverse
from horde.kernels.precision import learn

OMEGA = 2.0 / (1.0 + np.sqrt(0.75))
# Before a choice, users around are pushed where that moves the user's mean by more than FINE times
# the tolerance, relative to its own norm, which counts as FLOOR times the typical one at least.
FINE = 0.02
FLOOR = 0.005
# ... and no further after so many pushes.
MOST_PUSHES = 64


@jit
def typical_norm(totals):
    """Return the rms of |w_j| over the observed users; 0 before the first."""
    return np.sqrt(totals[0] / totals[1]) if totals[1] > 0.0 else 0.0


@jit
def note(user, state, journal):
    """Write a user's w, r and bound, which are about to change, into the journal once."""
    w, r, bound, _ = state
    place, users, kept, count = journal
    if place[user] >= 0:
        return
    row, d = count[0], w.shape[1]
    place[user], users[row] = row, user
    kept[row, :d], kept[row, d : 2 * d], kept[row, 2 * d] = w[user], r[user], bound[user]
    count[0] += 1


@jit
def forget(state, journal):
    """Put back all that the journal holds, and empty it; `totals` stays."""
    w, r, bound, _ = state
    place, users, kept, count = journal
    d = w.shape[1]
    for row in range(count[0]):
        user = users[row]
        w[user], r[user], bound[user] = kept[row, :d], kept[row, d : 2 * d], kept[row, 2 * d]
        place[user] = -1
    count[0] = 0


@inline
def correction(user, state, local, delta, enough, journal):
    """Return the norm of M_i^-1 R_i, or a bound on it of at most `enough`; record it as the bound.

    Since M_i is at least Lambda_ii I, the norm is at most |R_i| / Lambda_ii. Where that is enough,
    the d^2 work is saved; else `delta` (d,) receives M_i^-1 R_i.
    """
    r, bound = state[1], state[2]
    slot, inverses, diagonal = local[0], local[1], local[2][0]
    weakest = diagonal[user]
    norm = np.sqrt(dot(r[user], r[user])) / weakest
    if norm > enough:
        if slot[user] >= 0:
            delta[:] = 0.0
            add_symmetric_times(delta, inverses[slot[user]], r[user])
        else:
            for k in range(len(delta)):
                delta[k] = r[user, k] / weakest
        norm = np.sqrt(dot(delta, delta))
    if journal is not None:
        note(user, state, journal)
    bound[user] = norm
    return norm


@inline
def move(user, state, local, delta, journal):
    """Push the mean of `user` along its correction `delta`, which is over-relaxed in place.

    Without neighbours the correction is exact as it is.
    """
    w, r, bound, totals = state
    indptr = local[2][1]
    if journal is not None:
        note(user, state, journal)
    omega = OMEGA if indptr[user] < indptr[user + 1] else 1.0
    gained = 0.0
    for k in range(len(delta)):
        before = w[user, k]
        delta[k] *= omega
        w[user, k] += delta[k]
        r[user, k] *= 1.0 - omega
        gained += w[user, k] * w[user, k] - before * before
    if local[0][user] >= 0:
        totals[0] += gained
    totals[2] += 1.0
    bound[user] *= omega - 1.0


@inline
def propagate(user, state, local, delta, norm, threshold, tail, journal):
    """Add -Lambda_ik delta to the residual of each neighbour k of a pushed user.

    Users whose bound then exceeds `threshold` are queued.

    `norm` is that of the correction; `tail` is the number of users ever put into the (circular)
    queue, returned updated.
    """
    r, bound = state[1], state[2]
    prior, queue, queued = local[2], local[3], local[4]
    diagonal, indptr, indices, weights = prior
    # Beyond 1 / (OMEGA - 1) times the threshold, what over-relaxation left is itself too much.
    if bound[user] > threshold and not queued[user]:
        queued[user] = True
        queue[tail % len(queue)] = user
        tail += 1
    for e in range(indptr[user], indptr[user + 1]):
        j, weight = indices[e], weights[e]
        if journal is not None:
            note(j, state, journal)
        # Without a view of the row, whose references would be counted.
        for k in range(len(delta)):
            r[j, k] -= weight * delta[k]
        bound[j] += OMEGA * norm * abs(weight) / diagonal[j]
        if bound[j] > threshold and not queued[j]:
            queued[j] = True
            queue[tail % len(queue)] = j
            tail += 1
    return tail


@jit
def drain(tail, state, local, threshold, tolerance, journal=None):
    """Push `tail` queued users, and those queued by that, until no bound exceeds the threshold.

    A `threshold` of -1 means that the first one is pushed whatever its correction. It is then
    `tolerance` times the typical norm: after that push, so that the very first observation already
    has one.
    """
    delta = np.empty(state[0].shape[1])
    queue, queued = local[3], local[4]
    head = 0
    while head < tail:
        user = np.int64(queue[head % len(queue)])
        head += 1
        queued[user] = False
        norm = correction(user, state, local, delta, threshold, journal)
        if norm > threshold:
            move(user, state, local, delta, journal)
            if threshold < 0.0:
                threshold = tolerance * typical_norm(state[3])
            tail = propagate(user, state, local, delta, norm, threshold, tail, journal)


@jit
def push_one(user, state, local, tolerance, journal=None):
    """Push one user whatever its correction, then whom that lifts above the threshold."""
    local[3][0] = user
    drain(np.int64(1), state, local, -1.0, tolerance, journal)


@jit
def push_some(users, state, local, tolerance):
    """Push those of `users` whose correction exceeds the threshold, after a change of the prior."""
    queue, queued = local[3], local[4]
    for k in range(len(users)):
        queue[k] = users[k]
        queued[users[k]] = True
    drain(len(users), state, local, tolerance * typical_norm(state[3]), tolerance)


@jit
def learn_locally(user, row, x, reward, sigma2, blocks, rhs, state, local, tolerance):
    """Add the observation (x, reward) of `user`, whose slot is `row`, and repair the mean.

    Returns what the observation adds to |b|^2 / sigma^4 (see `horde.kernels.precision.learn`).
    """
    added = learn(user, row, x, reward, sigma2, blocks, rhs, state[0], state[1])
    w, totals = state[0], state[3]
    # Slots are given in the order of the first observations.
    if row == totals[1]:
        totals[0] += dot(w[user], w[user])
        totals[1] += 1.0
    downdate_inverse(local[1][row], x, sigma2)
    push_one(user, state, local, tolerance)
    return added


@jit
def refine(user, state, local, tolerance, journal=None):
    """Repair the mean of `user` before a choice for it, up to two hops around.

    A neighbour j, or a neighbour k of one, is pushed where its correction may move w_i by more than
    FINE times the tolerance, relative to |w_i|, or to the typical norm if that is smaller. A push
    of j moves w_i by at most |Lambda_ij| / Lambda_ii times its norm, one of k by that times
    |Lambda_jk| / Lambda_jj. For a mean that is almost zero, FLOOR times the typical norm stands in
    for |w_i|. After MOST_PUSHES pushes no further neighbour is looked at: around the unobserved
    users of a large graph nothing else would bound the work.
    """
    w, _, bound, totals = state
    diagonal, indptr, indices, weights = local[2]
    delta = np.empty(w.shape[1])
    typical = typical_norm(totals)
    threshold = tolerance * typical
    own = np.sqrt(dot(w[user], w[user]))
    wanted = FINE * tolerance * min(typical, max(own, FLOOR * typical))
    tail, last = 0, totals[2] + MOST_PUSHES
    for e in range(indptr[user], indptr[user + 1]):
        j = np.int64(indices[e])
        bar = wanted * diagonal[user] / abs(weights[e])
        # Pushes have left the bounds within the threshold: beyond it there is nothing to find.
        if bar >= threshold or totals[2] >= last:
            continue
        # The neighbours of j, then j itself.
        for f in range(indptr[j], indptr[j + 1] + 1):
            k, enough = j, bar
            if f < indptr[j + 1]:
                k, enough = np.int64(indices[f]), bar * diagonal[j] / abs(weights[f])
            if bound[k] > enough:
                norm = correction(k, state, local, delta, enough, journal)
                if norm > enough:
                    move(k, state, local, delta, journal)
                    tail = propagate(k, state, local, delta, norm, threshold, tail, journal)
    drain(tail, state, local, threshold, tolerance, journal)
    if bound[user] > 0.0:
        push_one(user, state, local, tolerance, journal)
