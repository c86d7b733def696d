"""Seconds a round of one policy on one problem, measured in a process of its own.

``python -m horde.timing.stopwatch PROBLEM JSON`` prints what `measure` returns, as JSON. A fresh
process makes the peak memory that of this measurement alone.
"""

import json
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np

from horde import files
from horde.graph.precision import Precision, adjacency, laplacian
from horde.machine import peak_bytes
from horde.policies import registry
from horde.policies.base import Policy
from horde.posteriors.dense import Dense
from horde.problem import Problem
from horde.random import draws
from horde.timing.dense_start import observe_alike


class Limits(NamedTuple):
    """How long to measure.

    Attributes
    ----------
    observations : int
        Observations put in place before, untimed.
    fewest, most : int
        Bounds on the number of timed rounds.
    seconds : float
        No further round is started after this time, once there are `fewest`.
    """

    observations: int
    fewest: int
    most: int
    seconds: float


def measure(path: str | Path, policy: str, params: dict, limits: Limits) -> dict[str, float]:
    """Measure a policy on a stored problem, in this process.

    Parameters
    ----------
    path : path
        What `horde.timing.scalability.write_problem` wrote.
    policy : str
        A key of `horde.policies.registry.POLICIES`.
    params : dict
        Its settings.
    limits : Limits
        How long.

    Returns
    -------
    dict
        ``rounds`` timed; quartiles ``q25``, ``seconds_per_round`` (the median), ``q75`` of a
        round's wall time, choosing and learning, in seconds; ``cpu_seconds_per_round``, the median
        of its processor time; ``peak_mb``, the largest memory the process held, in MB.
    """
    load_kernels(policy, params)
    arrays = files.load_arrays(path)
    problem = _problem(arrays)
    started = start(policy, params, problem)
    place_observations(started, problem.precision, arrays, limits.observations)
    wall, cpu = time_rounds(started, arrays, limits)
    q25, median, q75 = np.quantile(wall, [0.25, 0.5, 0.75]).tolist()
    return {
        "rounds": len(wall),
        "seconds_per_round": median,
        "q25": q25,
        "q75": q75,
        "cpu_seconds_per_round": float(np.median(cpu)),
        "peak_mb": peak_bytes() / 1e6,
    }


def start(policy: str, params: dict, problem: Problem) -> Policy:
    """Make a policy and start it on `problem`."""
    return registry.make(policy, **params).start(problem)


def load_kernels(policy: str, params: dict) -> None:
    """Play a dozen rounds of a tiny problem, so that no timed round compiles or loads a kernel."""
    rng = np.random.default_rng(0)
    precision = laplacian(adjacency([[0, 1], [1, 2], [2, 3]], 5))
    twin = start(policy, params, Problem(5, 2, 12, draws("twin", 0), precision))
    for t in range(12):
        offered = rng.standard_normal((3, 2))
        twin.learn(t % 5, offered[twin.choose(t % 5, offered)], 1.0)


def place_observations(
    policy: Policy, precision: Precision, arrays: dict[str, np.ndarray], n_observations: int
) -> None:
    """Let a policy learn from the first rounds, always the first offered item, without choosing.

    Only the very first item is chosen, alone on offer, since some posteriors begin to keep what
    they need for widths and samples when first asked for them.

    GOBLIN's dense matrix, too slow for that, gets at least as many observations at once: every
    user has rated the first few items, with ratings taken from the stream.
    """
    posterior = getattr(policy, "posterior", None)
    if isinstance(posterior, Dense):
        n = precision.n_users
        each = -(-n_observations // n)
        ratings = np.resize(arrays["rewards"], (n, each))
        observe_alike(posterior, precision, arrays["features"][:each], ratings)
        return
    if n_observations:
        policy.choose(int(arrays["users"][0]), arrays["features"][arrays["items"][0, :1]])
    for t in range(n_observations):
        x = arrays["features"][arrays["items"][t, 0]]
        policy.learn(int(arrays["users"][t]), x, float(arrays["rewards"][t, 0]))


def time_rounds(
    policy: Policy, arrays: dict[str, np.ndarray], limits: Limits
) -> tuple[np.ndarray, np.ndarray]:
    """Play the rounds after the placed observations.

    Returns
    -------
    wall, cpu : ndarray of float64, shape (rounds,)
        Seconds of each round, choosing and learning: wall time and processor time. Looking up the
        offered contexts is not counted.
    """
    wall, cpu = [], []
    give_up = perf_counter() + limits.seconds
    for t in range(limits.observations, limits.observations + limits.most):
        user = int(arrays["users"][t])
        offered = arrays["features"][arrays["items"][t]]
        rewards = arrays["rewards"][t]
        cpu_before, before = process_time(), perf_counter()
        row = policy.choose(user, offered)
        policy.learn(user, offered[row], float(rewards[row]))
        after, cpu_after = perf_counter(), process_time()
        wall.append(after - before)
        cpu.append(cpu_after - cpu_before)
        if after > give_up and len(wall) >= limits.fewest:
            break
    return np.array(wall), np.array(cpu)


def _problem(arrays: dict[str, np.ndarray]) -> Problem:
    precision = Precision(*(arrays[name] for name in Precision.__dataclass_fields__))
    n_features = arrays["features"].shape[1]
    draw = draws("scalability", 0)
    return Problem(precision.n_users, n_features, len(arrays["users"]), draw, precision)


def main(arguments: list[str]) -> None:
    """Measure as the two arguments say and print the result."""
    path, request = arguments
    request = json.loads(request)
    limits = Limits(**request.pop("limits"))
    print(json.dumps(measure(path, limits=limits, **request)))


if __name__ == "__main__":
    main(sys.argv[1:])
