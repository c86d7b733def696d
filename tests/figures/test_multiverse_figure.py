"""Figures and page of the multiverse, on made-up verdicts."""

import json
import re

import pandas as pd
import pytest
from verdict_runs import CLAIMS

from horde.experiments.specifications import CHOICES, COLUMNS
from horde.figures import multiverse, pages
from horde.verdict import multiverse as shares

NAMES = ["A", "B", "C", "D"]


@pytest.fixture
def specifications():
    first = {name: levels[0] for name, levels in CHOICES.items()}
    table = pd.DataFrame([first] * 4).assign(
        specification=NAMES, claims="R", datasets="lastfm delicious", seeds="0 1 4"
    )
    table["scaling"] = ["none", "unit", "none", "unit"]
    table["hyper"] = ["tuned", "tuned", "hindsight", "hindsight"]
    return table[COLUMNS]


@pytest.fixture
def verdicts():
    margins = [0.01, -0.01, 0.03, 0.02]
    outcomes = ["reproduced", "not reproduced", "reproduced", "inconclusive"]
    table = pd.DataFrame(0.0, index=range(4), columns=shares.VERDICT_COLUMNS)
    table = table.assign(specification=NAMES, margin=margins, verdict=outcomes)
    return pd.concat([table.assign(claim=claim) for claim in ("R4", "R8")], ignore_index=True)


def test_a_curve_counts_no_oracle(tmp_path, specifications, verdicts):
    png = tmp_path / "R4.png"
    multiverse.draw_curve(CLAIMS["R4"], verdicts, specifications, png)
    caption = json.loads(png.with_suffix(".json").read_text())
    assert (caption["specifications"], caption["holds_in"]) == (2, 1)
    assert png.stat().st_size > 10_000


def test_the_overview_has_every_claim(tmp_path, specifications, verdicts):
    claims = [CLAIMS["R4"], CLAIMS["R8"]]
    table = shares.shares(claims, specifications, verdicts)
    effects = shares.effects(specifications, verdicts, CHOICES)
    png = tmp_path / "all.png"
    multiverse.draw(table, effects, png)
    caption = json.loads(png.with_suffix(".json").read_text())
    assert [row["claim"] for row in caption["shares"]] == ["R4", "R8", "all R"]
    assert png.stat().st_size > 10_000
    again = tmp_path / "again.png"
    multiverse.draw(table, effects, again)
    assert again.read_bytes() == png.read_bytes()


def test_the_page_has_all_verdicts_and_no_text_ends_its_script(tmp_path, specifications, verdicts):
    specifications.loc[0, "specification"] = verdicts.loc[0, "specification"] = "</script>"
    page = tmp_path / "multiverse.html"
    pages.write_multiverse(page, CLAIMS, verdicts, specifications, run="test", generated=False)
    (data,) = re.findall(r"const data = (\{.*\});\n", page.read_text("utf-8"))
    found = {claim["name"]: claim["rows"] for claim in json.loads(data)["claims"]}
    assert [row[1] for row in found["R4"]] == [-0.01, 0.01, 0.02, 0.03]
    assert found["R4"][1][0] == "</script>"
    assert "</script>" not in data
