"""Configuration of the documentation site: `make docs` writes it to build/docs.

The sources are README.md, the guides and the docstrings where they are. Sphinx starts in the root
of the clone, so that links between Markdown files hold on the site as they do in the repository.
"""

import os
import sys
from pathlib import Path

import horde

sys.path.insert(0, str(Path(__file__).parent / "site"))
# Kernels are documented as the Python functions that they are compiled from.
os.environ["NUMBA_DISABLE_JIT"] = "1"

project = "horde"
version = release = horde.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "pages",
    "equations",
]
root_doc = "README"
include_patterns = ["*.md", "data/README.md", "docs/**.md", "docs/**.rst"]
exclude_patterns = [".*", "build", "results", "src", "tests", "workflow", "figures", "docs/site"]
smartquotes = False

html_theme = "furo"
html_title = "horde"
html_static_path = ["site/static"]
html_extra_path = ["site/extra"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False

myst_heading_anchors = 3
autosummary_generate = True
autodoc_default_options = {"members": True, "member-order": "bysource", "show-inheritance": True}
autodoc_typehints_format = "short"
# Named in a string, where no module is known.
autodoc_type_aliases = {"Policy": "horde.policies.base.Policy"}
numpydoc_show_class_members = False
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [
    # Other packages: their documentation is not within reach when the site is built.
    (r"py:.*", r"(abc|collections|contextlib|os|pathlib)\..*"),
    (r"py:.*", r"(click|matplotlib|numpy|pandas|pyarrow|scipy)\..*"),
    # Parts of a type that is spelled out.
    ("py:class", r"(dict|tuple)\[.*"),
    # Parameters, and names of the same module; names with their module must exist.
    ("py:obj", r"(?!horde\.).*"),
    # Constants have no page.
    ("py:obj", r"horde\.[\w.]+\.[A-Z_]+"),
]
