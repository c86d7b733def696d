"""The published verdict is what its tables give, on every processor, and can be read as a page."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from verdict_runs import CLAIMS, FILE, publishable_run

from horde import files
from horde.results.tables import as_written
from horde.verdict import reading
from horde.verdict.judge import judged_tables
from horde.verdict.published import PLACES, markdown, read_folder

REFERENCE = Path(__file__).parents[2] / "docs" / "results"
needs_reference = pytest.mark.skipif(
    not (REFERENCE / "verdict.csv").exists(), reason="no verdict is published"
)


def require_same_verdict(folder):
    """Judge again by the tables of a folder, and compare every digit."""
    asked = files.read_json(folder / "config.json")["verdict"]["claims"]
    for name, table in judged_tables(CLAIMS, asked, read_folder(folder)).items():
        found = pd.read_csv(folder / getattr(PLACES, name))
        pd.testing.assert_frame_equal(as_written(table), found, check_exact=True)


def test_a_verdict_can_be_judged_again_exactly_and_read_as_a_page(tmp_path):
    publishable_run(tmp_path)
    results = tmp_path / "results/paper"
    require_same_verdict(results)
    rows = markdown(results).splitlines()
    (r6,) = [line for line in rows if line.startswith("| R6 |")]
    assert CLAIMS["R6"].statement in r6
    assert r6.endswith("| -0.2 [-0.2, -0.2] difference of ratios | reproduced |  |")
    (s1,) = [line for line in rows if line.startswith("| S1 |")]
    assert s1.endswith("|  | not run | with the local solver: not run |")
    other = pd.read_csv(results / PLACES.runs)
    other["regret"] *= other["policy"].map(lambda policy: 0.5 if policy == "LINUCB-SIN" else 1)
    other.to_csv(results / PLACES.runs, index=False)
    with pytest.raises(AssertionError, match="value"):
        require_same_verdict(results)


@needs_reference
def test_the_reference_verdict_is_what_its_tables_give():
    require_same_verdict(REFERENCE)
    assert (REFERENCE / "verdict.md").read_text("utf-8") == markdown(REFERENCE)


@needs_reference
@pytest.mark.parametrize("table", PLACES[:3])
def test_every_number_of_the_reference_verdict_says_what_it_counts(table):
    rows = pd.read_csv(REFERENCE / table).dropna(subset="value")
    units = {row["claim"]: reading.unit(row) for _, row in rows.iterrows()}
    assert [claim for claim, unit in units.items() if not unit or " or " in unit] == []


@needs_reference
def test_every_link_of_the_reference_page_leads_somewhere():
    targets = re.findall(r'href="([^"#]+)"', (REFERENCE / "verdict.html").read_text("utf-8"))
    assert "figures/fig1a_n.png" in targets
    assert [target for target in targets if not (REFERENCE / target).exists()] == []


JUDGE_AGAIN = """
import sys
from horde.results.tables import write_csv
from horde.verdict import claims, judge, published
evidence = published.read_folder(sys.argv[2])
write_csv(judge.judge(claims.load(sys.argv[1]).values(), evidence), sys.argv[3])
"""


@needs_reference
def test_the_verdict_has_the_same_digits_on_every_processor(tmp_path):
    found = set()
    for core in ("Prescott", "Haswell"):
        to = tmp_path / f"{core}.csv"
        command = [sys.executable, "-c", JUDGE_AGAIN, FILE, REFERENCE, to]
        subprocess.run(command, env=os.environ | {"OPENBLAS_CORETYPE": core}, check=True)
        found.add(to.read_bytes())
    assert len(found) == 1
