"""The multiverse: the claims' runs under each specification of a part."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from horde.data.dataset import Dataset
from horde.experiments.choice import grid_points
from horde.experiments.run import checkpoint_rounds
from horde.experiments.specifications import ORACLE, Specification
from horde.experiments.tuning import score
from horde.policies import memory, registry
from horde.results.tables import RUN_COLUMNS, TUNED
from horde.simulation.loop import Curve, simulate
from horde.simulation.stream import make_stream

# Widths without normalisation; `schur` would take d solves in many rounds.
_WIDTHS = "one-hop"
CURVE_COLUMNS = ["specification", *RUN_COLUMNS, *TUNED]
# Regret is recorded after each tenth of the rounds: no claim reads smaller parts of a run.
CHECKPOINTS = 10


@dataclass(frozen=True)
class Setup:
    """All arguments of a part except its specifications and the data.

    Attributes
    ----------
    runs : sequence of (str, str, mapping)
        Policy, name of the variant, and the hyper-parameters that the variant sets.
    fixed : mapping of str to mapping
        Hyper-parameters of each policy that are not tuned.
    paper : mapping
        The paper's values of the tuned hyper-parameters.
    grids : mapping
        Values to try of each tuned hyper-parameter.
    tuning_rounds, tuning_seed : int
        Rounds and seed of the validation stream.
    rounds, offered : int
        T and K.
    """

    runs: Sequence[tuple[str, str, Mapping]]
    fixed: Mapping[str, Mapping]
    paper: Mapping[str, float]
    grids: Mapping[str, Sequence[float]]
    tuning_rounds: int
    tuning_seed: int
    rounds: int
    offered: int


def play(
    specifications: Sequence[Specification],
    setup: Setup,
    data: Dataset,
    log: Callable[[str], None],
) -> pd.DataFrame:
    """Play the runs of a part's specifications; what two of them share is played once.

    Parameters
    ----------
    specifications : sequence of dict
        Rows of the list, all with the same features and seeds.
    setup : Setup
    data : Dataset
        Prepared with the part's features.
    log : callable
        Receives a message for each specification.

    Returns
    -------
    DataFrame
        Columns `CURVE_COLUMNS`.
    """
    player, tables = _Player(setup, data), []
    for row in specifications:
        log(row["specification"])
        seeds = [int(seed) for seed in row["seeds"].split()]
        for policy, variant, changes in setup.runs:
            graph = _graph(row, policy)
            settings = dict(setup.fixed[policy]) | _settings(row, policy, graph)
            values = player.chosen(row, policy, settings, graph, seeds)
            params = _key(settings | values | dict(changes))
            for seed in seeds:
                curve = player.curve(policy, params, graph, seed)
                table = pd.DataFrame({"round": curve.rounds, "regret": curve.regret}).assign(
                    specification=row["specification"],
                    dataset=data.name,
                    policy=policy,
                    variant=variant,
                    seed=seed,
                    random_regret=curve.random_regret,
                    **values,
                )
                tables.append(table.reindex(columns=CURVE_COLUMNS))
    return pd.concat(tables, ignore_index=True)


def _graph(row: Specification, policy: str) -> str:
    """Return which of `horde.graph.controls.GRAPHS` a specification gives a policy.

    Without normalisation, policies that need widths take several times as long. They have it in
    all specifications but those of lambda in hindsight, which are in no share.
    """
    if not registry.entry(policy).needs_graph or row["laplacian"] == "normalised":
        return "given"
    spared = row["hyper"] == ORACLE and "widths" in registry.params_of(policy)
    return "given" if spared else "unnormalised"


def _settings(row: Specification, policy: str, graph: str) -> dict:
    """Return the hyper-parameters of a policy that a specification sets beside the tuned ones."""
    accepted = registry.params_of(policy)
    named = {key: row[key] for key in ("exploration", "couplings", "logdet_weight") if row[key]}
    if row["every"]:
        named |= {"every": int(row["every"])}
    if graph == "unnormalised":
        named |= {"widths": _WIDTHS}
    return {key: value for key, value in named.items() if key in accepted}


def _key(params: Mapping[str, object]) -> tuple:
    return tuple(sorted(params.items()))


class _Player:
    """Scores and runs on the data of a part; each is made once."""

    def __init__(self, setup: Setup, data: Dataset):
        self.setup, self.data = setup, data
        self.validation = make_stream(
            data, setup.tuning_seed, setup.tuning_rounds, setup.offered, purpose="validation"
        )
        self.stream = cache(lambda seed: make_stream(data, seed, setup.rounds, setup.offered))
        self.candidates = cache(self._candidates)
        self.curve = cache(self._curve)

    def _curve(self, policy: str, params: tuple, graph: str, seed: int) -> Curve:
        problem = self.data.problem(seed, self.setup.rounds, graph)
        started = memory.start(policy, dict(params), problem)
        checkpoints = checkpoint_rounds(self.setup.rounds, CHECKPOINTS)
        return simulate(started, self.stream(seed), self.data.features, checkpoints)

    def _candidates(self, policy: str, settings: tuple, graph: str) -> list[tuple[float, dict]]:
        """Return the best grid point of each value of lambda, with its score."""
        setup, best = self.setup, {}
        problem = self.data.problem(setup.tuning_seed, setup.tuning_rounds, graph)
        for point in grid_points({name: setup.grids[name] for name in _tunes(policy)}):
            params = dict(settings) | point
            found = score(policy, params, problem, self.validation, self.data.features)
            if point["lam"] not in best or found < best[point["lam"]][0]:
                best[point["lam"]] = found, point
        return list(best.values())

    def chosen(
        self,
        row: Specification,
        policy: str,
        settings: Mapping[str, object],
        graph: str,
        seeds: Sequence[int],
    ) -> dict[str, float]:
        """Return the hyper-parameters that a specification gives a policy, of those to be tuned."""
        if "every" in registry.params_of(policy):
            return {"lam": float(row["learned_lam"])}
        if row["hyper"] == "paper" or not _tunes(policy):
            return {name: self.setup.paper[name] for name in _tunes(policy)}
        candidates = self.candidates(policy, _key(settings), graph)
        if row["hyper"] == "lam-0.01":
            candidates = [found for found in candidates if found[1]["lam"] == 0.01]
        if row["hyper"] == ORACLE:
            candidates = [
                (self._mean_ratio(policy, _key(dict(settings) | point), graph, seeds), point)
                for _, point in candidates
            ]
        return min(candidates, key=lambda found: found[0])[1]

    def _mean_ratio(self, policy: str, params: tuple, graph: str, seeds: Sequence[int]) -> float:
        return float(np.mean([self.curve(policy, params, graph, seed).ratio[-1] for seed in seeds]))


def _tunes(policy: str) -> tuple[str, ...]:
    return registry.entry(policy).tunes
