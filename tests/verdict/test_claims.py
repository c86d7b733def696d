"""The file of claims: complete, and every rule of a form that the engine knows."""

import pandas as pd
import pytest
import yaml
from verdict_runs import CLAIMS, FILE

from horde.errors import ConfigError
from horde.publish import PARTS
from horde.verdict import claims
from horde.verdict.claims import Runs

COUNTS = {"S": 8, "R": 10, "L": 8, "T": 2, "B": 5, "C": 3}
NAMES = [f"{letter}{i}" for letter, count in COUNTS.items() for i in range(1, count + 1)]


@pytest.fixture
def content():
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def test_every_claim_is_there_with_rules_that_the_engine_knows():
    assert list(CLAIMS) == NAMES
    pictures = {place for part in PARTS.values() for place in part}
    for claim in CLAIMS.values():
        assert claim.rules
        assert claim.figure is None or f"figures/{claim.figure}.png" in pictures
        assert {rule.kind for rule in claim.rules} <= {*claims.REGRET_RULES, *claims.TABLE_RULES}


def test_lists_become_every_combination():
    rules = CLAIMS["R5"].rules
    assert [(rule.spec["dataset"], rule.spec["a"]) for rule in rules] == [
        ("lastfm", "EG-IND"),
        ("delicious", "EG-IND"),
        ("lastfm", "TS-IND"),
        ("delicious", "TS-IND"),
    ]


@pytest.mark.parametrize(
    ("break_it", "place"),
    [
        (lambda c: c["R6"]["rule"].update(lesss=c["R6"]["rule"].pop("less")), "R6.rule"),
        (lambda c: c["R6"]["rule"]["less"].update(margn=0.1), "R6.rule"),
        (lambda c: c["R9"]["rule"]["equivalent"].pop("margin"), "R9.rule"),
        (lambda c: c["R6"]["rule"]["less"].update(over=[0, 2]), "R6.rule"),
        (lambda c: c["S1"]["rule"]["factor"].pop("at_least"), "S1.rule"),
        (lambda c: c["S1"]["rule"]["factor"].pop("x"), "S1.rule"),
        (lambda c: c["B1"]["rule"]["growth"].update(over=[0, 1]), "B1.rule"),
        (lambda c: c["T1"].pop("source"), "T1"),
        (lambda c: c["R6"].update(seeds="figure"), "R6.seeds"),
        (lambda c: c["R6"].update(seeds=None), "R6.seeds"),
        (lambda c: c["S1"].update(alternative=c["L8"]["alternative"]), "S1.alternative"),
        (lambda c: c["L8"]["alternative"].pop("reading"), "L8.alternative"),
        (lambda c: c["R6"].update(alternative=c["L8"]["alternative"]), "R6.alternative.rows"),
        (lambda c: c["C3"]["rule"]["together"].update(claims=["R", "R11"]), "'R11'"),
        (lambda c: c["C3"]["rule"]["together"].update(rows=[]), "C3.rule"),
        (lambda c: c["R8"]["alternative"].pop("rule"), "R8.alternative"),
        (lambda c: c["R8"]["alternative"].update(rule=c["R8"]["rule"]), "R8.alternative"),
        (lambda c: c.update(claim=c["R6"]), "the file"),
    ],
)
def test_a_claim_of_another_form_is_refused_with_its_place(content, break_it, place):
    break_it(content["claims"])
    with pytest.raises(ConfigError, match=place.replace(".", r"\.")):
        claims.parse(content)


def test_a_file_that_is_missing_or_no_yaml_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="can't be read as YAML"):
        claims.load(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("a: [1")
    with pytest.raises(ConfigError, match="can't be read as YAML"):
        claims.load(tmp_path / "bad.yaml")


def test_what_claims_need_is_read_from_their_rules():
    asked = claims.select(CLAIMS, ["R10", "L2", "T", "S1"])
    assert [claim.name for claim in asked] == ["S1", "R10", "L2", "T1", "T2"]
    runs = claims.needed_runs(asked)
    assert runs[Runs("lastfm", "L-EG", "tuned")] == {"learning": None}
    assert runs[Runs("delicious", "G-EG", "exploration-only")] == {"verdict": None}
    assert runs[Runs("delicious", "G-EG", "five-cg")] == {"verdict": 3}
    five_cg = "delicious", "L-EG", "five-cg"
    # As many as any of the claims needs.
    assert runs[Runs("delicious", "G-EG", "tuned")] == {"verdict": None}
    assert claims.timed_runs([CLAIMS["L8"]])[Runs(*five_cg)] == ("learning", 3)
    assert claims.needed_tables(asked) == ["scalability", "tuning", "picks"]
    assert ("delicious", "G-TS") in claims.needed_tuning(asked)
    assert {*claims.needed_tables(CLAIMS.values())} == {*claims.TABLES}


def test_an_alternative_reading_takes_other_runs():
    (ours,) = CLAIMS["L4"].alternatives
    variants = {(side.runs.policy, side.runs.variant) for side in ours.sides}
    assert {name for name in variants if name[1] == "ours"} == {("L-EG", "ours"), ("U-EG", "ours")}
    assert ("G-EG", "tuned") in variants


def test_claims_hold_together_on_the_runs_of_a_named_configuration(content):
    rows = [
        {"of": {"variant": "tuned"}, "take": {"variant": "one"}},
        {"of": {"variant": "exploration-only"}, "take": {"variant": "one-exploration-only"}},
    ]
    content["claims"]["C3"]["rule"]["together"]["rows"] = rows
    found = claims.parse(content)
    runs = [claim for name, claim in found.items() if name[0] == "R"]
    assert len(found["C3"].rules) == sum(len(claim.rules) for claim in runs)
    for own, joined in zip((s for c in runs for s in c.sides), found["C3"].sides, strict=True):
        named = {"tuned": "one"}.get(own.runs.variant, "one-exploration-only")
        assert joined == own._replace(runs=own.runs._replace(variant=named))


def test_the_status_says_whether_the_rules_are_a_draft(tmp_path, content):
    for status in ("draft", "final"):
        path = tmp_path / "claims.yaml"
        path.write_text(yaml.safe_dump(content | {"status": status}), "utf-8")
        assert claims.status(path) == (2, status == "draft")


def test_what_version_1_found_is_told_as_it_was_published():
    folder = FILE.parents[1] / "docs" / "results" / "version-1"
    tables = (folder / "verdict.csv", folder / "timing" / "verdict_timing.csv")
    before = pd.concat(map(pd.read_csv, tables)).set_index("claim")["verdict"].to_dict()
    assert {n: c.before.verdict for n, c in CLAIMS.items() if c.before} == before
