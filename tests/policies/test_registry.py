"""Names, settings and lazy imports of the registry."""

from importlib import import_module

import pytest
from own_process import printed

from horde.errors import ConfigError
from horde.policies.registry import POLICIES, make, params_of

PAPER = {
    *("Random", "LINUCB-IND", "LINUCB-SIN", "EG-IND", "EG-SIN", "TS-IND", "TS-SIN"),
    *("CLUB", "G-EG", "G-TS", "GOBLIN", "GOBLIN++"),
}


def test_every_algorithm_of_the_paper_is_there():
    assert POLICIES.keys() >= PAPER


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("LINUCB-INDD", "LINUCB-IND"), ("goblin", "GOBLIN"), ("club", "CLUB"), ("GEG", "G-EG")],
)
def test_an_unknown_policy_is_named_with_the_nearest_right_one(wrong, right):
    with pytest.raises(ConfigError, match=f"'{wrong}'.*Did you mean '{right}'"):
        make(wrong)


@pytest.mark.parametrize(
    ("name", "variant"),
    [("LINUCB-IND", "shared"), ("GOBLIN++", "widths"), ("G-EG", "sampler"), ("CLUB", "posterior")],
)
def test_what_makes_a_policy_its_own_cannot_be_set(name, variant):
    assert variant not in params_of(name)
    with pytest.raises(ConfigError, match=variant):
        make(name, **{variant: True})


@pytest.mark.parametrize("name", POLICIES)
def test_modules_are_those_that_the_policy_is_made_from(name):
    policy = make(name)
    modules = POLICIES[name].modules
    assert type(policy).__module__ == modules[0]
    for module in modules:
        import_module(module)
    assert len(modules) == 1 + hasattr(policy, "posterior")


def test_the_registry_imports_no_policy():
    """So that one policy's edit concerns that policy only."""
    code = """
import sys
import horde.policies.registry
print(*[name for name in sys.modules if name.startswith(("horde.policies.", "horde.posteriors."))])
print({"numba", "scipy"} & sys.modules.keys())
"""
    assert printed(code) == "horde.policies.registry\nset()\n"
