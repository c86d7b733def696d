"""A published verdict is judged again by the tables that it was published with."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from verdict_runs import CLAIMS, FILE, publishable_run

from horde.publish import publish
from horde.verdict import published, reading

REFERENCE = Path(__file__).parents[2] / "docs" / "results"
TABLES = [*published.VERDICTS, published.ALTERNATIVE]


@pytest.fixture
def docs(tmp_path):
    """A published verdict on made-up runs."""
    publishable_run(tmp_path)
    publish("verdict", tmp_path / "results/paper", tmp_path / "figures/paper", tmp_path / "docs")
    return tmp_path / "docs"


def test_a_verdict_is_judged_again_by_what_was_published(docs):
    assert published.disagreements(docs, CLAIMS) == []
    verdict = pd.read_csv(docs / "verdict.csv")
    verdict.loc[verdict["claim"] == "R6", "verdict"] = "not reproduced"
    verdict.to_csv(docs / "verdict.csv", index=False)
    (line,) = published.disagreements(docs, CLAIMS)
    assert line.startswith("R6: not reproduced")


def test_a_verdict_that_is_lacking_or_strange_is_noticed(docs):
    path = docs / "verdict.csv"
    verdict = pd.read_csv(path)
    verdict[verdict["claim"] != "R5"].to_csv(path, index=False)
    assert published.disagreements(docs, CLAIMS) == ["R5: has 0 verdicts instead of 1"]
    verdict.replace({"claim": {"R5": "R6"}}).to_csv(path, index=False)
    assert "R6: has 2 verdicts instead of 1" in published.disagreements(docs, CLAIMS)
    verdict.replace({"claim": {"R5": "Q5"}}).to_csv(path, index=False)
    assert "Q5: has 1 verdicts instead of 0" in published.disagreements(docs, CLAIMS)


@pytest.mark.parametrize(
    ("table", "column", "policy", "claim"),
    [
        ("summary/picks.csv", "picks_equal", "G-EG", "T2"),
        (published.RUNS, "regret", "LINUCB-SIN", "R6"),
    ],
)
def test_a_verdict_of_other_tables_is_noticed(docs, table, column, policy, claim):
    other = pd.read_csv(docs / table)
    other.loc[other["policy"] == policy, column] *= 0.5
    other.to_csv(docs / table, index=False)
    assert claim in " ".join(published.disagreements(docs, CLAIMS))


def test_a_published_verdict_can_be_read_as_a_page(docs):
    rows = (docs / "verdict.md").read_text("utf-8").splitlines()
    (r6,) = [line for line in rows if line.startswith("| R6 |")]
    assert CLAIMS["R6"].statement in r6
    assert r6.endswith("| -0.2 [-0.2, -0.2] difference of ratios | reproduced |  |")
    (s1,) = [line for line in rows if line.startswith("| S1 |")]
    assert s1.endswith("|  | not run | with the local solver: not run |")


# The reference results

needs_reference = pytest.mark.skipif(
    not (REFERENCE / "verdict.csv").exists(), reason="no verdict is published"
)


@needs_reference
def test_every_verdict_of_the_reference_results_comes_from_the_tables_with_it():
    assert published.disagreements(REFERENCE, CLAIMS) == []
    found = pd.concat(pd.read_csv(REFERENCE / name) for name in published.VERDICTS)
    assert sorted(found["claim"]) == sorted(CLAIMS)
    assert (REFERENCE / "verdict.md").read_text("utf-8") == published.markdown(REFERENCE)


@needs_reference
@pytest.mark.parametrize("table", TABLES)
def test_every_number_of_the_reference_results_says_what_it_counts(table):
    rows = pd.read_csv(REFERENCE / table).dropna(subset="value")
    units = {row["claim"]: reading.unit(row) for _, row in rows.iterrows()}
    assert [claim for claim, unit in units.items() if not unit or " or " in unit] == []


@needs_reference
@pytest.mark.parametrize("table", TABLES)
def test_another_verdict_on_any_claim_of_the_reference_results_is_noticed(table, tmp_path):
    shutil.copytree(REFERENCE, tmp_path / "docs")
    verdict = pd.read_csv(REFERENCE / table)
    other = {"reproduced": "not reproduced"}
    verdict["verdict"] = [other.get(given, "reproduced") for given in verdict["verdict"]]
    verdict.to_csv(tmp_path / "docs" / table, index=False)
    lines = published.disagreements(tmp_path / "docs", CLAIMS)
    named = {line.removeprefix("alternative reading of ").split(":")[0] for line in lines}
    assert named == {*verdict["claim"]}


JUDGE_AGAIN = """
import sys
from horde.results.tables import write_csv
from horde.verdict import claims, judge, published
evidence = published.read_folder(sys.argv[2])
write_csv(judge.judge(claims.load(sys.argv[1]).values(), evidence), sys.argv[3])
"""


@needs_reference
def test_the_verdict_has_the_same_digits_on_every_processor(tmp_path):
    arguments = [FILE, REFERENCE]
    found = set()
    for core in ("Prescott", "Nehalem", "Haswell"):
        to = tmp_path / f"{core}.csv"
        subprocess.run(
            [sys.executable, "-c", JUDGE_AGAIN, *arguments, to],
            env=os.environ | {"OPENBLAS_CORETYPE": core},
            check=True,
        )
        found.add(to.read_bytes())
    assert len(found) == 1


@needs_reference
def test_every_link_of_the_reference_page_leads_somewhere():
    text = (REFERENCE / "verdict.html").read_text("utf-8")
    targets = set(re.findall(r'href="([^"#]+)"', text))
    assert "figures/fig1a_n.png" in targets
    assert [target for target in targets if not (REFERENCE / target).exists()] == []
