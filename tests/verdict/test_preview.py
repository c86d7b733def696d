"""The preview: one seed's point estimates against the thresholds, never a verdict."""

import numpy as np
import pandas as pd
import pytest
from verdict_runs import CLAIMS, curve, runs

from horde.figures import pages
from horde.verdict.preview import MEETS, MISSES, STATUS, preview


def outcome(claim, table, seed=0):
    (row,) = preview([CLAIMS[claim]], table, seed).to_dict("records")
    return row


@pytest.mark.parametrize(("alone", "as_one", "expected"), [(0.5, 0.6, MEETS), (0.6, 0.5, MISSES)])
def test_the_estimate_of_the_seed_alone_decides(alone, as_one, expected):
    # The other seed says the opposite.
    table = pd.concat(
        [
            runs([0], LINUCB_IND=alone, LINUCB_SIN=as_one),
            runs([1], LINUCB_IND=as_one, LINUCB_SIN=alone),
        ]
    )
    row = outcome("R6", table)
    assert row["outcome"] == expected
    assert row["estimate"] == pytest.approx(alone - as_one)
    assert "seeds" not in row["evidence"]


@pytest.mark.parametrize(("distance", "expected"), [(0.019, MEETS), (0.021, MISSES)])
def test_an_equivalence_is_held_to_its_margin(distance, expected):
    table = pd.concat(
        curve(dataset, policy, level, spread=0, seeds=[0])
        for dataset in ("lastfm", "delicious")
        for policy, level in (("G-EG", 0.5 + distance), ("GOBLIN", 0.5))
    )
    row = outcome("R9", table)
    assert row["outcome"] == expected
    assert row["estimate"] == pytest.approx(distance)


def test_a_claim_without_its_runs_was_not_run():
    row = outcome("R6", runs([0], LINUCB_IND=0.5))
    assert row["outcome"] == "not run"
    assert np.isnan(row["estimate"])
    assert "LINUCB-SIN on delicious, seed 0, is missing" in row["evidence"]


def test_every_row_of_table_and_page_says_that_it_is_no_verdict(tmp_path):
    table = preview(CLAIMS.values(), runs([0], LINUCB_IND=0.5, LINUCB_SIN=0.6), 0)
    assert set(table["claim"]) >= {f"R{k}" for k in range(1, 11)}
    assert "S1" not in set(table["claim"])  # judged by measured times, not by regret
    assert set(table["status"]) == {STATUS}
    facts = {"run": "a<b", "generated": False, "data": ["x<y"], "rounds": 1000, "seed": 0}
    pages.write_preview(tmp_path / "page.html", table, **facts)
    text = (tmp_path / "page.html").read_text("utf-8")
    assert text.count(f">{STATUS}</span>") == len(table)
    assert "<h1>Preview, no verdict" in text
    assert "x&lt;y" in text
    for outcome_of_a_verdict in ("not reproduced", "inconclusive", ">reproduced<"):
        assert outcome_of_a_verdict not in text
