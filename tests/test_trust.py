"""Nothing is trusted that is loaded: no pickle, no evaluation, no shell, no unpacking to disk."""

import ast
from pathlib import Path

import pytest

from horde.experiments import code as modules

ROOT = Path(__file__).parent.parent
SOURCES = [*sorted(modules.ROOT.rglob("*.py")), *sorted((ROOT / "workflow").rglob("*.py"))]
RULES = [ROOT / "Snakefile", *sorted((ROOT / "workflow").rglob("*.smk"))]
# Modules that make objects or start commands out of what they read.
MODULES = {"pickle", "cloudpickle", "joblib", "shelve", "marshal", "dill", "commands"}
CALLS = {"eval", "exec", "compile", "system", "popen", "read_pickle", "to_pickle", "unsafe_load"}
# An archive's own paths would say where to.
CALLS |= {"extractall", "extract", "unpack_archive"}
# Typst starts no program, and reads files below its root only.
HARMLESS = {("re", "compile"), ("platform", "system"), ("typst", "compile")}
KEYWORDS = {"shell": True, "allow_pickle": True}


def distrusted(text):
    """Yield what of a module's text takes data for code."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield node.module
        elif isinstance(node, ast.Call):
            yield from _of_call(node)


def _of_call(call):
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    name = call.func.attr if owner else getattr(call.func, "id", "")
    if name in CALLS and (getattr(owner, "id", ""), name) not in HARMLESS:
        yield name
    for keyword in call.keywords:
        value = getattr(keyword.value, "value", None)
        if keyword.arg in KEYWORDS and value is not False:
            yield keyword.arg
    if name == "load" and getattr(owner, "id", "") == "yaml":
        loaders = [ast.unparse(k.value) for k in call.keywords if k.arg == "Loader"]
        if loaders not in (["_Loader"], ["YamlLoader"]):  # SafeLoader, one with less in it
            yield "yaml.load"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_data_are_taken_for_code(path):
    assert list(distrusted(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "text",
    [
        *("import pickle", "from joblib import load", "eval(x)", "os.system(x)"),
        *("run(x, shell=True)", "run(x, shell=y)", "np.load(x, allow_pickle=True)"),
        *("archive.extractall(x)", "pd.read_pickle(x)", "yaml.load(x, Loader=yaml.Loader)"),
    ],
)
def test_what_takes_data_for_code_is_found(text):
    assert len(list(distrusted(text))) == 1


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_rules_have_no_commands(path):
    """Scripts only: no string with a value of the configuration in it comes near a shell."""
    words = [line.strip() for line in path.read_text("utf-8").splitlines()]
    assert not {"shell:", "run:"} & set(words)
    assert not [line for line in words if line.startswith(("shell(", "shell :"))]
