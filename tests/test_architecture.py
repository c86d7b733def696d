"""Imports point inwards only, and a simulation loads nothing that it does not need."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from horde.experiments import code as modules

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


# What differs by a digit between BLAS builds, mathematical libraries and processors.
INEXACT = {"dot", "vdot", "inner", "matmul", "einsum", "tensordot", "norm", "linalg", "power"}
INEXACT |= {"exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "tanh", "@", "**"}
# Where they are used on the way to a pick, and why they do not decide it.
ROUNDED = {
    "kernels/glasso.py": {"dot"},  # V is rounded to binary digits (horde/glasso.py)
    "policies/bounds.py": {"log"},  # to nine decimals
    "policies/club.py": {"log"},  # a probability, to nine decimals
    "policies/graph_learning.py": {"@"},  # V again
    "posteriors/samplers.py": {"linalg", "cos", "log10", "**"},  # coefficients are rounded
    "posteriors/oracle.py": {"@", "**", "linalg", "einsum"},  # the reference, for comparisons only
    "posteriors/dense.py": {"**"},  # the square of sigma
    "posteriors/ridge.py": {"**"},  # likewise
}


def inexact(path):
    """Names of what a module uses of `INEXACT`."""
    operators = {ast.MatMult: "@", ast.Pow: "**"}
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.BinOp | ast.AugAssign):
            found.add(operators.get(type(node.op)))
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom) and not node.module.startswith(modules.PACKAGE):
            found.update(node.module.split("."), (alias.name for alias in node.names))
    return found & INEXACT


def test_no_blas_and_no_transcendental_function_decides_a_pick():
    """CLUB's logarithms and the like are rounded to fewer digits than libraries differ in."""
    folders = [modules.ROOT / name for name in ("kernels", "policies", "posteriors")]
    paths = [path for folder in folders for path in folder.glob("*.py")]
    paths += [modules.ROOT / name for name in ("streams.py", "draws.py", "simulation.py")]
    used = {path.relative_to(modules.ROOT).as_posix(): inexact(path) for path in paths}
    assert {name: names for name, names in used.items() if names} == ROUNDED
