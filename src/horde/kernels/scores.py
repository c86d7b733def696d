"""Scores of the offered items, and the pick: the only place where a pick is made."""

import numpy as np

from horde.kernels.jit import jit

# Two scores tie when their gap is below this fraction of the largest absolute score.
TIE = 1e-6


@jit
def linear_scores(features, w):
    """Return x^T w for each row x of `features` (K, d); w is (d,), the result (K,)."""
    n_items, d = features.shape
    scores = np.zeros(n_items)
    whole = n_items - n_items % 4
    # Four rows at a time: their sums do not wait for each other.
    for k in range(0, whole, 4):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for j in range(d):
            s0 += features[k, j] * w[j]
            s1 += features[k + 1, j] * w[j]
            s2 += features[k + 2, j] * w[j]
            s3 += features[k + 3, j] * w[j]
        scores[k], scores[k + 1], scores[k + 2], scores[k + 3] = s0, s1, s2, s3
    for k in range(whole, n_items):
        for j in range(d):
            scores[k] += features[k, j] * w[j]
    return scores


@jit
def pick(scores):
    """Return the lowest position whose score ties with the best of `scores` (K,), K >= 1."""
    best = scores[0]
    largest = abs(scores[0])
    for score in scores:
        best = max(best, score)
        largest = max(largest, abs(score))
    bar = best - TIE * largest
    for k in range(len(scores)):
        if scores[k] >= bar:
            return k
    return 0


@jit
def pick_linear(features, w):
    """Return the pick by mean score: argmax_k x_k^T w, ties to the lowest row."""
    return pick(linear_scores(features, w))


@jit
def pick_upper(features, w, variances, alpha):
    """Return the pick by upper confidence bound: argmax_k x_k^T w + alpha sqrt(variances_k)."""
    return pick(linear_scores(features, w) + alpha * np.sqrt(variances))
