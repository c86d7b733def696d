"""What only the site has: navigation, the gallery, the commands' help, the published files."""

import os
import shutil
from pathlib import Path

from click import Context
from docutils import nodes
from jinja2 import Template
from PIL import Image
from pygments.lexers.special import TextLexer
from sphinx import addnodes
from sphinx.application import Sphinx

from horde import cli
from horde.experiments import config

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
# Tables of contents, by the page that they are added to.
CONTENTS = {
    "README": {
        "": ["Start <self>"],
        "Use": [
            "docs/adding-a-dataset",
            "docs/adding-a-policy",
            "docs/using-elsewhere",
            "docs/commands",
            "docs/cluster",
            "docs/benchmark",
            "docs/scaling",
            "docs/graph-learning",
            "docs/robustness",
            "data/README",
            "CONTRIBUTING",
        ],
        "Look up": [
            "API <docs/api>",
            "Gallery <docs/gallery>",
            "Verdict <docs/results/verdict>",
            "Deviations <docs/deviations>",
            "Architecture <docs/architecture>",
            "Changes <CHANGELOG>",
        ],
    },
    "docs/results/verdict": {"": ["README", "version-1/verdict"]},
}
# Letters of a row from which a table is wide.
WIDE_ROW = 150
# Descriptions of figures in workflow/report/, by the start of the figure's name, or by its end.
CAPTIONS = {
    "fig1": "scalability",
    "fig2": "regret",
    "fig3_": "learned_graph",
    "fig3": "learning",
    "figB": "theory",
    "figC": "controls",
    "figM": "multiverse",
    "sensitivity": "sensitivity",
    "_data": "data",
    "_regret": "regret",
}


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Add what a page has only on the site."""
    if page == "docs/gallery":
        source[0] += gallery()
    if page == "docs/commands":
        source[0] += commands()
    if page == "docs/results/verdict":
        also = ["[the same with the evidence](verdict.html)"]
        also += ["[the article](article.pdf)"] * (RESULTS / "article.pdf").exists()
        source[0] = source[0].replace("\n\n", f"\n\nAlso: {' · '.join(also)}.\n\n", 1)
    for caption, entries in CONTENTS.get(page, {}).items():
        head = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), ""]
        source[0] += "\n" + "\n".join([*head, *entries, "```", ""])


def gallery() -> str:
    """Return a section for each published figure: the picture, its command, and what it shows."""
    values = config.load(ROOT / "config.yaml")
    shown, sections = set(), []
    for path in sorted(RESULTS.glob("figures/*.png")):
        name = path.stem
        picture = f"results/figures/{path.name}"
        command = f"snakemake --cores all figures/{values['run']}/{name}.pdf"
        sections.append(f"## {name}\n\n[![{name}]({picture})]({picture})\n\n    {command}\n")
        keys = (key for key in CAPTIONS if name.startswith(key) or name.endswith(key))
        kind = CAPTIONS.get(next(keys, ""))
        if kind and kind not in shown:
            sections.append(f"```{{eval-rst}}\n{caption(kind, values)}\n```\n")
            shown.add(kind)
    return "\n" + "\n".join(sections)


def commands() -> str:
    """Return a section for each command of `horde`: its help."""
    above = Context(cli.commands, info_name="horde")
    helps = {
        name: Context(command, above, info_name=name, max_content_width=90)
        for name, command in sorted(cli.commands.commands.items())
    }
    return "".join(
        f"\n## horde {name}\n\n```text\n{context.get_help()}\n```\n"
        for name, context in helps.items()
    )


def caption(kind: str, values: dict) -> str:
    """Return the description in Snakemake's report of a kind of figure, without its settings."""
    text = (ROOT / "workflow" / "report" / f"{kind}.rst").read_text("utf-8")
    return Template(text.partition(".. include::")[0]).render(snakemake={"config": values})


def show_files(app: Sphinx, doctree: nodes.document) -> None:
    """Let links to published files open them; Sphinx makes them downloads."""
    top = os.path.relpath(".", Path(app.env.docname).parent)
    for link in list(doctree.findall(addnodes.download_reference)):
        path = (ROOT / app.env.docname).parent / link["reftarget"]
        if path.resolve().is_relative_to(RESULTS):
            address = f"{top}/results/{path.resolve().relative_to(RESULTS).as_posix()}"
            link.replace_self(nodes.reference("", "", *link.children, refuri=address))


def fit_tables(app: Sphinx, doctree: nodes.document) -> None:
    """Put its column's heading into each cell of a wide table: telephones show one cell a line."""
    for table in doctree.findall(nodes.table):
        rows = list(table.findall(nodes.row))
        if not table.next_node(nodes.thead) or max(len(row.astext()) for row in rows) < WIDE_ROW:
            continue
        table["classes"].append("wide")
        for row in rows[1:]:
            for heading, cell in zip(rows[0], row, strict=True):
                if cell.children:
                    label = nodes.inline("", f"{heading.astext()}: ", classes=["heading"])
                    cell[0].insert(0, label)


def fit_pictures(app: Sphinx, doctree: nodes.document) -> None:
    """Show pictures in the size they were made for, at most as wide as the page."""
    for picture in doctree.findall(nodes.image):
        with Image.open(ROOT / picture["uri"]) as image:
            width, height = image.size
        picture["width"] = f"{width // 2}px"
        if width > 2 * height:
            picture["classes"].append("wide")


def copy_files(app: Sphinx, error: Exception | None) -> None:
    """Copy the published files to the site."""
    if not error:
        shutil.copytree(RESULTS, Path(app.outdir) / "results", dirs_exist_ok=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the steps above."""
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", add_contents)
    app.connect("doctree-read", show_files, priority=400)  # before Sphinx copies downloads
    app.connect("doctree-read", fit_tables)
    app.connect("doctree-read", fit_pictures)
    app.connect("build-finished", copy_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
