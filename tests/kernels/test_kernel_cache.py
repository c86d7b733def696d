"""Machine code on disk: never that of other sources, and shared by all checkouts of the same."""

import shutil

import pytest
from own_process import printed

from horde.kernels import jit

# A kernel of one module calls one of another.
KERNELS = {
    "inner.py": "from horde.kernels.jit import jit\n\n@jit\ndef inner(x):\n    return x + 1\n",
    "outer.py": "from horde.kernels.inner import inner\nfrom horde.kernels.jit import jit\n\n"
    "@jit\ndef outer(x):\n    return 2 * inner(x)\n",
}
CALL = """
from horde.kernels.outer import outer
print(outer(3), sum(outer.stats.cache_hits.values()))
"""


@pytest.fixture
def checkout(tmp_path):
    return made(tmp_path / "one")


def made(folder):
    """Make a package of the two kernels and the decorator as it is."""
    kernels = folder / "horde" / "kernels"
    kernels.mkdir(parents=True)
    (folder / "horde" / "__init__.py").touch()
    shutil.copy2(jit.__file__, kernels / "jit.py")
    for name, text in KERNELS.items():
        (kernels / name).write_text(text, "utf-8")
    return folder


def called(checkout, cache):
    """Return what the outer kernel gives for 3, and how many of its kinds came from the cache."""
    found = printed(CALL, PYTHONPATH=str(checkout), HORDE_KERNEL_CACHE=str(cache))
    return tuple(map(int, found.split()))


def test_an_edited_callee_in_another_module_gives_its_own_numbers(checkout, tmp_path):
    assert called(checkout, tmp_path / "cache") == (8, 0)
    assert called(checkout, tmp_path / "cache") == (8, 1)
    callee = checkout / "horde" / "kernels" / "inner.py"
    callee.write_text(callee.read_text("utf-8").replace("x + 1", "x + 5"), "utf-8")
    assert called(checkout, tmp_path / "cache") == (16, 0)


def test_another_checkout_of_the_same_kernels_compiles_nothing(checkout, tmp_path):
    called(checkout, tmp_path / "cache")
    assert called(made(tmp_path / "two"), tmp_path / "cache") == (8, 1)


def test_where_no_cache_can_be_written_another_place_is_taken(checkout, tmp_path):
    (tmp_path / "taken").write_text("not a folder", "utf-8")
    assert called(checkout, tmp_path / "taken")[0] == 8
