"""From runs and tables to the verdict: the paper's claims, and the files of a run."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
import yaml
from verdict_runs import CLAIMS, SEEDS, TEN_SEEDS, curve, long_runs, runs, times

from horde.verdict.judge import (
    COLUMNS,
    FINAL_COLUMNS,
    NOT_ASKED,
    Evidence,
    Outputs,
    checkpoints,
    judge,
    judge_files,
)

# The paper's claims


RATIOS = yaml.safe_load("""
lastfm:
  {LINUCB-IND: [0.99, 0.95, 0.9, 0.85, 0.8], EG-IND: [0.992, 0.952, 0.902, 0.852, 0.802],
   TS-IND: [0.988, 0.948, 0.898, 0.848, 0.798], LINUCB-SIN: [0.7, 0.66, 0.65, 0.65, 0.65],
   EG-SIN: [0.7, 0.66, 0.65, 0.65, 0.65], CLUB: 0.6, G-TS: 0.595, G-EG: 0.62, GOBLIN: 0.615,
   U-EG: 0.59, L-EG: 0.75}
delicious:
  {LINUCB-IND: 0.5, EG-IND: 0.505, TS-IND: 0.495, LINUCB-SIN: 0.8, EG-SIN: 0.8, CLUB: 0.75,
   G-TS: 0.5, G-EG: 0.505, GOBLIN: 0.5, U-EG: 0.45, L-EG: 0.44}
""")
SECONDS = {("GOBLIN", "dense"): 3000.0, ("GOBLIN++", "cg"): 40.0, ("G-EG", "cg"): 2.0}
SECONDS |= {("G-TS", "cg"): 3.0}
SECONDS |= {
    (name, "none"): 0.1 for name in ("CLUB", "LINUCB-IND", "LINUCB-SIN", "EG-IND", "TS-IND")
}


def agreeing_runs():
    """Runs on which everything that the paper says of regret is true."""
    runs = [
        curve(dataset, policy, level)
        for dataset, levels in RATIOS.items()
        for policy, level in levels.items()
    ]
    for dataset in RATIOS:
        learned = {"seeds": TEN_SEEDS["learning"]}
        runs += [curve(dataset, name, level, **learned) for name, level in RATIOS[dataset].items()]
        runs += [
            curve(dataset, name, RATIOS[dataset][name], "ours", **learned)
            for name in ("L-EG", "U-EG")
        ]
        runs += [
            curve(f"{dataset}@permuted", name, RATIOS[dataset][name] + 0.1)
            for name in ("G-EG", "G-TS", "GOBLIN")
        ]
        runs += [
            curve(dataset, "G-EG", 0.9, "exploration-only"),
            curve(dataset, "G-EG", RATIOS[dataset]["G-EG"] + 0.003, "five-cg"),
            curve(dataset, "G-EG", 0.86, "lam-0.01"),
            curve(dataset, "G-EG", 0.863, "paper"),
        ]
        # The configuration in which all claims hold together.
        runs += [curve(f"{dataset}@pca", name, level) for name, level in RATIOS[dataset].items()]
        runs += [
            curve(f"{dataset}@pca", name, RATIOS[dataset][name], "front")
            for name in ("G-EG", "EG-IND")
        ]
        runs.append(curve(f"{dataset}@pca", "G-EG", 0.9, "front-exploration-only"))
    for (share, level), (policy, exponent) in itertools.product(
        ((0, 1), (50, 2), (100, 3)), (("G-EG", 0.66), ("G-TS", 0.5))
    ):
        run = curve(f"theory-isolated-{share}", policy, 1.0, "theory")
        runs.append(run.assign(regret=level * run["round"] ** exponent))
        run = run.assign(variant="theory-exploitation")
        runs.append(run.assign(regret=0.9 * level * run["round"] ** exponent))
    return pd.concat(runs)


def agreeing_tables():
    """Tables on which everything that the paper says of times and hyper-parameters is true."""
    n = np.array([1024, 16384, 20480, 24576, 28672, 32768, 50000])
    d = np.array([10, 25, 50, 100, 200, 500])
    parts = [times("GOBLIN", "dense", [512, 1024, 2048], [1.0, 4.0, np.nan], needs_gb=21.0)]
    parts.append(times("GOBLIN++", "cg", [512, 1024], [0.01, 0.04]))
    wobble = np.exp(0.01 * np.array([1, -1, 1, 1, -1, 1, -1]))
    for (policy, solver), cost in SECONDS.items():
        if policy != "GOBLIN":
            work = n * 25.0**2 + 25 * (n + 16 * n)
            parts.append(times(policy, solver, n[1:], (cost * 1e-8 * work * wobble)[1:]))
        exponent = {"GOBLIN": 2.0, "CLUB": 2.0}.get(policy, 1.5)
        base = cost if policy.startswith(("GOBLIN", "G-")) else 4.0
        parts.append(times(policy, solver, 1024, base * d**exponent * wobble[:6], figure="1b", d=d))
    for (policy, solver), edges in itertools.product(
        (("G-EG", "cg"), ("G-TS", "cg")), (10**5, 4 * 10**5, 16 * 10**5)
    ):
        seconds = SECONDS[policy, solver] * 1e-8 * (16384 * 25.0**2 + 25 * (16384 + 2 * edges))
        parts.append(times(policy, solver, [16384], [seconds], edges=edges))
    learning = {"policy": ["L-EG", "G-EG"] * 2, "variant": "five-cg", "dataset": "delicious"}
    return {
        "scalability": pd.concat(parts),
        "graph_learning": pd.DataFrame({**learning, "seconds_per_round": [0.0108, 0.004] * 2}),
        "tuning": pd.DataFrame(
            [
                {"dataset": dataset, "policy": policy, "lam": lam, "ratio": ratio}
                for dataset in ("lastfm", "delicious")
                for policy in ("G-EG", "G-TS", "GOBLIN")
                for lam, ratio in ((0.001, 0.7), (0.01, 0.6), (0.1, 0.7))
            ]
        ),
        "picks": pd.DataFrame({"policy": ["G-EG"], "solver": ["cg"], "picks_equal": [0.995]}),
        "trace_bound": pd.DataFrame({"reading": ["L", "unnormalised"], "slack": [0.1, -1.0]}),
        "counterparts": pd.DataFrame({"policy": ["G-EG", "G-TS"], "picks_equal": [1.0, 1.0]}),
    }


@pytest.fixture(scope="module")
def agreeing():
    return judge(CLAIMS.values(), Evidence(agreeing_runs(), TEN_SEEDS, agreeing_tables()))


def test_results_that_agree_with_the_paper_reproduce_every_claim(agreeing):
    assert list(agreeing.columns) == COLUMNS
    failed = agreeing[agreeing.verdict != "reproduced"]
    assert failed.empty, failed[["claim", "verdict", "evidence"]].to_string()
    assert len(agreeing) == 36
    assert agreeing.says.ne("").all()


def test_results_that_contradict_the_paper_reproduce_none_on_regret(agreeing):
    """Swapping good and bad policies turns every ordering round."""
    runs = agreeing_runs()
    turned = runs.assign(regret=np.where(runs.variant == "tuned", 1.4, 1) * runs.random_regret)
    turned["regret"] -= np.where(runs.variant == "tuned", runs.regret, 0)
    rows = judge(CLAIMS.values(), Evidence(turned, TEN_SEEDS)).set_index("claim")
    orderings = ["R1", "R2", "R3", "R6", "R7", "L1", "L2", "L3", "L4", "L5", "L6", "L7"]
    assert (rows.loc[orderings, "verdict"] == "not reproduced").all(), rows.loc[orderings]


def test_without_results_nothing_is_judged():
    rows = judge(CLAIMS.values(), Evidence(seeds=TEN_SEEDS))
    assert (rows.verdict == "not run").all()
    assert rows[["value", "low", "high"]].isna().all(axis=None)


def test_the_verdict_names_what_it_rests_on(agreeing):
    rows = agreeing.set_index("claim")
    assert rows.loc["R4", "evidence"].startswith("ratio of G-TS on lastfm minus CLUB on lastfm")
    assert "10 seeds" in rows.loc["R4", "evidence"]
    assert "10 seeds" in rows.loc["L1", "evidence"]
    assert "3 seeds" in rows.loc["T2", "evidence"]
    assert rows.loc["R4", "rule"] == "equivalent within +-0.02, or less"
    assert rows.loc["S4", "evidence"].endswith("(decides; 50 of 50 parts have this outcome)")


# The files of a run


@pytest.fixture
def judged(tmp_path):
    picks = tmp_path / "picks.csv"
    picks.write_text("dataset,policy,solver,picks_equal\nlastfm,G-EG,cg,0.5\n", "utf-8")
    outputs = Outputs(*(tmp_path / f"{name}.csv" for name in Outputs._fields))
    curves = runs(LINUCB_IND=0.6, LINUCB_SIN=0.8)
    judge_files(CLAIMS, ["R6", "S", "T2"], SEEDS, curves, {"picks": picks}, outputs)
    return Outputs(*(pd.read_csv(path) for path in outputs))


def test_claims_are_judged_by_the_files_and_those_not_asked_for_say_so(judged):
    verdict, timing = (table.set_index("claim") for table in (judged.verdict, judged.timing))
    assert verdict.loc["R6", "verdict"] == "reproduced"
    assert verdict.loc["R6", "value"] == pytest.approx(-0.2)
    assert verdict.loc["T2", "verdict"] == "not reproduced"
    assert tuple(verdict.loc["R1", ["verdict", "evidence"]]) == ("not run", NOT_ASKED)
    assert timing.loc["S1", "evidence"] != NOT_ASKED


def test_each_claim_has_one_row_and_measured_times_stand_apart(judged):
    timed = ["S1", "S3", "S4", "S5", "S6", "S7", "S8", "L8"]
    assert [*judged.timing["claim"]] == timed
    assert sorted([*judged.verdict["claim"], *timed]) == sorted(CLAIMS)
    alternative = judged.alternative.set_index(["claim", "reading"])
    read = [(name, other.reading) for name, c in CLAIMS.items() for other in c.alternatives]
    assert [*alternative.index] == read
    assert alternative.loc[read[-1], "evidence"] == NOT_ASKED


def test_a_row_a_run_with_its_final_ratio(judged):
    assert [*judged.runs.columns] == FINAL_COLUMNS
    assert [*judged.runs["round"]] == [1000] * 8
    np.testing.assert_allclose(judged.runs["ratio"], judged.runs["regret"] / 1000)


def test_claims_on_parts_of_runs_are_judged_by_the_checkpoints_that_are_kept():
    curves = pd.concat(
        [
            long_runs(("LINUCB-SIN", "tuned"), ("LINUCB-IND", "tuned")),
            long_runs(("G-EG", "theory"), dataset="theory-isolated-0"),
        ]
    )
    asked = [CLAIMS[name] for name in ("R1", "R2", "B1")]
    kept = checkpoints(asked, curves)
    seeds = {"verdict": [200, 201]}
    by_all, by_kept = (judge(asked, Evidence(runs, seeds)) for runs in (curves, kept))
    assert "not run" not in {*by_all["verdict"]}
    pd.testing.assert_frame_equal(by_all, by_kept)
    looked_at = kept[(kept["policy"] == "LINUCB-SIN") & (kept["seed"] == 200)]["round"]
    assert [*looked_at] == [100, 200, 400, 600, 800, 1000]


def test_a_round_between_checkpoints_keeps_those_on_either_side():
    curves = long_runs(("LINUCB-SIN", "tuned"), ("LINUCB-IND", "tuned"))
    kept = checkpoints([CLAIMS["R2"]], curves[curves["round"] % 150 == 0])
    assert sorted(kept["round"].unique()) == [150, 300, 450, 600, 750, 900]
    first = kept[(kept["policy"] == "LINUCB-IND") & (kept["seed"] == 200)]["round"]
    assert [*first] == [150, 900]


def test_the_verdict_rests_on_the_six_digits_that_are_written(tmp_path):
    """Whoever has the tables can judge again exactly, on any processor."""
    curves = runs(LINUCB_IND=0.6, LINUCB_SIN=0.8)
    curves["regret"] **= 1.01
    written = []
    for place, factor in enumerate((1, 1 + 1e-9)):
        outputs = Outputs(*(tmp_path / f"{name}-{place}.csv" for name in Outputs._fields))
        judge_files(
            CLAIMS, "R", SEEDS, curves.assign(regret=curves["regret"] * factor), {}, outputs
        )
        written.append([path.read_text("utf-8") for path in outputs])
    assert written[0] == written[1]
    numbers = pd.read_csv(tmp_path / "verdict-0.csv", dtype=str)[["value", "low", "high"]]
    digits = [re.sub(r"e.*|[-.]", "", number).lstrip("0") for number in numbers.stack().dropna()]
    assert max(map(len, digits)) == 6
