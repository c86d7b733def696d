"""Digests of code: of everything a module imports, and of nothing else."""

import dataclasses
from pathlib import Path

import pytest

from horde.data import sources
from horde.experiments import code as modules
from horde.experiments import plan, run
from horde.policies import registry


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package `horde` of our own making, and a script beside it."""
    root = tmp_path / "horde"
    (root / "inner").mkdir(parents=True)
    texts = {
        "__init__.py": "",
        "a.py": "from horde import b\n",
        "b.py": "def f():\n    from horde.inner.c import g\n    return g\n",
        "inner/__init__.py": "",
        "inner/c.py": "from . import d\n",
        "inner/d.py": "import numpy\n",
        "other.py": "import horde.a\n",
    }
    for name, text in texts.items():
        (root / name).write_text(text, "utf-8")
    (tmp_path / "script.py").write_text("with open('x'):\n    import horde.b\n", "utf-8")
    monkeypatch.setattr(modules, "ROOT", root)
    modules._read.cache_clear()
    yield root
    modules._read.cache_clear()


def changed(package, name, *roots, but=()):
    before = modules.digest(*roots, but=but)
    path = package / name
    path.write_text(path.read_text("utf-8") + "# An edit.\n", "utf-8")
    modules._read.cache_clear()
    return modules.digest(*roots, but=but) != before


@pytest.mark.parametrize(
    "name", ["__init__.py", "a.py", "b.py", "inner/__init__.py", "inner/c.py", "inner/d.py"]
)
def test_an_edit_of_what_is_imported_changes_the_digest(package, name):
    """Imports are followed into functions and packages."""
    assert changed(package, name, "horde.a")


def test_an_edit_elsewhere_does_not(package):
    assert not changed(package, "other.py", "horde.a")
    assert not changed(package, "inner/c.py", "horde.a", but=["horde.b"])


def test_a_script_counts_with_what_it_imports(package):
    script = package.parent / "script.py"
    assert changed(package, "inner/d.py", script)
    assert changed(package, "../script.py", script)
    assert not changed(package, "a.py", script)


def test_a_module_that_does_not_exist_is_an_error(package):
    with pytest.raises(ModuleNotFoundError, match=r"horde\.missing"):
        modules.digest("horde.missing")


def test_what_is_measured_for_long_depends_on_no_table_and_no_drawing():
    script = Path(__file__).parents[2] / "workflow" / "scripts" / "measure_scalability.py"
    behind = modules.imported(script)
    assert "horde.timing.harness" in behind
    assert not [
        name for name in behind if name.startswith(("horde.figures", "horde.results.tables"))
    ]


def test_policies_have_digests_of_their_own():
    script = Path(plan.__file__)
    digests = {name: modules.job_digest(script, name) for name in registry.POLICIES}
    assert len(set(digests.values())) == len(digests)


@pytest.mark.parametrize(("policy", "same"), [("New", True), ("G-EG", False)])
def test_an_entry_of_the_registry_changes_its_own_digest_only(monkeypatch, policy, same):
    modules.job_digest.cache_clear()
    before = modules.job_digest(run.__name__, "G-EG")
    modules.job_digest.cache_clear()
    monkeypatch.setitem(registry.POLICIES, policy, registry.POLICIES["G-TS"])
    assert (modules.job_digest(run.__name__, "G-EG") == before) == same


def test_what_is_known_of_an_archive_concerns_its_own_datasets(monkeypatch):
    config = {
        "datasets": {
            "lastfm": {"kind": "hetrec", "archive": "lastfm"},
            "delicious": {"kind": "hetrec", "archive": "delicious"},
            "made": {"kind": "generated", "archive": "lastfm"},
        }
    }
    before = {name: plan.known_source(config, name) for name in config["datasets"]}
    assert before["made"] is None
    known = sources.load()
    changed = dataclasses.replace(known["lastfm"], title="Other")
    monkeypatch.setattr(sources, "load", lambda: known | {"lastfm": changed})
    after = {name: plan.known_source(config, name) for name in config["datasets"]}
    assert [name for name in before if before[name] != after[name]] == ["lastfm"]


def test_a_style_sheet_counts_where_it_is_named(package):
    (package / "look.mplstyle").write_text("lines.linewidth: 1\n", "utf-8")
    (package / "b.py").write_text("SHEET = 'look.mplstyle'\n", "utf-8")
    modules._read.cache_clear()
    assert changed(package, "look.mplstyle", "horde.b")
    assert not changed(package, "look.mplstyle", "horde.inner.c")
