"""Tables that the figures' tests draw, and the texts of what is drawn."""

import itertools

import numpy as np
import pandas as pd

CURVES = {"Random": 1.0, "LINUCB-IND": 0.9, "CLUB": 0.62, "G-TS": 0.6, "GOBLIN": 0.61}


def regret_rows(dataset="lastfm", variants=("tuned", "paper"), seeds=3):
    rounds = np.arange(1, 41) * 100
    tables = []
    for variant, (policy, end) in itertools.product(variants, CURVES.items()):
        ratio = end + (1 - end) * 800 / (800 + rounds)  # no exponential: the same digits everywhere
        half = 0.02 if seeds > 1 else np.nan
        columns = {"dataset": dataset, "policy": policy, "variant": variant, "round": rounds}
        means = {"ratio_mean": ratio, "ratio_low": ratio - half, "ratio_high": ratio + half}
        tables.append(pd.DataFrame({**columns, **means, "seeds": seeds}))
    return pd.concat(tables, ignore_index=True)


def timing_rows():
    rows = []

    def add(figure, policy, solver, n, d, edges, seconds, needs_gb=1.0):
        fits = needs_gb < 12
        seconds = seconds if fits else np.nan
        rows.append((figure, policy, solver, n, d, edges, seconds, fits, needs_gb))

    for n, needs in ((256, 1.0), (1024, 5.0), (2048, 21.0)):
        add("1a", "GOBLIN", "dense", n, 25, n * n // 400, n**2 * 1e-6, needs)
    for n, (policy, solver) in itertools.product(
        (256, 1024, 16384, 32768), (("G-EG", "cg"), ("G-EG", "local"), ("CLUB", "none"))
    ):
        add("1a", policy, solver, n, 25, n * n // 400, n * (1e-6 if solver == "cg" else 1e-9))
    for edges in (10**5, 10**7):
        add("1a", "G-EG", "cg", 16384, 25, edges, edges * 1e-8)
    for d in (10, 100):
        add("1b", "GOBLIN", "dense", 1024, d, 2600, d**2 * 1e-4, d**2 / 100)
        add("1b", "CLUB", "none", 1024, d, 2600, d * 1e-6)
    columns = ["figure", "policy", "solver", "n", "d", "edges", "seconds_per_round"]
    table = pd.DataFrame(rows, columns=[*columns, "fits", "needs_gb"])
    seconds = table["seconds_per_round"]
    return table.assign(q25=0.9 * seconds, q75=1.2 * seconds)


def texts(figure):
    """All that is written in a figure but for numbers at its axes."""
    found = [text.get_text() for text in figure.texts]
    for axes in figure.axes:
        found += [axes.get_title("left"), axes.get_xlabel(), axes.get_ylabel()]
        found += [text.get_text() for text in axes.texts]
    return found
