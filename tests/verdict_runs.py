"""Made-up runs whose verdicts are known, for the tests of the verdict and of publishing."""

from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from horde import files
from horde.results.tables import RUN_COLUMNS
from horde.verdict import claims, published, sensitivity
from horde.verdict.judge import Outputs, judge_files

FILE = Path(__file__).parents[1] / "workflow" / "claims.yaml"
CLAIMS = claims.load(FILE)
SEEDS = {"verdict": range(200, 204), "learning": range(300, 302)}
TEN_SEEDS = {"verdict": range(200, 210), "learning": range(300, 310)}


def parsed(**entries):
    """Return the claims of these entries of a file of claims."""
    return claims.parse({"version": 2, "status": "final", "claims": entries})


def entry(rule, seeds="verdict"):
    """Return a claim's entry in a file of claims, with its rule given as YAML."""
    texts = {"statement": "s", "source": "x", "figure": None, "statistic": "y"}
    return {**texts, "seeds": seeds, "rule": yaml.safe_load(rule)}


def runs(seeds=SEEDS["verdict"], dataset="delicious", variant="tuned", **ratios):
    """Two checkpoints of each policy and seed; ratios differ a little from seed to seed."""
    rows = [
        [dataset, policy.replace("_", "-"), variant, seed, t, (ratio + 1e-4 * place) * t, float(t)]
        for policy, ratio in ratios.items()
        for place, seed in enumerate(seeds)
        for t in (500, 1000)
    ]
    return pd.DataFrame(rows, columns=RUN_COLUMNS)


BASELINE = runs(LINUCB_IND=0.6, LINUCB_SIN=0.8, EG_SIN=0.7)


def compared(*alternatives, baseline=BASELINE):
    """The table of what alternatives change, on three seeds."""
    return sensitivity.table(CLAIMS.values(), baseline, pd.concat(alternatives), range(200, 203))


def curve(dataset, policy, slices, variant="tuned", spread=0.002, seeds=range(200, 210)):
    """Runs whose ratio is `slices[k]` in the k-th fifth, and differs by `spread` between seeds.

    All policies share an effect of the seed's stream, which pairing must remove.
    """
    runs = []
    for seed in seeds:
        rng = np.random.default_rng([seed, sum(policy.encode())])
        shift = 0.05 * np.sin(seed) + spread * rng.normal()
        ratios = np.repeat(np.broadcast_to(slices, 5), 50 // 5) + shift
        runs.append(
            pd.DataFrame(
                {
                    "dataset": dataset,
                    "policy": policy,
                    "variant": variant,
                    "seed": seed,
                    "round": np.arange(1, 51) * 1000.0,
                    "regret": np.cumsum(900 * ratios),
                    "random_regret": 900 * np.arange(1, 50 + 1),
                }
            )
        )
    return pd.concat(runs)


def times(policy, solver, sizes, seconds, noise=0.02, **more):
    """Rows of the scalability table; `seconds` and `sizes` align; d = 25."""
    seconds = np.asarray(seconds, dtype=float)
    row = {
        "figure": "1a",
        "policy": policy,
        "solver": solver,
        "n": sizes,
        "d": 25,
        "edges": np.asarray(sizes) * 8,
        "seconds_per_round": seconds,
        "q25": seconds * (1 - noise),
        "q75": seconds * (1 + noise),
        "fits": np.isfinite(seconds),
        "needs_gb": 1.0,
    }
    return pd.DataFrame({**row, **more})


def long_runs(*policies, dataset="lastfm"):
    """Two seeds of each policy with twenty checkpoints, 50 rounds apart; regret slows down."""
    found = [
        [dataset, policy, variant, seed, t, t**0.9 * (1 + place / 10) + seed % 7, float(t)]
        for place, (policy, variant) in enumerate(policies)
        for seed in (200, 201)
        for t in range(50, 1001, 50)
    ]
    return pd.DataFrame(found, columns=RUN_COLUMNS)


def publishable_run(folder):
    """Write a run on real data, with a verdict, to ``results/paper`` and ``figures/paper``."""
    results, figures = folder / "results" / "paper", folder / "figures" / "paper"
    config = {
        "datasets": {"lastfm": {"kind": "hetrec"}},
        "seeds": {"fresh": {"verdict": 200, "learning": 300}, "verdict": 4, "learning": 2},
        "sensitivity": {"seeds": 2},
        "verdict": {"claims": ["R", "T2"]},
    }
    files.write_json(results / "config.json", config)
    picks = results / "summary" / "picks.csv"
    files.write_text(picks, "policy,solver,picks_equal\nG-EG,cg,0.5\n")
    curves = runs(LINUCB_IND=0.6, LINUCB_SIN=0.8, CLUB=0.7, G_TS=0.65)
    outputs = Outputs(*(results / place for place in published.PLACES))
    files.write_bytes(results / published.RULES, FILE.read_bytes())
    judge_files(CLAIMS, config["verdict"]["claims"], SEEDS, curves, {"picks": picks}, outputs)
    link = '<a href="../../figures/paper/{0}.png">{0}</a>'.format
    page = link("sensitivity") + link("fig1a_n") + '<a href="verdict.csv">rows</a>'
    files.write_text(results / "verdict.html", page)
    for place in ("sensitivity.png", "sensitivity.json"):
        files.write_text(figures / place, "x")
    files.write_text(results / "summary" / "sensitivity.csv", "alternative\n")
