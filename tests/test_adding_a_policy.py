"""The code of docs/adding-a-policy.md runs, and its policies pass the common suite."""

import re
import sys
from pathlib import Path

import policy_suite
import pytest
import yaml
from policy_suite import Rounds, play, problem

import horde.policies
from horde.errors import ConfigError
from horde.policies import registry

DOCUMENT = Path(__file__).parents[1] / "docs" / "adding-a-policy.md"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)


@pytest.fixture
def documented(tmp_path, monkeypatch):
    """The document's file in the package, and its lines in the registry."""
    file, lines = blocks("python")
    (tmp_path / "epsilon_greedy.py").write_text(file, encoding="utf-8")
    monkeypatch.setattr(horde.policies, "__path__", [*horde.policies.__path__, str(tmp_path)])
    monkeypatch.setattr(registry, "POLICIES", dict(registry.POLICIES))
    monkeypatch.setattr(policy_suite, "POLICIES", registry.POLICIES)
    exec(lines, vars(registry))
    yield
    sys.modules.pop("horde.policies.epsilon_greedy", None)


def test_the_example_is_about_thirty_lines():
    assert blocks("python")[0].count("\n") <= 32


@pytest.mark.parametrize("check", policy_suite.SUITE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", ["EPS-IND", "G-EPS"])
def test_the_documented_policies_pass_the_common_suite(documented, name, check):
    check(name)


def test_epsilon_is_what_it_says(documented):
    start = problem(n_rounds=3000)
    rounds = Rounds(start)
    greedy = play(registry.make("EPS-IND", epsilon=0.0).start(start), rounds)
    other = play(registry.make("EPS-IND", epsilon=1.0).start(start), rounds)
    shares = [sum(row == best for row, best in zip(other, greedy, strict=True)) / 3000]
    assert shares[0] == pytest.approx(1 / 5, abs=0.05)
    with pytest.raises(ConfigError, match="epsilon"):
        registry.make("EPS-IND", epsilon=1.5).start(start)


def test_the_documented_settings_exist(documented):
    (text,) = blocks("yaml")
    for name, settings in yaml.safe_load(text)["policies"].items():
        for values in settings.values():
            registry.make(name, **values).start(problem())
