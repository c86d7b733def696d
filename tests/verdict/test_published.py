"""The published verdict is what its tables give, on every processor, and can be read as a page."""

import re
from pathlib import Path

import pandas as pd
import pytest
from own_process import printed
from verdict_runs import CLAIMS, publishable_run

from horde import files
from horde.results.tables import as_written
from horde.verdict.judge import judged_tables
from horde.verdict.published import PLACES, markdown, read_folder

REFERENCE = Path(__file__).parents[2] / "docs" / "results"
needs_reference = pytest.mark.skipif(
    not (REFERENCE / "verdict.csv").exists(), reason="no verdict is published"
)
VERDICTS = [REFERENCE, REFERENCE / "version-1"]


def require_same_verdict(folder):
    """Judge again by the rules and tables of a folder, and compare every digit."""
    asked = files.read_json(folder / "config.json")["verdict"]["claims"]
    claims, evidence = read_folder(folder)
    for name, table in judged_tables(claims, asked, evidence).items():
        found = pd.read_csv(folder / getattr(PLACES, name))
        # Version 1 had fewer columns.
        again = as_written(table)[list(found)]
        pd.testing.assert_frame_equal(again, found, check_exact=True)


def test_a_verdict_can_be_judged_again_exactly_and_read_as_a_page(tmp_path):
    publishable_run(tmp_path)
    results = tmp_path / "results/paper"
    require_same_verdict(results)
    text = markdown(results)
    assert (
        "By [version 1 of the rules](version-1/verdict.md), on other seeds: 17 reproduced" in text
    )
    (r6,) = [line for line in text.splitlines() if line.startswith("| R6 |")]
    assert CLAIMS["R6"].statement in r6
    assert "| LINUCB-IND against LINUCB-SIN (final ratio, Delicious): 0.200 lower (95 %" in r6
    assert r6.endswith("| reproduced |  | reproduced. The rule stays. |")
    (s1,) = [line for line in text.splitlines() if line.startswith("| S1 |")]
    assert "| not run | with the local solver: not run; GOBLIN in NumPy" in s1
    other = pd.read_csv(results / PLACES.runs)
    other["regret"] *= other["policy"].map(lambda policy: 0.5 if policy == "LINUCB-SIN" else 1)
    other.to_csv(results / PLACES.runs, index=False)
    with pytest.raises(AssertionError, match="value"):
        require_same_verdict(results)


@needs_reference
@pytest.mark.parametrize("folder", VERDICTS, ids=["now", "version-1"])
def test_the_reference_verdict_is_what_its_tables_give(folder):
    require_same_verdict(folder)
    if "says" in pd.read_csv(folder / PLACES.verdict):
        assert (folder / "verdict.md").read_text("utf-8") == markdown(folder)


@needs_reference
@pytest.mark.parametrize("folder", VERDICTS, ids=["now", "version-1"])
def test_every_link_of_the_reference_page_leads_somewhere(folder):
    targets = re.findall(r'href="([^"#]+)"', (folder / "verdict.html").read_text("utf-8"))
    assert "summary/tuning.csv" in targets
    assert [target for target in targets if not (folder / target).exists()] == []


JUDGE_AGAIN = """
import sys
from horde.results.tables import write_csv
from horde.verdict import judge, published
claims, evidence = published.read_folder(sys.argv[1])
write_csv(judge.judge(claims.values(), evidence), sys.argv[2])
"""


@needs_reference
def test_the_verdict_has_the_same_digits_on_every_processor(tmp_path):
    found = set()
    for core in ("Prescott", "Haswell"):
        to = tmp_path / f"{core}.csv"
        printed(JUDGE_AGAIN, REFERENCE, to, OPENBLAS_CORETYPE=core)
        found.add(to.read_bytes())
    assert len(found) == 1
