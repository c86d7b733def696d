"""The multiverse: the claims' runs under every listed combination of choices the paper leaves open.

`workflow/multiverse.csv` lists the specifications, one a row. All specifications that share their
data and their seeds form a part, which one job plays.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pandas as pd

from horde.data.dataset import Dataset
from horde.errors import ConfigError
from horde.experiments.choice import grid_points
from horde.experiments.run import checkpoint_rounds
from horde.experiments.tuning import score
from horde.policies import memory, registry
from horde.results.tables import RUN_COLUMNS, TUNED
from horde.simulation.loop import Curve, simulate
from horde.simulation.stream import make_stream

# Levels of the choices; the first is the configured one. What makes the data comes first.
FEATURES = {
    "tags": ("set", "counts", "log"),
    "split_tags": ("false", "true"),
    "reduction": ("svd", "pca"),
    "scaling": ("none", "unit"),
    "untagged": ("keep", "drop"),
}
SETTINGS = {
    "hyper": ("tuned", "paper", "lam-0.01", "hindsight"),
    "exploration": ("interleaved", "front"),
    "laplacian": ("normalised", "unnormalised"),
}
LEARNING = {
    "every": ("1000", "10000"),
    "couplings": ("any", "attractive"),
    "logdet_weight": ("1", "d+1"),
    "learned_lam": ("0.01", "0.1", "1", "10"),
}
CHOICES = {**FEATURES, **SETTINGS, **LEARNING}
COLUMNS = ["specification", "claims", "datasets", "seeds", *CHOICES]
# What all specifications of a part have in common.
_PART = [*FEATURES, "every", "couplings", "logdet_weight", "seeds"]
# The other policies on a graph need widths. Without normalisation these take d solves a round, so
# 50,000 rounds would take hours.
_EITHER_LAPLACIAN = ("G-EG",)
_GRAPHS = {"normalised": "given", "unnormalised": "unnormalised"}
CURVE_COLUMNS = ["specification", *RUN_COLUMNS, *TUNED]
# Regret is recorded after each tenth of the rounds: no claim reads smaller parts of a run.
CHECKPOINTS = 10


def design() -> pd.DataFrame:
    """Return the specifications that `workflow/multiverse.csv` lists.

    For the claims on Figure 2, ``tags = set`` is crossed with all other choices. ``counts`` and
    ``log`` each have one half fraction of the features (the parity of the levels is even, or odd),
    crossed with the settings. They exist on Last.fm only, since not every accepted form of the
    Delicious data has counts. For the claims on Figure 3, all choices of the learned graph are
    crossed on the configured features. Each part has three of the seeds 0 to 9; all seeds serve
    equally often.

    Returns
    -------
    DataFrame of str
        Columns `COLUMNS`. A choice is empty where it does not apply.
    """
    rows = []
    for levels in product(*FEATURES.values()):
        places = [
            known.index(level) for known, level in zip(FEATURES.values(), levels, strict=True)
        ]
        parity = sum(places[1:]) % 2
        if levels[0] == "set" or parity == ("counts", "log").index(levels[0]):
            datasets = "lastfm delicious" if levels[0] == "set" else "lastfm"
            rows += [
                ("R", datasets, levels, settings, ("",) * len(LEARNING))
                for settings in product(*SETTINGS.values())
            ]
    base = tuple(levels[0] for levels in FEATURES.values())
    tuned = tuple(levels[0] for levels in SETTINGS.values())
    rows += [
        ("L", "lastfm delicious", base, tuned, learning) for learning in product(*LEARNING.values())
    ]
    keys = [(features, learning[:3]) for _, _, features, _, learning in rows]
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    # Each of the ten triples serves as many parts; shuffled, so that no choice goes with a seed.
    firsts = np.random.default_rng(0).permutation(np.arange(len(places)) % 10)
    listed = []
    for number, (row, key) in enumerate(zip(rows, keys, strict=True)):
        claims, datasets, features, settings, learning = row
        three = sorted((firsts[places[key]] + step) % 10 for step in (0, 1, 4))
        seeds = " ".join(map(str, three))
        name = f"{claims}{number:03}"
        listed.append((name, claims, datasets, seeds, *features, *settings, *learning))
    return pd.DataFrame(listed, columns=COLUMNS)


def read(path: str | os.PathLike, names: Iterable[str] | None = None) -> pd.DataFrame:
    """Read a list of specifications.

    Parameters
    ----------
    path : path
        CSV with the columns `COLUMNS`.
    names : iterable of str, optional
        The specifications to keep; by default all.

    Returns
    -------
    DataFrame of str

    Raises
    ------
    ConfigError
        If a column or a named specification is missing, or a choice has an unknown level.
    """
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    if list(table) != COLUMNS:
        raise ConfigError(f"{path} has the columns {list(table)}, but needs {COLUMNS}")
    if names is not None:
        missing = sorted({*names} - {*table["specification"]})
        if missing:
            raise ConfigError(f"multiverse.specifications: {path} has no {', '.join(missing)}")
        table = table[table["specification"].isin({*names})].reset_index(drop=True)
    for name, levels in CHOICES.items():
        unknown = sorted({*table[name]} - {*levels, ""})
        if unknown:
            raise ConfigError(f"{path}, column {name}: {unknown[0]!r} is none of {levels}")
    return table


def parts(table: pd.DataFrame, datasets: Iterable[str]) -> dict[tuple[str, str], list[dict]]:
    """Group specifications by what one job plays.

    Returns
    -------
    dict of (str, str) to list of dict
        Name of the dataset and of the part, to its specifications.
    """
    found: dict[tuple[str, str], list[dict]] = {}
    for row in table.to_dict("records"):
        name = "-".join(row[key] for key in _PART if row[key]).replace(" ", "")
        for dataset in row["datasets"].split():
            if dataset in datasets:
                found.setdefault((dataset, name), []).append(row)
    return found


def features(row: Mapping[str, str]) -> dict:
    """Return the settings of `horde.data.features.prepare` that a specification names."""
    return {name: row[name] for name in FEATURES} | {"split_tags": row["split_tags"] == "true"}


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
    specifications: Sequence[Mapping[str, str]],
    setup: Setup,
    data: Dataset,
    log: Callable[[str], None],
) -> pd.DataFrame:
    """Play the runs of a part's specifications; what two of them share is played once.

    Parameters
    ----------
    specifications : sequence of mapping
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
            either = policy in _EITHER_LAPLACIAN
            graph = _GRAPHS[row["laplacian"]] if either else "given"
            settings = dict(setup.fixed[policy]) | _settings(row, policy)
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


def _settings(row: Mapping[str, str], policy: str) -> dict:
    """Return the hyper-parameters of a policy that a specification sets beside the tuned ones."""
    accepted = registry.params_of(policy)
    named = {key: row[key] for key in ("exploration", "couplings", "logdet_weight") if row[key]}
    if row["every"]:
        named |= {"every": int(row["every"])}
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
        row: Mapping[str, str],
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
        if row["hyper"] == "hindsight":
            candidates = [
                (self._mean_ratio(policy, _key(dict(settings) | point), graph, seeds), point)
                for _, point in candidates
            ]
        return min(candidates, key=lambda found: found[0])[1]

    def _mean_ratio(self, policy: str, params: tuple, graph: str, seeds: Sequence[int]) -> float:
        return float(np.mean([self.curve(policy, params, graph, seed).ratio[-1] for seed in seeds]))


def _tunes(policy: str) -> tuple[str, ...]:
    return registry.entry(policy).tunes
