"""The public names: what ``from horde import ...`` gives, and that nothing is loaded before."""

import pytest
from own_process import printed

import horde
from horde.experiments import code


@pytest.mark.parametrize("name", horde.FACE)
def test_every_public_name_is_there(name):
    assert getattr(horde, name) is not None
    assert name in dir(horde)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'recommend'"):
        _ = horde.recommend


def test_the_package_alone_loads_nothing_and_widens_no_digest():
    loaded = "import sys, horde; print([name for name in sys.modules if 'horde.' in name])"
    assert printed(loaded) == "[]\n"
    assert code.imported("horde") == ["horde"]
