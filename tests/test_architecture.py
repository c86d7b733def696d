"""Imports point inwards only, and a simulation loads nothing that it does not need."""

import ast
import re
from pathlib import Path

import pytest
from own_process import printed

from horde.experiments import code

# From the inside out: a module imports its own layer and those before it, within functions too.
LAYERS = [
    {"kernels"},
    {"errors", "checks", "files", "random", "machine", "state"},
    {"graph"},
    {"problem"},
    {"posteriors"},
    {"policies"},
    {"data"},
    {"simulation"},
    {"results"},
    {"timing"},
    {"experiments"},
    {"verdict"},
    {"figures"},
    {"publish", "article", "cli"},
    {"__main__"},
]
# Names of all modules and packages, such as `horde.graph.precision`.
MODULES = sorted(
    ".".join([code.PACKAGE, *(part for part in path.with_suffix("").parts if part != "__init__")])
    for path in (found.relative_to(code.ROOT) for found in code.ROOT.rglob("*.py"))
)


def layer(module):
    """Return the place of a module's layer, from the inside out."""
    return next(k for k, names in enumerate(LAYERS) if module.split(".")[1] in names)


@pytest.mark.parametrize("module", [name for name in MODULES if name != code.PACKAGE])
def test_no_import_points_outwards(module):
    imported = set(code.imported(module)) - {code.PACKAGE}
    assert {name for name in imported if layer(name) > layer(module)} == set()


def test_every_layer_is_there():
    found = {module.split(".")[1] for module in MODULES if module != code.PACKAGE}
    assert found == set().union(*LAYERS)


def test_the_map_has_every_module_with_the_first_line_of_its_docstring():
    expected = []
    for module in sorted(MODULES, key=lambda name: (name != code.PACKAGE and layer(name), name)):
        path = code.ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py")
        if path.is_file():
            first = ast.get_docstring(ast.parse(path.read_text("utf-8"))).splitlines()[0]
            name = path.relative_to(code.ROOT).as_posix()
            expected.append(f"| `{name}` | {first.replace('``', '`')} |")
    page = Path(__file__).parents[1] / "docs" / "architecture.md"
    table = page.read_text("utf-8").split("## Every module\n")[1].split("|---|---|\n")[1]
    assert table.splitlines() == expected


def test_a_simulation_loads_no_plotting_no_tables_and_no_learning_library():
    program = (
        "import sys, horde.experiments.run, horde.experiments.tuning\n"
        "from horde.policies import registry\n"
        "for name in registry.POLICIES: registry.make(name)\n"
        "slow = {'pandas', 'matplotlib', 'seaborn', 'sklearn', 'snakemake', 'pooch'}\n"
        "print(slow & set(sys.modules))"
    )
    assert printed(program) == "set()\n"


def sources():
    """Path below the package -> source text."""
    return {
        path.relative_to(code.ROOT).as_posix(): path.read_text("utf-8")
        for path in sorted(code.ROOT.rglob("*.py"))
    }


def test_the_package_knows_nothing_of_snakemake():
    pattern = re.compile(r"^\s*(import|from) snakemake", re.MULTILINE)
    assert [name for name, text in sources().items() if pattern.search(text)] == []


def test_kernels_are_compiled_in_their_folder_only():
    pattern = re.compile(r"^@(numba\.n?)?jit", re.MULTILINE)
    compiled = [name for name, text in sources().items() if pattern.search(text)]
    assert {name.split("/")[0] for name in compiled} == {"kernels"}


# What differs by a digit between BLAS builds, mathematical libraries and processors.
INEXACT = {"dot", "vdot", "inner", "matmul", "einsum", "tensordot", "norm", "linalg", "power"}
INEXACT |= {"exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "tanh", "@", "**"}
# Packages on the way to a pick; where they use it, and why it decides no pick.
DECIDING = ("graph", "kernels", "policies", "posteriors", "simulation", "random", "problem")
ROUNDED = {
    "graph/controls.py": {"@"},  # a sparse product of counts
    "graph/glasso.py": {"exp", "log"},  # a guess of lambda_2, to nine digits
    "graph/kronecker.py": {"**"},  # graphs to be timed
    "graph/precision.py": {"@"},  # only refuses a graph
    "graph/statistics.py": {"@", "linalg"},  # only shown, to few decimals
    "policies/base.py": {"log"},  # to nine decimals
    "policies/club.py": {"log"},  # a probability, to nine decimals
    "posteriors/dense.py": {"**"},  # the square of sigma
    "posteriors/samplers.py": {"cos", "log10", "**"},  # coefficients are rounded
    "posteriors/system.py": {"linalg"},  # eigenvalues: rounded outwards, or only refuse a prior
    "simulation/synthetic.py": {"@", "**"},  # a sparse product, and squares
}


def inexact(source):
    """Names of what a module uses of `INEXACT`."""
    operators = {ast.MatMult: "@", ast.Pow: "**"}
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp | ast.AugAssign):
            found.add(operators.get(type(node.op)))
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom) and not node.module.startswith(code.PACKAGE):
            found.update(node.module.split("."), (alias.name for alias in node.names))
    return found & INEXACT


def test_no_blas_and_no_transcendental_function_decides_a_pick():
    """CLUB's logarithms and the like are rounded to fewer digits than libraries differ in."""
    used = {
        name: inexact(text)
        for name, text in sources().items()
        if re.split(r"[/.]", name)[0] in DECIDING
    }
    assert {name: names for name, names in used.items() if names} == ROUNDED
