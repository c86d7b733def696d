"""Whole rounds in compiled code: one loop a choice rule, over any posterior of `posteriors`.

`rounds` is a `horde.problem.Rounds`, and `picks` (T,) receives the rows of the chosen items.
Every loop returns the number of rounds played: all, or those before the one whose context is too
long to be learned from.
"""

import numpy as np

from horde.kernels.club import delete_until_split
from horde.kernels.jit import jit
from horde.kernels.posteriors import mean, observe, sample, variances
from horde.kernels.scores import pick_linear, pick_upper


@jit
def look_up(rounds, t, offered):
    """Write the contexts of the items offered in round t into `offered` (K, d)."""
    for k in range(len(offered)):
        x = rounds.features[rounds.items[t, k]]
        for j in range(len(x)):
            offered[k, j] = x[j]


@jit
def choose_upper(posterior, user, offered, factor):
    """Return the pick by upper confidence bound; no variances are computed for a `factor` of 0."""
    w = mean(posterior, user)
    if factor == 0.0:
        return pick_linear(offered, w)
    return pick_upper(offered, w, variances(posterior, user, offered), factor)


@jit
def play_upper(rounds, picks, factors, posterior):
    """Choose by upper confidence bounds, of width `factors` (T,) times the standard deviation."""
    offered = np.empty((rounds.items.shape[1], rounds.features.shape[1]))
    for t in range(len(picks)):
        user = np.int64(rounds.users[t])
        look_up(rounds, t, offered)
        row = choose_upper(posterior, user, offered, factors[t])
        picks[t] = row
        if not observe(posterior, user, offered[row], np.float64(rounds.rewards[t, row])):
            return t
    return len(picks)


@jit
def play_epoch_greedy(rounds, picks, explores, uniforms, learns, posterior):
    """Choose by `uniforms`, one number in [0, 1) a round that `explores` (T,), else by the mean.

    Only rounds that `learns` (T,) says are learned from.
    """
    offered = np.empty((rounds.items.shape[1], rounds.features.shape[1]))
    drawn = 0
    for t in range(len(picks)):
        user = np.int64(rounds.users[t])
        look_up(rounds, t, offered)
        if explores[t]:
            row = int(uniforms[drawn] * len(offered))
            drawn += 1
        else:
            row = pick_linear(offered, mean(posterior, user))
        picks[t] = row
        reward = np.float64(rounds.rewards[t, row])
        if learns[t] and not observe(posterior, user, offered[row], reward):
            return t
    return len(picks)


@jit
def play_thompson(rounds, picks, normals, scale, posterior):
    """Choose by a draw from the posterior, made of `normals` (T, d); by the mean at scale 0."""
    offered = np.empty((rounds.items.shape[1], rounds.features.shape[1]))
    for t in range(len(picks)):
        user = np.int64(rounds.users[t])
        look_up(rounds, t, offered)
        w = mean(posterior, user) if scale == 0.0 else sample(posterior, user, normals[t], scale)
        row = pick_linear(offered, w)
        picks[t] = row
        if not observe(posterior, user, offered[row], np.float64(rounds.rewards[t, row])):
            return t
    return len(picks)


@jit
def play_club(rounds, picks, factors, users, clusters, evidence, alpha2, graph):
    """Play CLUB (`horde.policies.club`) up to the first split of a cluster.

    Parameters
    ----------
    rounds, picks, factors
        As for `play_upper`.
    users, clusters : RidgeArrays
        The estimates of each user on its own, and of each user's cluster.
    evidence : tuple (counts int64 (n,), bounds (n,), table (m,))
        Observations of each user and their CB, and CB by the number of observations.
    alpha2 : float
        Factor alpha_2.
    graph : tuple (indptr, degrees, neighbours, marks, queues)
        Arguments of `horde.kernels.club.delete_until_split`.

    Returns
    -------
    played : int
        Number of rounds played. Not all were if a context is too long, or if there is a split.
    part : ndarray of int32
        The users that are split off in the last round played, some of whose served user's edges
        are still to be looked at; mostly empty.
    """
    offered = np.empty((rounds.items.shape[1], rounds.features.shape[1]))
    counts, bounds, table = evidence
    nobody = graph[4][0, :0].copy()
    for t in range(len(picks)):
        user = np.int64(rounds.users[t])
        look_up(rounds, t, offered)
        row = choose_upper(clusters, user, offered, factors[t])
        picks[t] = row
        x, reward = offered[row], np.float64(rounds.rewards[t, row])
        if not (observe(users, user, x, reward) and observe(clusters, user, x, reward)):
            return t, nobody
        counts[user] += 1
        bounds[user] = table[counts[user]]
        part = delete_until_split(user, alpha2, users.slots, users.mean, bounds, *graph)
        if len(part) > 0:
            return t + 1, part
    return len(picks), nobody
