"""The verdict's page: whole, self-contained, and honest about the data."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from horde.figures import verdict_page
from horde.verdict import claims, units
from horde.verdict.engine import Evidence, judge, judge_beside

CLAIMS = claims.load(Path(__file__).parents[1] / "workflow" / "claims.yaml")
TABLE = pd.DataFrame(
    {
        "figure": ["1b"] * 12,
        "policy": ["CLUB"] * 3 + ["G-EG"] * 6 + ["G-TS"] * 3,
        "solver": ["none"] * 3 + ["cg"] * 3 + ["local"] * 3 + ["cg"] * 3,
        "n": 1024,
        "d": [10, 100, 500] * 4,
        "edges": 5,
        "seconds_per_round": [1, 30, 400, 1, 10.5, 50, 1, 100, 9000, 1, 10.5, 50],
    }
).assign(q25=1, q75=1)


@pytest.fixture
def write(tmp_path):
    def write(generated=False, changes=()):
        evidence = Evidence(tables={"scalability": TABLE})
        judged, beside = (by(CLAIMS.values(), evidence) for by in (judge, judge_beside))
        TABLE.to_csv(tmp_path / "scalability.csv", index=False)
        told = verdict_page.Told(
            "a<b", generated, ["Last.fm: official files"], {"verdict": [100, 109]}, changes
        )
        path = tmp_path / "results" / "verdict.html"
        tables = {"scalability": tmp_path / "scalability.csv"}
        verdict_page.write(path, CLAIMS, judged, beside, tables, tmp_path / "figures", told)
        return path.read_text("utf-8")

    return write


@pytest.mark.parametrize(
    ("value", "verdict", "expected"),
    [(1.2, "reproduced", "slope"), (3.0, "reproduced", "s a round"), (np.nan, "not run", "")],
)
def test_a_number_says_what_the_part_that_decides_counts(value, verdict, expected):
    evidence = "log-log slope of a on b = 1.2: reproduced; seconds_per_round of a = 3: reproduced"
    row = pd.Series({"value": value, "low": np.nan, "high": np.nan, "verdict": verdict})
    assert units.unit(pd.concat([row, pd.Series({"evidence": evidence})])) == expected


def test_the_page_tells_claims_on_fresh_seeds_from_those_on_tables(write):
    text = write()
    assert "claims on regret on seeds that no figure" in text
    assert '<span class="soft">slope</span>' in text


def test_each_claim_has_its_row_with_figure_and_lines(write):
    text = write()
    assert re.findall(r'<tr id="(\w+)">', text) == list(CLAIMS)
    row = text[text.index('<tr id="S8">') : text.index('<tr id="R1">')]
    assert 'href="../figures/fig1b_d.png"' in row
    assert '<a href="../scalability.csv">../scalability.csv</a>, lines 2-7, 11-13' in row
    assert "measured" in row


def test_another_reading_stands_beside_its_claim(write):
    text = write()
    row = text[text.index('<tr id="S8">') : text.index('<tr id="R1">')]
    beside = row[row.index('<td class="beside">') :]
    assert beside.startswith('<td class="beside">with the local solver: <span class="outcome')
    assert "G-EG (local)" in beside
    assert "lines 2-4, 8-10" in beside
    r1 = text[text.index('<tr id="R1">') : text.index('<tr id="R2">')]
    assert '<td class="beside"></td>' in r1


def test_nothing_is_loaded_from_elsewhere_and_names_are_escaped(write):
    text = write()
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", text)
    assert "<script src" not in text
    assert "a&lt;b" in text
    assert "a<b" not in text


def test_generated_data_are_called_so(write):
    assert "not the paper's" not in write()
    assert "Generated data, not the paper's" in write(generated=True)


def test_changes_of_the_rules_stand_on_the_page(write):
    assert "Nothing has changed" in write()
    assert "R5, its rule (2026-01-01, abc)" in write(changes=[("R5", "rule", "2026-01-01, abc")])
    assert "git has no history" in write(changes=None)


def test_a_claim_without_a_value_has_an_empty_cell(write):
    text = write()
    row = text[text.index('<tr id="R1">') : text.index('<tr id="R2">')]
    assert '<td class="number"></td>' in row  # the style hides empty cells' headings
