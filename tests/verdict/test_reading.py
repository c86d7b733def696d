"""The lines behind a claim."""

import pandas as pd
from verdict_runs import CLAIMS, long_runs, runs

from horde.results.tables import final_rounds
from horde.verdict.reading import counted, counts, found, lines_behind, ranges


def test_the_lines_behind_a_claim_are_those_of_its_policies():
    final = final_rounds(runs(LINUCB_IND=0.6, LINUCB_SIN=0.8))
    more = pd.concat([final.assign(policy="CLUB"), final])
    lines = lines_behind(CLAIMS["R6"], {"runs": more}, range(200, 204))
    assert ranges(lines["runs"]) == "10-17"
    fewer = lines_behind(CLAIMS["R6"], {"runs": more}, [200, 201])
    assert ranges(fewer["runs"]) == "10-11, 14-15"
    assert lines_behind(CLAIMS["R6"], {}, [200]) == {}


def test_the_lines_behind_a_claim_on_parts_of_runs_are_those_checkpoints():
    curves = long_runs(("LINUCB-SIN", "tuned"), ("LINUCB-IND", "tuned"), ("CLUB", "tuned"))
    lines = lines_behind(CLAIMS["R1"], {"curves": curves, "runs": curves}, [201])
    assert [*lines] == ["curves"]
    assert ranges(lines["curves"]) == "25, 41, 65, 77, 81"


def test_the_lines_behind_a_rule_on_a_table_are_those_it_selects():
    table = pd.DataFrame(
        {
            "figure": ["1a", "1b", "1b", "1b"],
            "policy": ["CLUB", "CLUB", "G-EG", "EG-IND"],
            "solver": ["none", "none", "cg", "none"],
        }
    )
    assert lines_behind(CLAIMS["S8"], {"scalability": table}, []) == {"scalability": [3, 4]}


def test_what_is_missing_is_found_among_the_parts_that_ran():
    row = pd.Series({"says": "", "evidence": "ratio of A = 0.1: reproduced; B is missing: not run"})
    assert found(row) == "B is missing."


def test_counts_are_those_of_this_version_and_of_the_one_before():
    verdicts = dict.fromkeys(CLAIMS, "reproduced") | {"C3": "not run", "R1": "inconclusive"}
    now, before = counts(CLAIMS, verdicts)
    assert counted(now) == "34 reproduced, 1 inconclusive, 1 not run"
    assert counted(before) == "17 reproduced, 13 not reproduced, 3 inconclusive"
