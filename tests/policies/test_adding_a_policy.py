"""The code of docs/adding-a-policy.md runs, and its policies pass the common suite."""

import re
import sys
import textwrap
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import policy_suite
import pytest
import yaml
from policy_suite import Rounds, play, problem

import horde.policies
from horde.errors import ConfigError
from horde.experiments import config
from horde.kernels.rounds import play_epoch_greedy
from horde.policies import registry
from horde.policies.base import Policy

DOCUMENT = Path(__file__).parents[2] / "docs" / "adding-a-policy.md"
CONFIG = DOCUMENT.parents[1] / "config.yaml"


def blocks(language, page=DOCUMENT):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


@pytest.fixture
def documented(tmp_path, monkeypatch):
    """The document's file in the package, and its lines in the registry."""
    file, _, lines = blocks("python")
    (tmp_path / "epsilon_greedy.py").write_text(file, encoding="utf-8")
    monkeypatch.setattr(horde.policies, "__path__", [*horde.policies.__path__, str(tmp_path)])
    monkeypatch.setattr(registry, "POLICIES", dict(registry.POLICIES))
    monkeypatch.setattr(policy_suite, "POLICIES", registry.POLICIES)
    exec(lines, vars(registry))
    yield
    sys.modules.pop("horde.policies.epsilon_greedy", None)


@pytest.mark.parametrize("check", policy_suite.SUITE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", ["EPS-IND", "G-EPS"])
def test_the_documented_policies_pass_the_common_suite(documented, name, check):
    check(name)


def test_the_documented_loop_plays_as_choose_and_learn_do(documented, monkeypatch):
    names = {"np": np, "Policy": Policy, "play_epoch_greedy": play_epoch_greedy}
    exec(textwrap.dedent(blocks("python")[1]), names)
    cls = import_module("horde.policies.epsilon_greedy").EpsilonGreedy
    assert cls.play is Policy.play
    monkeypatch.setattr(cls, "play", names["play"])
    for name in ("EPS-IND", "G-EPS"):
        policy_suite.rounds_at_once_are_as_rounds_one_by_one(name)


def test_fraction_is_what_it_says(documented):
    start = problem(n_rounds=3000)
    rounds = Rounds(start)
    greedy = play(registry.make("EPS-IND", fraction=0.0).start(start), rounds)
    other = play(registry.make("EPS-IND", fraction=1.0).start(start), rounds)
    agreeing = sum(row == best for row, best in zip(other, greedy, strict=True))
    assert agreeing / 3000 == pytest.approx(1 / 5, abs=0.05)
    with pytest.raises(ConfigError, match="fraction"):
        registry.make("EPS-IND", fraction=1.5).start(start)


def test_a_policy_that_tunes_a_setting_of_its_own_is_told_what_to_name(documented):
    (over,) = map(yaml.safe_load, blocks("yaml"))
    entry = replace(registry.POLICIES["EPS-IND"], tunes=("lam", "fraction"))
    registry.POLICIES["EPS-IND"] = entry
    over["policies"]["EPS-IND"] = {"tuned": {}, "paper": {}}
    with pytest.raises(ConfigError) as caught:
        config.load(CONFIG, over)
    assert "tuning.grids.fraction: missing; EPS-IND tunes fraction" in str(caught.value)
    assert "policies.EPS-IND.paper.fraction: missing" in str(caught.value)


def test_the_documented_configuration_is_accepted_alone_and_with_the_dataset_s(documented):
    (over,) = map(yaml.safe_load, blocks("yaml"))
    data = yaml.safe_load(blocks("yaml", DOCUMENT.with_name("adding-a-dataset.md"))[0])
    for more in ({}, data):
        resolved = config.load(CONFIG, more, over)
        config.check_against_code(resolved)
        assert resolved["figures"]["regret"]["policies"] == over["figures"]["regret"]["policies"]
    assert "mine" in resolved["datasets"]
    for name, params in over["policies"].items():
        for values in params.values():
            registry.make(name, **values).start(problem())
