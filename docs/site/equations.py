"""Typeset the equations of docstrings, which are plain text: sigma^2 becomes σ with a raised 2.

``help()`` shows docstrings as they are, so they hold no LaTeX. The site needs no script and no
network.
"""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.ext.autosummary import autosummary_table

NAMES = "alpha beta gamma delta epsilon theta kappa lambda mu nu xi rho sigma phi Lambda Sigma Phi"
GREEK = dict(zip(NAMES.split(), "αβγδεθκλμνξρσφΛΣΦ", strict=True)) | {
    "alpha2": "α₂",
    "sigma2": "σ²",
}
SIGNS = {"kron": "⊗", "<=": "≤", ">=": "≥", "||": "‖", "sqrt": "√"}
WORDS = "|".join(GREEK)
TOKEN = re.compile(
    rf"(?<!\w)(?<!\w-)(?<!--)(?P<greek>{WORDS})(?![a-zA-Z0-9-])"
    r"|(?P<sign>\bkron\b|\bsqrt(?=\()|<=|>=|\|\|)"
    r"|(?<=[\w)\]*])_(?P<sub>\{[^}]*\}|[a-zA-Z]{1,2}|\d|user|min)(?![a-zA-Z0-9])"
    r"|(?<=[\w)\]|}~’'])\^(?P<sup>\{[^}]*\}|\([^()]*\)|-?\d+(/\d+)?|-?[Tk]\b)"
)
# Text in these is code, or a name.
CODE = (nodes.literal, nodes.literal_block, nodes.strong, nodes.title, addnodes.desc_signature)


def typeset(text: str) -> list[nodes.Node]:
    """Return the nodes of a text with its Greek letters, signs, indices and powers."""
    found, end = [nodes.Text("")], 0
    for match in TOKEN.finditer(text):
        found.append(nodes.Text(text[end : match.start()]))
        end = match.end()
        if match["greek"] or match["sign"]:
            found.append(nodes.Text(GREEK.get(match[0]) or SIGNS[match[0]]))
            continue
        kind = nodes.subscript if match["sub"] else nodes.superscript
        inner = (match["sub"] or match["sup"]).strip("{}").replace("-", "−")
        found.append(kind("", "", *typeset(inner)))
    return [*found, nodes.Text(text[end:])]


def typeset_page(app: Sphinx, doctree: nodes.document) -> None:
    """Typeset all text of a page that is no code."""
    for text in list(doctree.findall(nodes.Text)):
        if not any(is_code(above) for above in ancestors(text)) and TOKEN.search(text):
            text.parent.replace(text, typeset(text.astext()))


def ancestors(node: nodes.Node):
    """Yield the nodes that a node lies in."""
    while node := node.parent:
        yield node


def is_code(node: nodes.Node) -> bool:
    """Whether the text below a node is code: also signatures, alone or in a list of functions."""
    if isinstance(node, nodes.entry) and node.parent.index(node) == 0:
        return any(isinstance(above, autosummary_table) for above in ancestors(node))
    return isinstance(node, CODE)


def escape(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list) -> None:
    """Escape the bars of norms, which reStructuredText would read as substitutions."""
    parts = re.split(r"(``.+?``|`[^`]+`)", "\n".join(lines), flags=re.DOTALL)
    parts[::2] = (re.sub(r"^\^", r"\\ ^", part.replace("|", r"\|")) for part in parts[::2])
    lines[:] = "".join(parts).split("\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect both steps; the first comes before numpydoc."""
    app.connect("autodoc-process-docstring", escape, priority=100)
    app.connect("doctree-read", typeset_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
