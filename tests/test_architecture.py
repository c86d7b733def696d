"""Imports point inwards only, and a simulation loads nothing that it does not need."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from horde import modules

ROOT = Path(__file__).parent.parent
# From the inside out; a module may import its own layer and those before it.
LAYERS = [
    ["kernels"],
    [
        "errors",
        "checks",
        "ranges",
        "files",
        "npz",
        "modules",
        "threads",
        "clock",
        "draws",
        "graph",
        "curves",
    ],
    ["problem", "states", "glasso"],
    ["posteriors"],
    ["policies"],
    ["data", "graph_stats", "features", "datasets"],
    ["streams", "simulation"],
]


def layer(module):
    """Return the position of the module's layer; those not listed are outermost."""
    part = module.split(".")[1] if "." in module else ""
    return next((k for k, names in enumerate(LAYERS) if part in names), len(LAYERS))


def all_modules():
    for path in sorted(modules.ROOT.rglob("*.py")):
        parts = path.relative_to(modules.ROOT).with_suffix("").parts
        yield ".".join([modules.PACKAGE, *(part for part in parts if part != "__init__")])


@pytest.mark.parametrize("module", list(all_modules()))
def test_imports_point_inwards(module):
    if module == modules.PACKAGE:
        return
    imported = set(modules.imported(module)) - {modules.PACKAGE, "horde.policies.registry"}
    outwards = {name for name in imported if layer(name) > layer(module)}
    assert not outwards


def test_a_simulation_loads_no_plotting_no_tables_and_no_learning_library():
    code = (
        "import sys, horde.experiments.experiment, horde.experiments.validation\n"
        "from horde.policies import registry\n"
        "for name in registry.POLICIES: registry.settings_of(name)\n"
        "print({'pandas', 'matplotlib', 'seaborn', 'sklearn', 'snakemake'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_package_knows_nothing_of_snakemake():
    for path in modules.ROOT.rglob("*.py"):
        assert not re.search(r"^\s*(import|from) snakemake", path.read_text("utf-8"), re.MULTILINE)


def test_scripts_only_translate():
    for path in (ROOT / "workflow" / "scripts").glob("*.py"):
        lines = [line for line in path.read_text("utf-8").splitlines() if line.strip()]
        assert path.name == "job.py" or len(lines) <= 20, path.name


def test_kernels_are_compiled_in_their_folder_only():
    for path in modules.ROOT.rglob("*.py"):
        compiles = re.search(r"^@(numba\.n?)?jit", path.read_text("utf-8"), re.MULTILINE)
        assert not compiles or path.parent.name == "kernels", path
