"""The file of claims: complete, and every rule of a form that the engine knows."""

import copy

import pytest
import yaml
from verdict_runs import CLAIMS, FILE

from horde.errors import ConfigError
from horde.publish import PARTS
from horde.verdict import claims
from horde.verdict.claims import Runs

COUNTS = {"S": 8, "R": 10, "L": 8, "T": 2, "B": 5}
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


def test_claims_on_measured_times_are_known():
    timed = [name for name, claim in CLAIMS.items() if claim.timed]
    assert timed == ["S1", "S3", "S4", "S5", "S6", "S7", "S8", "L8"]


def test_lists_become_every_combination():
    rules = CLAIMS["R5"].rules
    assert [(rule.spec["dataset"], rule.spec["a"]) for rule in rules] == [
        ("lastfm", "EG-IND"),
        ("lastfm", "TS-IND"),
        ("delicious", "EG-IND"),
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
        (
            lambda c: c["R6"].update(alternative=c["L8"]["alternative"]),
            "R6.alternative: only rules on tables",
        ),
        (lambda c: c.update(claim=c["R6"]), "the file"),
    ],
)
def test_a_claim_of_another_form_is_refused_with_its_place(content, break_it, place):
    broken = copy.deepcopy(content)
    break_it(broken)
    with pytest.raises(ConfigError, match=place.replace(".", r"\.")):
        claims.parse(broken)


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
    assert runs[Runs("lastfm", "L-EG", "tuned")] == {"learning"}
    assert runs[Runs("delicious", "G-EG", "exploration-only")] == {"verdict"}
    assert Runs("delicious", "G-EG", "five-cg") in runs
    assert claims.needed_tables(asked) == ["scalability", "tuning", "picks"]
    assert ("delicious", "G-TS") in claims.needed_tuning(asked)
    assert {*claims.needed_tables(CLAIMS.values())} == {*claims.TABLES}


def test_a_claim_that_does_not_exist_is_refused():
    with pytest.raises(ConfigError, match="R11"):
        claims.select(CLAIMS, ["R", "R11"])
