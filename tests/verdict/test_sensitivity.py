"""What alternatives do to ratios and verdicts, on made-up runs whose effect is known."""

import pandas as pd
import pytest
from verdict_runs import BASELINE, compared, runs

from horde.verdict import sensitivity


def test_a_claim_that_gets_another_verdict_is_named():
    worse, same = runs(variant="worse", LINUCB_IND=0.9), runs(variant="same", LINUCB_IND=0.5)
    changed = compared(worse, same).groupby("alternative")["claims_changed"].first()
    assert changed["worse"] == "R6: reproduced to not reproduced"
    assert changed["same"] == ""


def test_differences_are_paired_over_the_seeds_asked_for():
    table = compared(runs(variant="a", LINUCB_IND=0.65))
    row = table.iloc[-1]
    assert (row["alternative"], row["policy"], row["seeds"]) == ("a", "LINUCB-IND", 3)
    assert row["difference"] == pytest.approx(0.05)
    base = table[table["alternative"] == sensitivity.BASELINE]
    assert sorted(base["policy"]) == ["EG-SIN", "LINUCB-IND", "LINUCB-SIN"]
    assert (base["seeds"] == 3).all()
    assert (base["difference"] == 0).all()


def test_other_data_are_compared_with_nothing_that_was_run_on_the_old_ones():
    """LINUCB-SIN was not run on the other data, so R6 cannot be judged there."""
    table = compared(runs(dataset="delicious@data", LINUCB_IND=0.9))
    assert [*table["alternative"].unique()] == [sensitivity.BASELINE, "data"]
    assert [*table["dataset"].unique()] == ["delicious"]
    assert table["claims_changed"].eq("").all()
    unjudged = table.groupby("alternative")["claims_not_judged"].first().str.split("; ")
    assert {*unjudged["data"]} - {*unjudged[sensitivity.BASELINE]} == {"R6"}


def test_claims_on_other_graphs_are_no_part_of_the_analysis():
    """C1 and C2 compare the given graph with another one, which no alternative has."""
    unjudged = compared(runs(variant="a", LINUCB_IND=0.65))["claims_not_judged"]
    assert not unjudged.str.contains("C").any()


def test_the_table_is_that_of_the_six_digits_that_are_written():
    precise = BASELINE.assign(regret=BASELINE["regret"] * (1 + 1e-9))
    other = runs(variant="a", LINUCB_IND=0.65)
    pd.testing.assert_frame_equal(
        compared(other), compared(other, baseline=precise), check_exact=True
    )
