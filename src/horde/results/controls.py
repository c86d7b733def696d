"""What a graph of friends is worth: final ratios on other graphs, and without any."""

import os
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from horde import files
from horde.errors import DataError
from horde.results import runs as run_files
from horde.results.runs import REMEDY
from horde.results.statistics import t_interval
from horde.results.tables import final_rounds, read_runs, require_seeds

COLUMNS = [
    *("dataset", "policy", "graph", "reading", "lam"),
    *("ratio_mean", "ratio_low", "ratio_high", "seeds"),
]
GAIN_COLUMNS = [
    *("dataset", "policy", "reading", "gain", "worse", "better"),
    *("difference", "difference_low", "difference_high", "seeds"),
]
# The policy of the same choice rule that knows a common mean instead of a graph.
AROUND_A_MEAN = {"G-EG": "M-EG", "G-TS": "M-TS", "GOBLIN": "M-UCB"}
MEAN = "mean"
# Policies that learn a graph, and may start from the given one.
LEARNERS = ("L-EG", "U-EG")
# What the regret on the first graph loses on the second: of the gain of any friends, of users who
# are friends, and of the mean of all.
GAINS = {
    "graph": ("none", "given"),
    "pooling": ("none", "permuted"),
    "friendship": ("permuted", "given"),
    "friendship against rewired": ("rewired", "given"),
    "mean": ("none", MEAN),
    "graph against mean": (MEAN, "given"),
    "graph on top of mean": (MEAN, "given+mean"),
    "left to gain": ("given", "oracle"),
}
_KEY = ["dataset", "policy", "graph", "reading"]


def final_ratios(
    curves: Iterable[str | os.PathLike],
    records: Iterable[str | os.PathLike],
    graphs: Mapping[str, str],
    seeds: Sequence[int],
) -> pd.DataFrame:
    """Read the final ratio of each run of the controls.

    Parameters
    ----------
    curves, records : iterable of path
        Files of finished runs and of their provenance, as `horde.experiments.run.run_block` wrote
        them.
    graphs : mapping of str to str
        The graph of each alternative that changes it. A run on another alternative that changes
        data has its name in the policy's: ``Longest (popularity)``.
    seeds : sequence of int
        The seeds that every policy must have.

    Returns
    -------
    DataFrame
        Columns ``dataset, policy, graph, reading, lam, seed, ratio``. ``graph`` is empty for a
        policy without a graph; ``reading`` is the variant: where lambda is from, or what takes the
        place of a learned graph.

    Raises
    ------
    DataError
        If a file is missing or damaged, or seeds are missing or surplus.
    """
    runs = read_runs(curves)
    require_seeds(runs, seeds)
    lams = {tuple(run_files.name(path).values()): _lam(path) for path in records}
    rows = []
    for row in final_rounds(runs).itertuples(index=False):
        dataset, _, alternative = row.dataset.partition("@")
        has_graph = row.policy in (*AROUND_A_MEAN, *LEARNERS)
        graph, policy = graphs.get(alternative, "given") if has_graph else "", row.policy
        if alternative and alternative not in graphs:
            policy = f"{policy} ({alternative})"
        lam = lams[row.dataset, row.policy, row.variant]
        rows.append((dataset, policy, graph, row.variant, lam, row.seed, row.ratio))
    return pd.DataFrame(rows, columns=[*_KEY, "lam", "seed", "ratio"]).astype({"lam": float})


def _lam(path: str | os.PathLike) -> float | None:
    try:
        return files.read_json(path)["experiment"]["params"].get("lam")
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path} does not say what was run ({error}); {REMEDY}") from error


def control_table(final: pd.DataFrame) -> pd.DataFrame:
    """Average `final_ratios` over seeds, with 95 % t-intervals; columns `COLUMNS`."""
    rows = [
        (*key, part["lam"].iloc[0], *t_interval(part["ratio"]), len(part))
        for key, part in final.groupby(_KEY, sort=False)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def gains_table(final: pd.DataFrame) -> pd.DataFrame:
    """Compare the graphs of `final_ratios` in pairs, seed by seed.

    Returns
    -------
    DataFrame
        Columns `GAIN_COLUMNS`, one row for each entry of `GAINS` whose runs are there:
        ``difference`` is the ratio on ``worse`` minus that on ``better``, with the 95 %
        t-interval of the paired difference. The graph ``mean`` stands for the policy of the same
        choice rule around a common mean. ``given`` has the same runs as tuned and ``as-given``.
    """
    ratios = {key: part.set_index("seed")["ratio"] for key, part in final.groupby(_KEY, sort=False)}
    rows = []
    graphs = {graph for pair in GAINS.values() for graph in pair}
    compared = final.loc[final["policy"].isin(AROUND_A_MEAN), ["dataset", "policy", "reading"]]
    for dataset, policy, reading in compared.drop_duplicates().itertuples(index=False, name=None):
        sides = {graph: ratios.get((dataset, policy, graph, reading)) for graph in graphs}
        sides[MEAN] = ratios.get((dataset, AROUND_A_MEAN[policy], "", reading))
        if sides["given"] is None:
            sides["given"] = ratios.get((dataset, policy, "given", "tuned"))
        for gain, (worse, better) in GAINS.items():
            if sides[worse] is not None and sides[better] is not None:
                paired = sides[worse] - sides[better]
                named = dataset, policy, reading, gain, worse, better
                rows.append((*named, *t_interval(paired), len(paired)))
    return pd.DataFrame(rows, columns=GAIN_COLUMNS)
