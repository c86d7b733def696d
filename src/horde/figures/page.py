"""What all pages share: one file, no network, legible on a telephone, light or dark."""

import html
import os
from importlib import resources
from string import Template

from horde import files


def text(value: object) -> str:
    """Escape a value for use in HTML."""
    return html.escape(str(value))


def link(target: str, label: str) -> str:
    """Return a link that `page.js` turns into plain text where it leads nowhere."""
    return f'<a href="{html.escape(target, quote=True)}">{text(label)}</a>'


def write(path: str | os.PathLike, title: str, body: str, **assets: str) -> None:
    """Write a page.

    Parameters
    ----------
    path : path
        Where to.
    title : str
        Plain text.
    body : str
        HTML.
    **assets : str
        ``style`` and ``script``: names of files of this package to build in, beside ``page.css``
        and ``page.js``.
    """
    style = _asset("page.css") + (_asset(assets["style"]) if "style" in assets else "")
    script = _asset("page.js") + (_asset(assets["script"]) if "script" in assets else "")
    page = Template(_asset("page.html")).substitute(
        title=text(title), style=style, body=body, script=script
    )
    files.write_text(path, page)


def _asset(name: str) -> str:
    return resources.files("horde.figures").joinpath(name).read_text(encoding="utf-8")
