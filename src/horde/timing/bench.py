"""The rows of ``horde bench``: seconds per round, and the share of exact picks of each solver."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from horde.policies import registry
from horde.policies.memory import Size, require_fits
from horde.simulation.environment import Environment
from horde.timing.exactness import REFERENCE, Agreement, compare
from horde.timing.harness import Request, measuring

COLUMNS = (
    *("policy", "solver", "n", "d", "edges", "rounds", "us_per_round", "us_q25", "us_q75"),
    *("picks_equal", "touched", "peak_mb"),
)
# Rounds per block; quartiles are taken over the mean times of blocks.
BLOCK = 100


def bench(
    environment: Environment,
    policies: Sequence[str],
    solvers: Sequence[str],
    params: dict[str, dict],
    skip: int,
    compared: int,
    log: Callable[[str], None],
) -> pd.DataFrame:
    """Measure every policy with every solver it can have.

    First, the solvers are compared with a reference, without timing: the same policy with PCG to
    1e-10 (`horde.timing.exactness`). Then each solver is timed alone; it learns from the picks of
    the reference.

    Parameters
    ----------
    environment : Environment
        All its rounds are played.
    policies : sequence of str
        Keys of `horde.policies.registry.POLICIES`.
    solvers : sequence of str
        Any of cg, pcg, local and dense. A policy without a choice of solvers has one row.
    params : dict of dict
        Hyper-parameters by policy, without ``solver``.
    skip : int
        Number of first rounds to learn from without timing or comparing them.
    compared : int
        Number of first rounds that the reference plays; 0 for no comparison.
    log : callable
        Receives a message for each comparison and measurement, and progress reports.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`; ``picks_equal`` and ``touched`` are empty if they do not apply.

    Raises
    ------
    ConfigError
        If a policy or a hyper-parameter does not exist, or a policy does not fit into memory.
    """
    size = Size(*environment.size, environment.stream.n_rounds)
    variants = {policy: _by_solver(policy, solvers, params.get(policy, {})) for policy in policies}
    for policy, by_solver in variants.items():
        for chosen in by_solver.values():
            registry.make(policy, **chosen)
            require_fits(policy, chosen, size)
    rows = []
    timed = environment.stream.n_rounds - skip
    with measuring(log) as measure:
        for policy, by_solver in variants.items():
            reference = params.get(policy, {}) | REFERENCE
            picks, agreements = _compare(
                environment, policy, by_solver, reference, skip, compared, log
            )
            requests = [
                Request(policy, each, skip, timed, picks=picks) for each in by_solver.values()
            ]
            log(f"{policy}: measured, solver {', '.join(by_solver)}")
            for solver, measured in zip(by_solver, measure(environment, requests), strict=True):
                q25, _, q75 = measured.quartiles(BLOCK)
                times = [round(1e6 * seconds, 2) for seconds in (measured.seconds.mean(), q25, q75)]
                share = round(agreements[solver].share, 6) if agreements else ""
                touched = "" if np.isnan(measured.touched) else round(measured.touched, 2)
                sizes = (*environment.size, timed)
                rows.append(
                    (policy, solver, *sizes, *times, share, touched, round(measured.peak_mb, 1))
                )
    return pd.DataFrame(rows, columns=COLUMNS)


def _by_solver(policy: str, solvers: Sequence[str], params: dict) -> dict[str, dict]:
    """Return solver -> hyper-parameters; ``none`` for a policy without a solver."""
    if "solver" in registry.params_of(policy):
        return {solver: params | {"solver": solver} for solver in solvers}
    return {registry.entry(policy).fixed.get("solver", "none"): params}


def _compare(
    environment: Environment,
    policy: str,
    by_solver: dict[str, dict],
    reference: dict,
    skip: int,
    compared: int,
    log: Callable[[str], None],
) -> tuple[list[int], dict[str, Agreement]]:
    """Return the reference's picks and each solver's agreement; empty without a comparison."""
    # GOBLIN is the exact form of GOBLIN++.
    exact = policy.removesuffix("++")
    if not compared or "solver" not in registry.params_of(exact):
        return [], {}
    log(f"{policy}: compared with the reference")
    picks, agreements = compare(
        environment,
        environment.start(exact, reference),
        [environment.start(policy, chosen) for chosen in by_solver.values()],
        compared,
        skip,
        log,
    )
    for solver, found in zip(by_solver, agreements, strict=True):
        log(
            f"{policy} {solver}: {found.wrong} of {found.rounds} picks differ; "
            f"relative error of the means {found.error:.2g}"
        )
    return picks.tolist(), dict(zip(by_solver, agreements, strict=True))
