"""Check a built site without a network: its links, and that its search finds every public function.

``python docs/site/check.py build/docs`` prints what is wrong, and the addresses outside the site,
which it does not ask. It ends with status 1 if anything is wrong.
"""

import ast
import json
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SOURCE = Path(__file__).parents[2] / "src"


class Page(HTMLParser):
    """The anchors of a page, its links, and what a browser loads to show it."""

    def __init__(self, path: Path):
        super().__init__()
        self.anchors, self.links, self.loaded = {"", "top"}, set(), set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take up the addresses of a tag."""
        found = dict(attrs)
        self.anchors |= {found.get("id"), found.get("name")} - {None}
        if tag == "a" and "href" in found:
            self.links.add(found["href"])
        elif tag != "a":
            self.loaded |= {found.get("src"), found.get("href")} - {None}


def broken(site: Path) -> tuple[list[str], set[str]]:
    """Return what is wrong with the links of all pages, and the addresses outside the site."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    wrong, outside = [], set()
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        for address in sorted(page.links | page.loaded):
            parts = urlsplit(address)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                outside.add(address)
                if address in page.loaded:
                    wrong.append(f"{name}: loads {address} from the network")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                wrong.append(f"{name}: there is no {address}")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                wrong.append(f"{name}: there is no place {address}")
    return wrong, outside


def public(source: Path) -> Iterator[str]:
    """Yield the dotted names of all public functions, classes and methods of the package.

    A function that is a command is yielded as the command, for instance ``horde run``.
    """
    for path in sorted(source.rglob("*.py")):
        module = path.relative_to(source).with_suffix("").parts
        module = module[:-1] if module[-1] == "__init__" else module
        if not any(part.startswith("_") for part in module):
            yield from _public(ast.parse(path.read_text("utf-8")), ".".join(module))


def _public(tree: ast.AST, above: str) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        named = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
        if named and any(".command(" in ast.unparse(each) for each in node.decorator_list):
            yield f"horde {node.name}"
        elif named and ast.get_docstring(node):
            yield f"{above}.{node.name}"
        if named and isinstance(node, ast.ClassDef):
            yield from _public(node, f"{above}.{node.name}")


def found_by_search(site: Path) -> set[str]:
    """Return the index of the site's search: dotted names of objects, and headings."""
    text = (site / "searchindex.js").read_text("utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    objects = {
        f"{above}.{entry[-1]}" for above, below in index["objects"].items() for entry in below
    }
    return objects | set(index["alltitles"])


def main(site: Path) -> int:
    """Print what is wrong; return the status."""
    sys.path.insert(0, str(SOURCE))
    import horde

    wrong, outside = broken(site)
    wanted = {*public(SOURCE), *(f"horde.{name}" for name in horde.__all__)}
    wrong += [f"search does not find {name}" for name in sorted(wanted - found_by_search(site))]
    print(f"Not asked, since outside the site: {', '.join(sorted(outside))}")
    print("\n".join(wrong) or f"All links hold; search finds all {len(wanted)} public names.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
