"""Made-up runs whose verdicts are known, for the tests of the verdict and of publishing."""

from pathlib import Path

import pandas as pd

from horde.results.tables import RUN_COLUMNS
from horde.verdict import claims

FILE = Path(__file__).parents[1] / "workflow" / "claims.yaml"
CLAIMS = claims.load(FILE)
SEEDS = {"verdict": range(100, 104), "learning": range(100, 102)}


def runs(seeds=SEEDS["verdict"], dataset="delicious", variant="tuned", **ratios):
    """Two checkpoints of each policy and seed; ratios differ a little from seed to seed."""
    rows = [
        [dataset, policy.replace("_", "-"), variant, seed, t, (ratio + 1e-4 * place) * t, float(t)]
        for policy, ratio in ratios.items()
        for place, seed in enumerate(seeds)
        for t in (500, 1000)
    ]
    return pd.DataFrame(rows, columns=RUN_COLUMNS)
