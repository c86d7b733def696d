"""Content digests of modules of this package, with everything they import.

Snakemake tracks scripts, but not the package that they import. So a rule has the digest of its
modules in ``params``, and reruns if and only if one of them changes. Imports are read from the
source, including those inside functions; nothing is imported. What only type checkers import, below
``if TYPE_CHECKING``, does not count.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

from horde import files
from horde.policies import registry

ROOT = Path(__file__).parent.parent
PACKAGE = "horde"
# File types below a module's folder that belong to a module that names them.
ASSETS = (".mplstyle", ".css", ".js", ".html")


@cache
def job_digest(script: Path | str, *policies: str) -> str:
    """Return the digest of a rule's script, of everything it imports, and of the named policies.

    If policies are named, the registry is left out, since a new entry changes no other policy.

    Parameters
    ----------
    script : path or str
        The rule's script, or the name of the module that does the work.
    *policies : str
        Names of the policies that it runs.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    entries = [registry.entry(policy) for policy in policies]
    behind = [name for entry in entries for name in entry.modules]
    without = (registry.__name__,) if policies else ()
    return files.digest([digest(script, *behind, but=without), *map(repr, entries)])[:16]


def digest(*roots: str | Path, but: Iterable[str] = ()) -> str:
    """Return the digest of `roots` and of all modules that they import, directly or not.

    Parameters
    ----------
    *roots : str or path
        Names of modules (``horde.simulation.loop``) or paths of scripts outside the package.
    but : iterable of str
        Modules to leave out, with modules that only they import.

    Returns
    -------
    str
        The first 16 hexadecimal digits of a SHA-256.
    """
    total = hashlib.sha256()
    for name, source in sorted(_closure(roots, frozenset(but)).items()):
        total.update(f"{name}\0{source}\0".encode())
    return total.hexdigest()[:16]


def imported(*roots: str | Path) -> list[str]:
    """Return the sorted names of the package's modules that `roots` need, themselves included."""
    return sorted(_closure(roots, frozenset()))


def source_file(module: str) -> Path | None:
    """Return the source file of a module of this package; None if there is no such module."""
    parts = module.split(".")
    if parts[0] != PACKAGE:
        return None
    base = ROOT.joinpath(*parts[1:])
    for path in (base / "__init__.py", base.with_name(f"{base.name}.py")):
        if path.is_file():
            return path
    return None


def _closure(roots: Iterable[str | Path], but: frozenset[str]) -> dict[str, str]:
    """Return module name -> digest of its source."""
    found: dict[str, str] = {}
    waiting = list(roots)
    while waiting:
        root = waiting.pop()
        name = root.name if isinstance(root, Path) else root
        if name not in found and name not in but:
            found[name], imports = _read(root)
            waiting += imports
    return found


@cache
def _read(root: str | Path) -> tuple[str, tuple[str, ...]]:
    """Return the digest of one source file, its assets included, and the modules it imports."""
    path = root if isinstance(root, Path) else source_file(root)
    if path is None:
        raise ModuleNotFoundError(f"there is no module {root} in this package")
    name = path.name if isinstance(root, Path) else root
    source = path.read_bytes()
    # A figure depends on its code and its style sheet: editing either draws it again.
    named = [asset for asset in _assets(path.parent) if asset.name.encode() in source]
    content = source + b"".join(asset.read_bytes() for asset in named)
    wanted = {
        module
        for node in _statements(ast.parse(source))
        for module in _wanted(node, name, path.name == "__init__.py")
    }
    imports = {module for each in wanted for module in _with_packages(each)}
    return hashlib.sha256(content).hexdigest(), tuple(sorted(imports - {name}))


@cache
def _assets(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.suffix in ASSETS]


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements below a node, except expressions and imports for type checkers only."""
    for below in ast.iter_child_nodes(node):
        typing_only = isinstance(below, ast.If) and ast.unparse(below.test) == "TYPE_CHECKING"
        if not isinstance(below, ast.expr) and not typing_only:
            yield below
            yield from _statements(below)


def _wanted(node: ast.AST, name: str, is_package: bool) -> list[str]:
    """Return the dotted names that an import statement may refer to."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    package = name if is_package else name.rpartition(".")[0]
    base = resolve_name("." * node.level + (node.module or ""), package)
    return [base, *(f"{base}.{alias.name}" for alias in node.names)]


def _with_packages(wanted: str) -> list[str]:
    """Return the module `wanted` and its parent packages, as far as they exist."""
    parts = wanted.split(".")
    names = (".".join(parts[: k + 1]) for k in range(len(parts)))
    return [name for name in names if source_file(name)]
