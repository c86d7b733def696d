"""Alternatives to the open choices, as the configuration names them."""

from pathlib import Path

import pytest

from horde.errors import ConfigError
from horde.experiments import config, plan

PAPER = Path(__file__).parents[2] / "config.yaml"


def test_every_alternative_is_asked_for_where_it_can_be_run():
    asked = plan.alternative_runs(config.load(PAPER))
    assert asked["consistent-users"] == ["delicious"]
    assert asked["max-norm"] == ["lastfm", "delicious"]
    assert {"exploration-only", "five-cg", "theory"}.isdisjoint(asked)


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ({"alternatives": {"x": {"policies": {"G-EH": {"lam": 1}}}}}, "G-EG"),
        ({"alternatives": {"x": {"datasets": ["lastfm"]}}}, "alternatives.x"),
        ({"sensitivity": {"alternatives": ["sqrd"]}}, "sqrt"),
        ({"sensitivity": {"seeds": 11}}, "sensitivity.seeds"),
        ({"alternatives": {"consistent-users": {"tables": "lastfn"}}}, "lastfm"),
    ],
)
def test_mistakes_are_named(over, message):
    with pytest.raises(ConfigError, match=message):
        config.load(PAPER, over)


def test_an_alternative_can_change_only_what_a_policy_has():
    over = {"alternatives": {"x": {"policies": {"G-EG": {"scale": 1}}}}}
    with pytest.raises(ConfigError, match="G-EG has no such"):
        config.check_against_code(config.load(PAPER, over))
