"""The settings that docs/deviations.md names exist, and are what it says by default."""

import re
from pathlib import Path

import yaml

from horde.policies.registry import POLICIES, params_of

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "deviations.md").read_text(encoding="utf-8")


def test_every_dotted_setting_is_in_the_configuration():
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    dotted = set(re.findall(r"`([a-z_]+(?:\.[a-z0-9_]+)+)`", TEXT)) - {"config.yaml"}
    assert len(dotted) > 8
    for path in dotted:
        place = config
        for key in path.split("."):
            assert key in place, f"{path} is not in config.yaml"
            place = place[key]


def test_every_setting_with_a_value_is_one_of_a_policy():
    known = {name for policy in POLICIES for name in params_of(policy)}
    named = set(re.findall(r"`([a-z_]+): [^`]+`", TEXT))
    assert {"solver", "exploration", "learn_from", "ucb_log", "iterations"} <= named
    assert named <= known
