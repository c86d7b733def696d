"""Shares and main effects over specifications, on made-up runs whose verdicts are known."""

import pandas as pd
import pytest
from verdict_runs import entry, parsed, runs

from horde.results.tables import TUNED
from horde.verdict import multiverse
from horde.verdict.rules import REPRODUCED

SEEDS = (1, 4, 7)
AGAINST = "dataset: delicious, b: EG-IND, over: [0, 1]"
CLAIMS = parsed(
    R1=entry(f"less: {{a: G-EG, {AGAINST}}}"),
    R2=entry(f"similar_or_less: {{a: CLUB, {AGAINST}, margin: 0.02}}"),
)


def specifications(*rows):
    columns = ["specification", "hyper", "scaling", "claims", "seeds"]
    return pd.DataFrame([(*row, "R", "1 4 7") for row in rows], columns=columns)


def curves(**ratios):
    """Return runs whose ratios are given by specification: of EG-IND, G-EG and CLUB."""
    tables = []
    for name, values in ratios.items():
        named = dict(zip(("EG_IND", "G_EG", "CLUB"), values, strict=True))
        tables.append(runs(SEEDS, **named).assign(specification=name, **dict.fromkeys(TUNED, 1.0)))
    return pd.concat(tables)


def judged(listed, **ratios):
    return multiverse.judged(CLAIMS.values(), listed, curves(**ratios))


LISTED = specifications(
    ("A", "tuned", "none"), ("B", "tuned", "unit"), ("C", "paper", "none"), ("D", "paper", "unit")
)


def test_margins_are_distances_from_the_bounds():
    table = judged(LISTED[:1], A=(0.8, 0.7, 0.81)).set_index("claim")
    assert table.loc["R1", "margin"] == pytest.approx(0.1)
    assert table.loc["R2", "margin"] == pytest.approx(0.01)  # 0.02 allowed, 0.01 needed
    assert list(table["verdict"]) == [REPRODUCED, REPRODUCED]


def test_shares_count_specifications_and_all_claims_together():
    verdicts = judged(
        LISTED, A=(0.8, 0.7, 0.7), B=(0.8, 0.7, 0.9), C=(0.8, 0.9, 0.7), D=(0.8, 0.7, 0.7)
    )
    table = multiverse.shares(CLAIMS.values(), LISTED, verdicts).set_index("claim")
    assert table["specifications"].tolist() == [4, 4, 4]
    assert table.loc[["R1", "R2", "all R"], "holds"].tolist() == [3, 3, 2]
    assert table.loc["all R", "share_reproduced"] == 0.5


def test_hindsight_counts_in_no_share():
    listed = specifications(("A", "tuned", "none"), ("B", "hindsight", "none"))
    verdicts = judged(listed, A=(0.8, 0.9, 0.9), B=(0.8, 0.7, 0.7))
    table = multiverse.shares(CLAIMS.values(), listed, verdicts)
    assert set(table["specifications"]) == {1}
    assert table["holds"].sum() == 0


def test_a_specification_without_the_runs_is_not_counted():
    verdicts = judged(LISTED[:1], A=(0.8, 0.7, 0.7))
    without = curves(A=(0.8, 0.7, 0.7))
    without = without[without["policy"] != "CLUB"]
    fewer = multiverse.judged(CLAIMS.values(), LISTED[:1], without)
    assert list(verdicts["claim"]) == ["R1", "R2"]
    assert list(fewer["claim"]) == ["R1"]
    # Nobody knows whether all claims hold where one of them was not judged.
    assert list(multiverse.shares(CLAIMS.values(), LISTED[:1], fewer)["claim"]) == ["R1"]


def test_an_effect_is_the_share_of_variance_between_levels():
    verdicts = judged(
        LISTED, A=(0.8, 0.7, 0.7), B=(0.8, 0.7, 0.9), C=(0.8, 0.6, 0.7), D=(0.8, 0.6, 0.9)
    )
    table = multiverse.effects(LISTED, verdicts, ["hyper", "scaling"])
    found = table.set_index(["claim", "choice"])["explained"]
    # R1 hangs on `hyper` alone, R2 on `scaling` alone.
    assert found["R1", "hyper"] == pytest.approx(1)
    assert found["R1", "scaling"] == pytest.approx(0)
    assert found["R2", "hyper"] == pytest.approx(0)
    assert found["R2", "scaling"] == pytest.approx(1)


def test_final_ratios_keep_the_values_of_the_run():
    table = multiverse.final_ratios(curves(A=(0.8, 0.7, 0.7)))
    assert len(table) == 9
    assert table.loc[table["policy"] == "G-EG", "ratio"].iloc[0] == pytest.approx(0.7)
    assert (table["lam"] == 1.0).all()
