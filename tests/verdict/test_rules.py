"""Each kind of rule, on made-up results whose verdicts are known."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
import yaml
from verdict_runs import FILE, TEN_SEEDS, curve, entry, parsed, times

from horde.results.statistics import Interval, t_interval
from horde.verdict import words
from horde.verdict.judge import Evidence, judge, judge_alternatives


def verdict_of(rule, *runs, tables=None, seeds=TEN_SEEDS):
    """Judge one rule, given as YAML."""
    claim = entry(rule, "verdict" if runs else None)
    evidence = Evidence(pd.concat(runs) if runs else Evidence().runs, seeds, tables or {})
    return judge(parsed(X1=claim).values(), evidence).iloc[0]


# Differences paired over seeds


LESS = "less: {dataset: d, a: A, b: B, over: [0, 1]}"
EQUIVALENT = "equivalent: {dataset: d, a: A, b: B, over: [0, 1], margin: 0.02}"
SIMILAR_OR_LESS = EQUIVALENT.replace("equivalent", "similar_or_less")
NO_WORSE = EQUIVALENT.replace("equivalent", "no_worse")


def paired(rule, difference, spread):
    runs = [curve("d", "A", 0.6 + difference, spread=spread), curve("d", "B", 0.6, spread=spread)]
    return verdict_of(rule, *runs)


@pytest.mark.parametrize(
    ("rule", "difference", "spread", "outcome"),
    [
        (LESS, -0.01, 0.002, "reproduced"),
        (LESS, +0.01, 0.002, "not reproduced"),
        (LESS, -0.01, 0.1, "inconclusive"),
        (LESS, 0.0, 0.0, "inconclusive"),
        (EQUIVALENT, 0.005, 0.002, "reproduced"),
        (EQUIVALENT, -0.005, 0.002, "reproduced"),
        (EQUIVALENT, 0.05, 0.002, "not reproduced"),
        (EQUIVALENT, -0.05, 0.002, "not reproduced"),
        (EQUIVALENT, 0.0, 0.1, "inconclusive"),
        (EQUIVALENT, 0.02, 0.01, "inconclusive"),
        (SIMILAR_OR_LESS, 0.005, 0.002, "reproduced"),
        (SIMILAR_OR_LESS, -0.2, 0.002, "reproduced"),
        (SIMILAR_OR_LESS, 0.05, 0.002, "not reproduced"),
        (SIMILAR_OR_LESS, 0.02, 0.01, "inconclusive"),
        (SIMILAR_OR_LESS, 0.0, 0.1, "inconclusive"),
        (NO_WORSE, 0.005, 0.002, "reproduced"),
        (NO_WORSE, -0.2, 0.002, "reproduced"),
        (NO_WORSE, 0.05, 0.002, "not reproduced"),
        (NO_WORSE, 0.02, 0.01, "inconclusive"),
    ],
)
def test_differences_are_held_against_the_rule(rule, difference, spread, outcome):
    row = paired(rule, difference, spread)
    assert row.verdict == outcome
    assert row.value == pytest.approx(difference, abs=0.1 if spread > 0.01 else 0.01)


def test_pairing_sees_a_difference_far_smaller_than_the_spread_between_streams():
    row = paired(LESS, -0.004, spread=0.0005)
    assert row.verdict == "reproduced"
    assert row.high - row.low < 0.002


def test_windows_judge_parts_of_the_run():
    run = curve("d", "A", [0.9, 0.8, 0.7, 0.7, 0.7])
    sides = "dataset: d, a: {policy: A, over: [0.8, 1]}, b: {policy: A, over: [%s]}"
    stalled = f"equivalent: {{{sides % '0.4, 0.6'}, margin: 0.02}}"
    assert verdict_of(stalled, run).verdict == "reproduced"
    row = verdict_of(f"less: {{{sides % '0, 0.2'}}}", run)
    assert row.verdict == "reproduced"
    assert row.value == pytest.approx(-0.2)


def test_regret_itself_can_be_compared_between_datasets():
    rule = "less: {statistic: regret, policy: A, a: {dataset: d}, b: {dataset: e}, over: [0, 1]}"
    row = verdict_of(rule, curve("d", "A", 0.5), curve("e", "A", 0.6))
    assert row.verdict == "reproduced"
    assert row.value == pytest.approx(-0.1 * 900 * 50)


def test_one_seed_is_inconclusive_and_a_missing_seed_is_not_run():
    runs = [curve("d", "A", 0.1, seeds=[200]), curve("d", "B", 0.9, seeds=[200])]
    assert verdict_of(LESS, *runs, seeds={"verdict": [200]}).verdict == "inconclusive"
    two = verdict_of(LESS, *runs, seeds={"verdict": [200, 201]})
    assert two.verdict == "not run"
    assert "A on d, seed 201, is missing" in two.evidence
    assert verdict_of(LESS, *runs, seeds={}).verdict == "not run"


# Growth


@pytest.mark.parametrize(
    ("exponent", "spread", "outcome"),
    [(0.5, 0.01, "reproduced"), (0.9, 0.01, "not reproduced"), (0.66, 1.0, "inconclusive")],
)
def test_growth(exponent, spread, outcome):
    rng = np.random.default_rng(3)
    runs = [
        curve("d", "A", 1.0, seeds=[seed]).assign(
            regret=lambda run: 5 * run["round"] ** (exponent + spread * rng.normal())
        )
        for seed in TEN_SEEDS["verdict"]
    ]
    row = verdict_of("growth: {dataset: d, a: A, over: [0.1, 1], at_most: 0.7}", *runs)
    assert row.verdict == outcome
    if spread < 0.1:
        assert row.value == pytest.approx(exponent, abs=0.02)


# Times


def factor_verdict(at, bound, *tables):
    sides = "where: {figure: 1a}, a: {policy: SLOW}, b: {policy: FAST, solver: cg}"
    rule = f"factor: {{table: scalability, {sides}, x: n, at: {at}, {bound}}}"
    return verdict_of(rule, tables={"scalability": pd.concat(tables)})


FAST = times("FAST", "cg", [100, 200, 400, 800], [1, 2, 4, 8])
FAST_OTHER = times("FAST", "local", [100, 200, 400, 800], [9, 9, 9, 9])


@pytest.mark.parametrize(
    ("seconds", "noise", "at", "bound", "outcome", "value"),
    [
        ([5, 20, 44], 0.02, "every", "at_least: 4", "reproduced", 5),
        ([5, 20, 12], 0.02, "every", "at_least: 4", "not reproduced", 3),
        ([5, 20, 16], 0.02, "every", "at_least: 4", "inconclusive", 4),
        ([5, 20, 44], 0.9, "every", "at_least: 4", "inconclusive", 5),
        ([5, 20, 44], 0.02, "largest", "at_least: 10", "reproduced", 11),
        ([5, 20, np.nan], 0.02, "largest", "at_least: 10", "inconclusive", 10),
        ([2, 8, 16], 0.02, "growth", "at_least: 1", "reproduced", 2),
        ([2, 8, 4], 0.02, "growth", "at_least: 1", "not reproduced", 0.5),
        ([1, 2, 4], 0.02, "every", "at_most: 1.1", "reproduced", 1),
        ([1, 2, 8], 0.02, "every", "at_most: 1.1", "not reproduced", 2),
    ],
)
def test_factor(seconds, noise, at, bound, outcome, value):
    slow = times("SLOW", "", [100, 200, 400], seconds, noise)
    row = factor_verdict(at, bound, FAST, FAST_OTHER, slow)
    assert (row.verdict, row.value) == (outcome, pytest.approx(value))


def test_factor_matches_sizes_by_edges_too():
    slow = times("SLOW", "", [100, 200], [5, 10]).assign(edges=1)
    row = factor_verdict("every", "at_least: 4", FAST, slow)
    assert row.verdict == "not run"


def test_sizes_that_were_not_measured_are_named():
    rule = """slope: {table: scalability, where: {figure: 1a}, range: {n: [16384, 32768]},
        a: {policy: FAST, solver: cg}, x: n, at_most: 1.1}"""
    row = verdict_of(rule, tables={"scalability": FAST})
    assert row.verdict == "not run"
    assert "FAST (cg) was not measured with figure = 1a, n from 16,384 to 32,768" in row.evidence


def test_sizes_that_only_one_side_was_measured_at_are_named_beside_the_verdict():
    slow = times("SLOW", "", [100, 200, 400], [5, 20, np.nan])
    row = factor_verdict("every", "at_least: 4", FAST, slow)
    assert row.verdict == "reproduced"
    assert row.says.endswith("Not measured: n = 400, n = 800.")
    whole = factor_verdict("every", "at_least: 4", FAST[:2], slow[:2])
    assert "Not measured" not in whole.says


def test_factor_over_all_rows_takes_medians():
    table = pd.DataFrame(
        {
            "policy": ["SLOW"] * 3 + ["FAST"] * 3,
            "solver": "cg",
            "seconds_per_round": [2.6, 2.7, 9.0, 1.0, 1.0, 1.1],
        }
    )
    rule = "factor: {table: t, a: {policy: SLOW}, b: {policy: FAST}, at: all, at_least: 2}"
    row = verdict_of(rule, tables={"t": table})
    assert (row.verdict, row.value) == ("reproduced", pytest.approx(2.7))
    assert "medians of 3 and 3 rows" in row.evidence
    row = verdict_of(rule, tables={"t": table.iloc[1:4]})
    assert (row.verdict, row.value) == ("inconclusive", pytest.approx(5.85))
    assert np.isnan([row.low, row.high]).all()


def test_an_alternative_reading_takes_other_rows_and_leaves_the_rest_as_it_is():
    s1 = yaml.safe_load(FILE.read_text("utf-8"))["claims"]["S1"]
    s1["rule"]["factor"] |= {"b": {"policy": "FAST", "solver": "cg"}, "at": "every"}
    rows = [
        {"of": {"policy": "FAST"}, "take": {"solver": "local"}},
        {"of": {"solver": "cg"}, "take": {"solver": "none"}},
    ]
    s1["alternative"] = {"reading": "other rows", "rows": rows}
    read = parsed(S1=s1).values()
    table = pd.concat([FAST, FAST_OTHER, times("GOBLIN", "dense", [100, 200], [900, 450])])
    evidence = Evidence(tables={"scalability": table})
    row, other = judge(read, evidence).iloc[0], judge_alternatives(read, evidence).iloc[0]
    assert (row.value, row.verdict) == (225, "reproduced")
    assert (other.value, other.verdict) == (50, "inconclusive")
    assert "GOBLIN (dense) over FAST (local)" in other.evidence
    assert other.reading == "other rows"
    fewer = Evidence(tables={"scalability": table[table["solver"] != "local"]})
    assert [*judge_alternatives(read, fewer)["verdict"]] == ["not run"]


@pytest.mark.parametrize(
    ("exponent", "outcome"), [(1.0, "reproduced"), (1.5, "not reproduced"), (1.1, "inconclusive")]
)
def test_slope(exponent, outcome):
    n = 2.0 ** np.arange(10, 16)
    wobble = np.exp(0.02 * np.array([1, -1, 1, 1, -1, 1]))
    table = times("A", "cg", n, n**exponent * wobble)
    rule = "slope: {table: scalability, a: {policy: A}, x: n, at_most: 1.1}"
    row = verdict_of(rule, tables={"scalability": table})
    assert row.verdict == outcome
    assert row.value == pytest.approx(exponent, abs=0.02)


def test_slope_on_the_work_of_one_iteration():
    n = np.array([100.0, 200, 400, 800])
    edges = np.array([50.0, 900, 40, 3000])
    work = n * 25**2 + 25 * (n + 2 * edges)
    table = times("A", "cg", n, work**0.9, edges=edges)
    rule = "slope: {table: scalability, a: {policy: A}, x: work, at_most: 1}"
    row = verdict_of(rule, tables={"scalability": table})
    assert (row.verdict, row.value) == ("reproduced", pytest.approx(0.9))


def test_slopes_before_and_after_a_kink_are_judged_apart():
    n = 2.0 ** np.arange(10, 18)
    wobble = np.exp(0.01 * np.array([1, -1, 1, 1, -1, 1, -1, -1]))
    seconds = np.where(n < 2**14, n, n**1.5 / 2**7) * wobble
    table = times("A", "cg", n, seconds, needs_gb=n / 2**13)
    rule = """slope: {table: scalability, a: {policy: A, solver: cg}, x: n, kink: true,
        at_most: 1.1}"""
    row = verdict_of(rule, tables={"scalability": table})
    assert (row.verdict, row.value) == ("not reproduced", pytest.approx(1.5, abs=0.05))
    assert re.search(r"sizes that need above [12]\.00 GB: exponent 1\.[45]", row.says), row.says
    assert re.search(r"where up to [12]\.00 GB are needed = ", row.evidence), row.evidence
    few = verdict_of(rule, tables={"scalability": table[:5]})
    assert few.verdict == "not run"


def test_slope_of_a_ratio():
    n = np.array([100, 200, 400, 800])
    table = pd.concat([times("A", "", n, n**2.0), times("B", "", n, n**1.5)])
    rule = "slope: {table: scalability, a: {policy: A}, b: {policy: B}, x: n, at_least: 0}"
    row = verdict_of(rule, tables={"scalability": table})
    assert (row.verdict, row.value) == ("reproduced", pytest.approx(0.5))


# Bounds and the best value


def bound_verdict(column, bound, table):
    rule = f"bound: {{table: t, where: {{policy: A}}, column: {column}, {bound}}}"
    return verdict_of(rule, tables={"t": table})


def test_bound_must_hold_in_every_row_and_the_worst_is_shown():
    table = pd.DataFrame({"policy": ["A", "A", "B"], "picks_equal": [0.999, 0.993, 0.1]})
    row = bound_verdict("picks_equal", "at_least: 0.99", table)
    assert (row.verdict, row.value) == ("reproduced", 0.993)
    row = bound_verdict("picks_equal", "at_least: 0.995", table)
    assert (row.verdict, row.value) == ("not reproduced", 0.993)
    assert bound_verdict("slack", "at_least: 0", table).verdict == "not run"
    assert bound_verdict("picks_equal", "at_least: 0", table[2:]).verdict == "not run"


def test_bound_on_seconds_uses_the_quartiles_and_refusals():
    table = times("A", "cg", [100], [2.0], noise=0.1)
    assert bound_verdict("seconds_per_round", "at_most: 3", table).verdict == "reproduced"
    assert bound_verdict("seconds_per_round", "at_most: 2", table).verdict == "inconclusive"
    assert bound_verdict("seconds_per_round", "at_most: 1", table).verdict == "not reproduced"
    refused = times("A", "cg", [100], [np.nan])
    assert bound_verdict("seconds_per_round", "at_most: 9", refused).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        ({0.001: 0.7, 0.01: 0.6, 0.1: 0.65}, "reproduced"),
        ({0.001: 0.7, 0.01: 0.6, 0.1: 0.599}, "inconclusive"),
        ({0.001: 0.7, 0.01: 0.6, 0.1: 0.5}, "not reproduced"),
        ({0.001: 0.7, 0.1: 0.5}, "not run"),
    ],
)
def test_minimiser_takes_the_other_hyper_parameters_at_their_best(scores, outcome):
    table = pd.DataFrame(
        [
            {"dataset": "d", "policy": "A", "lam": lam, "alpha": alpha, "ratio": ratio + alpha}
            for (lam, ratio), alpha in itertools.product(scores.items(), [0.0, 0.3])
        ]
    )
    rule = """minimiser: {table: tuning, dataset: d, policy: A, column: lam, score: ratio,
        expected: 0.01, margin: 0.02}"""
    row = verdict_of(rule, tables={"tuning": table})
    assert row.verdict == outcome
    if outcome != "not run":
        assert row.value == min(scores, key=scores.get)


@pytest.mark.parametrize(
    ("differences", "outcome"),
    [([0.02, 0.02, -0.011], "inconclusive"), ([0.02, 0.02, -0.009], "not reproduced")],
)
def test_minimiser_is_inconclusive_where_the_streams_do_not_tell_the_scores_apart(
    differences, outcome
):
    """Means .0097 and .0103, standard errors .0103 and .0097."""
    lowest = [0.5, 0.6, 0.7]
    streams = {0.01: np.add(lowest, differences), 0.1: lowest, 1.0: np.add(lowest, 0.3)}
    table = pd.DataFrame(
        [
            {"dataset": "d", "policy": "A", "lam": lam, "ratio": np.mean(scores)}
            | {f"stream{place}": score for place, score in enumerate(scores)}
            for lam, scores in streams.items()
        ]
    )
    rule = """minimiser: {table: tuning, dataset: d, policy: A, column: lam, score: ratio,
        expected: 0.01}"""
    row = verdict_of(rule, tables={"tuning": table})
    assert (row.verdict, row.value) == (outcome, 0.1)


# Words


@pytest.mark.parametrize(
    ("rule", "difference", "said"),
    [
        (LESS, -0.2, "A against B (final ratio, d): 0.200 lower"),
        (LESS, 0.05, "the rule asks for a difference below 0"),
        (SIMILAR_OR_LESS, 0.05, "the rule asks for a difference below 0, or of at most 0.02"),
        (EQUIVALENT, 0.05, "the rule asks for a difference of at most 0.02"),
        (NO_WORSE, 0.05, "the rule asks for at most 0.02 higher"),
    ],
)
def test_a_difference_is_told_in_words(rule, difference, said):
    assert said in paired(rule, difference, 0.0).says


@pytest.mark.parametrize(
    ("rule", "difference", "level"),
    [
        (LESS, -0.03, 95),
        (EQUIVALENT, 0.005, 90),
        (NO_WORSE, 0.005, 90),
        (SIMILAR_OR_LESS, 0.005, 90),
        (SIMILAR_OR_LESS, -0.03, 95),  # lower, which the 95 % interval shows
    ],
)
def test_the_level_is_that_of_the_interval_beside_it(rule, difference, level):
    row = paired(rule, difference, 0.002)
    assert f"({level} % interval: " in row.says
    final = [
        curve("d", name, ratio, spread=0.002).groupby("seed").last()
        for name, ratio in (("A", 0.6 + difference), ("B", 0.6))
    ]
    a, b = (run["regret"] / run["random_regret"] for run in final)
    assert row.low == pytest.approx(t_interval(a - b, level / 100).low, abs=1e-4)


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        ((-0.006, -0.012, -0.0003), "0.006 lower (95 % interval: 0.000 to 0.012 lower)"),
        ((0.006, 0.0, 0.012), "0.006 higher (95 % interval: 0.000 to 0.012 higher)"),
        ((-0.006, -0.012, 0.01), "0.006 lower (95 % interval: 0.012 lower to 0.010 higher)"),
        ((0.0001, 0.0, 0.0002), "the same (95 % interval: the same)"),
    ],
)
def test_the_ends_of_an_interval_in_words(interval, said):
    assert words.difference(Interval(*interval), 95) == said


def test_what_exploring_costs_by_itself_is_told():
    row = paired(EQUIVALENT.replace("margin", "explores: 0.1, margin"), 0.05, 0.0)
    assert re.search(r"costs 0.1 \(1 − ratio\) = 0.040 by itself", row.says), row.says


def test_a_ratio_of_times_is_told_in_words_and_no_power_of_ten():
    slow = times("SLOW", "", [100, 200], [16_000, 32_800])
    row = factor_verdict("largest", "at_least: 50", FAST, slow)
    assert row.says == (
        "Time of SLOW over FAST (CG) at n = 200: 16,400× (quartiles 15,757 to 17,069); the rule "
        "asks for at least 50×."
    )
    assert (row.at_least, row.factor) == (50, True)
    assert np.isnan(row.at_most)


def test_a_share_is_told_in_per_cent():
    table = pd.DataFrame({"policy": ["A"], "dataset": ["lastfm"], "picks_equal": [0.9997]})
    says = bound_verdict("picks_equal", "at_least: 0.99", table).says
    assert says == "A on Last.fm: share of equal picks 99.97 %; the rule asks for at least 99 %."


# Conjunctions


def test_one_failure_decides_even_when_another_part_is_missing():
    def rule(*others):
        parts = ", ".join(f"{{{LESS.replace('a: A', f'a: {a}')}}}" for a in ("A", *others))
        return f"all: [{parts}]"

    better, worse, same = (
        curve("d", policy, level) for policy, level in (("A", 0.5), ("W", 0.7), ("B", 0.6))
    )
    assert verdict_of(rule("A"), better, same).verdict == "reproduced"
    assert verdict_of(rule("missing"), better, same).verdict == "not run"
    row = verdict_of(rule("missing", "W"), better, worse, same)
    assert row.verdict == "not reproduced"
    assert row.value == pytest.approx(0.1, abs=0.01)
